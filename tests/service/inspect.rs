//! What is in the wheels, seen from outside

use std::task::Waker;

use tickwheel::{Lane, Tick, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND, YEAR},
    runtimes::settle,
    waker::armed,
};
use tokio::time;

fn on_one_shard() -> Timer {
    Timer::builder().shards(1).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_timer_is_in_the_level_that_its_distance_asks_for() {
    let timer = on_one_shard();
    let delays = [5 * MS, SECOND, 60 * SECOND, HOUR, 480 * HOUR, 2 * YEAR];
    let _sleeps = delays.map(|delay| armed(&timer, delay, Waker::noop()));
    let inspection = timer.inspect();
    let [critical, normal] = inspection.shards() else { panic!("a shard for each lane") };
    assert_eq!((critical.lane(), normal.lane()), (Lane::Critical, Lane::Normal));
    assert_eq!((critical.pending(), normal.pending(), inspection.pending()), (0, 6, 6));
    for level in 0..5 {
        assert_eq!(normal.level(level).iter().sum::<usize>(), 1, "level {level}");
        assert_eq!(normal.level(level).len(), if level == 0 { 256 } else { 64 });
    }
    assert_eq!((normal.overflow(), normal.slots().len()), (1, 512));
    // Ticks of a millisecond, counted from when the timer was built.
    assert_eq!(normal.level(0)[5], 1);
    assert_eq!(normal.level(1)[1000 >> 8], 1);
    assert_eq!(normal.next_wake(), Some(Tick::new(5)));
    assert_eq!((critical.next_wake(), inspection.next_wake()), (None, Some(Tick::new(5))));
}

#[tokio::test(start_paused = true)]
async fn it_follows_what_is_armed_fired_and_dropped() {
    let timer = on_one_shard();
    let sleeps: Vec<_> = (1..10_000).map(|n| armed(&timer, n * MS, Waker::noop())).collect();
    drop(sleeps.into_iter().skip(5_000).collect::<Vec<_>>());
    assert_eq!(timer.inspect().pending(), timer.pending());
    let _critical = armed(&timer.critical(), HOUR, Waker::noop());
    assert_eq!(timer.inspect().shards()[0].pending(), 1);
    time::advance(SECOND).await;
    settle().await;
    let inspection = timer.inspect();
    assert_eq!((inspection.pending(), inspection.now()), (timer.pending(), Tick::new(1000)));
    let normal = &inspection.shards()[1];
    assert!(normal.elapsed() <= inspection.now());
    assert!(normal.next_wake().is_none_or(|next| next > normal.elapsed()));
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "there are levels 0 to 4, and no level 5")]
async fn there_are_five_levels() {
    let timer = on_one_shard();
    let _ = timer.inspect().shards()[0].level(5);
}
