//! Functions that a timer calls: once, again and again, ever more rarely, or not after all.

use std::time::Duration;

use tickwheel::Timer;

#[tokio::main]
async fn main() {
    let timer = Timer::new();
    let start = timer.now();
    let say = move |what: &str| println!("{:>4} ms  {what}", start.elapsed().as_millis());

    // Once. The handle may be dropped: the callback stays.
    timer.call_later(Duration::from_millis(100), move || say("once"));

    // Again and again, in phase, until the guard is dropped.
    let beat = timer.call_every(Duration::from_millis(200), move || say("beat, every 200 ms"));
    let guard = beat.cancel_on_drop();

    // Ever more rarely: a function decides each delay instead of the period, and ends it
    // with `None`.
    let mut delays = [50, 100, 200, 400, 800].map(Duration::from_millis).into_iter();
    let retry = timer.new_callback_every(Duration::from_secs(1), move || say("retry"));
    let next_delay = move || {
        let delay = delays.next();
        match delay {
            Some(delay) => say(&format!("the next retry is in {delay:?}")),
            None => say("that was the last retry"),
        }
        delay
    };
    retry.set_next(next_delay).expect("no schedule decides");
    retry.start();

    // Not after all. True: it had not begun, and never will.
    let never = timer.call_later(Duration::from_millis(500), move || say("never"));
    timer.sleep(Duration::from_millis(450)).await;
    say(if never.cancel() { "cancelled in time" } else { "too late to cancel" });

    // Built stopped. Each start puts the one call off anew, as signs of life do.
    let idle = timer.new_callback_once(Duration::from_millis(300), move || say("idle for 300 ms"));
    for _ in 0..3 {
        say("a sign of life");
        idle.start();
        timer.sleep(Duration::from_millis(150)).await;
    }

    timer.sleep(Duration::from_millis(300)).await;
    drop(guard);
    say("no beat any more");

    while retry.is_running() {
        timer.sleep(Duration::from_millis(50)).await;
    }
    println!("callbacks and sleeps still armed: {}", timer.pending());
}
