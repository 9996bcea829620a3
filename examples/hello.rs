//! A sleep, a timeout and an interval, all on one timer.

use std::{future, time::Duration};

use tickwheel::Timer;

#[tokio::main]
async fn main() {
    let timer = Timer::new();
    let start = timer.now();

    timer.sleep(Duration::from_millis(50)).await;
    println!("slept 50 ms, woke after {:?}", start.elapsed());

    let in_time = timer.timeout(Duration::from_secs(1), async { "an answer" });
    println!("a quick future: {:?}", in_time.await);

    let too_late = timer.timeout(Duration::from_millis(20), future::pending::<()>());
    println!("one that never ends: {:?}", too_late.await);

    let mut interval = timer.interval(Duration::from_millis(10));
    let first = interval.tick().await;
    for n in 1..=3 {
        let due = interval.tick().await;
        let late = due.elapsed();
        println!("tick {n} was due {:?} after the first, came {late:?} late", due - first);
    }

    println!("deadlines still armed: {}", timer.pending());
}
