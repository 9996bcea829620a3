//! Functions that a timer calls: once, again and again, ever more rarely, or not after all.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use tickwheel::Timer;

#[tokio::main]
async fn main() {
    let timer = Timer::new();
    let start = timer.now();
    let say = move |what: &str| println!("{:>4} ms  {what}", start.elapsed().as_millis());

    // Once. The handle may be dropped: the callback stays.
    timer.call_later(Duration::from_millis(100), move || say("once"));

    // Again and again, in phase, until the guard is dropped.
    let beat = timer.call_every(Duration::from_millis(200), move || say("beat"));
    let guard = beat.cancel_on_drop();

    // Ever more rarely: the function decides each delay, and ends it after the fifth.
    let tries = AtomicU32::new(0);
    let retry = timer.call_every(Duration::MAX, move || say("retry, after twice the time"));
    retry
        .set_next(move || {
            let number = tries.fetch_add(1, Ordering::Relaxed);
            (number < 5).then(|| Duration::from_millis(50) * 2_u32.pow(number))
        })
        .expect("no schedule decides");

    // Not after all.
    let never = timer.call_later(Duration::from_millis(500), move || say("never"));
    timer.sleep(Duration::from_millis(450)).await;
    say(if never.cancel() { "cancelled in time" } else { "too late to cancel" });

    // Built stopped, started as often as it is needed: here by whatever shows life.
    let idle = timer.new_callback_once(Duration::from_millis(300), move || say("idle for 300 ms"));
    for _ in 0..3 {
        idle.start();
        timer.sleep(Duration::from_millis(150)).await;
    }

    timer.sleep(Duration::from_millis(300)).await;
    drop(guard);
    say("no beat any more");

    while retry.is_running() {
        timer.sleep(Duration::from_millis(50)).await;
    }
    say("no retry any more");
    println!("callbacks and sleeps still armed: {}", timer.pending());
}
