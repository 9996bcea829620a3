//! What is told of the driver's life and of what it meets with

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use futures::StreamExt;
use tickwheel::{Builder, Schedule, Timer};
use tickwheel_tests::{
    callbacks::LIMIT,
    durations::{HOUR, MS, SECOND},
    listener::Listener,
    runtimes::{settle, within},
};
use tokio::time;
use tracing::{Level, subscriber::set_default};

type Told = Arc<Mutex<Vec<(Level, String)>>>;

/// Listens while a story is told with a timer called `orders`
#[track_caller]
fn told_by<F: Future<Output = ()>>(
    settings: impl FnOnce(Builder) -> Builder + Send + 'static,
    story: impl FnOnce(Timer, Told) -> F + Send + 'static,
) -> Vec<(Level, String)> {
    let told = Told::default();
    let noted = Arc::clone(&told);
    on_a_paused_clock(|| async move {
        let noting = Arc::clone(&noted);
        let _listening =
            set_default(Listener(move |level, text| noting.lock().unwrap().push((level, text))));
        let timer = settings(Timer::builder().name("orders")).build().unwrap();
        story(timer, noted).await;
        settle().await;
    });
    Arc::into_inner(told).expect("the story is over").into_inner().unwrap()
}

/// With no other timer that something could be told of
#[track_caller]
fn on_a_paused_clock<F: Future<Output = ()>>(story: impl FnOnce() -> F + Send + 'static) {
    within(LIMIT, || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(story());
    });
}

fn with(told: &[(Level, String)], level: Level) -> Vec<&str> {
    told.iter().filter(|told| told.0 == level).map(|told| told.1.as_str()).collect()
}

#[test]
fn the_driver_begins_and_ends() {
    let told = told_by(|builder| builder, |timer, _| async move { timer.sleep(MS).await });
    let right = [
        "message=the driver begins;timer=\"orders\";",
        "message=the driver has ended;timer=\"orders\";",
    ];
    assert_eq!(told.len(), 2);
    assert_eq!(with(&told, Level::DEBUG), right);
}

#[test]
fn a_shutdown_is_told_of_once_and_has_taken_effect_by_then() {
    let told = told_by(
        |builder| builder,
        |timer, told| async move {
            drop(timer.shutdown());
            let last = told.lock().unwrap().last().cloned();
            assert_eq!(last.unwrap().1, "message=the timer is shut down;timer=\"orders\";");
            let _ = timer.shutdown().await;
        },
    );
    let messages: Vec<_> = told.iter().map(|(_, text)| text.split(';').next().unwrap()).collect();
    let right = ["the driver begins", "the timer is shut down", "the driver has ended"];
    assert_eq!(messages, right.map(|message| format!("message={message}")));
    assert!(told.iter().all(|(level, _)| *level == Level::DEBUG));
}

/// A runtime that goes away takes the driver along
#[test]
fn an_end_with_the_runtime_is_told_of() {
    let told = Told::default();
    let noted = Arc::clone(&told);
    let _listening =
        set_default(Listener(move |level, text| noted.lock().unwrap().push((level, text))));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let timer = Timer::builder().name("orders").build_on(runtime.handle()).unwrap();
    drop(runtime);
    assert!(timer.is_shutdown());
    let texts: Vec<_> = told.lock().unwrap().iter().map(|told| told.1.clone()).collect();
    assert_eq!(texts.last().unwrap(), "message=the driver has ended;timer=\"orders\";");
}

#[test]
fn lateness_is_told_of_once_in_ten_seconds() {
    let told = told_by(
        |builder| builder,
        |timer, _| async move {
            // Each of them is late by 200 ms: the clock jumps over it.
            for _ in 0..60 {
                let mut sleep = timer.sleep(200 * MS);
                assert!(futures::poll!(&mut sleep).is_pending());
                time::advance(400 * MS).await;
                sleep.await;
            }
        },
    );
    let warnings = with(&told, Level::WARN);
    assert_eq!(warnings.len(), 3, "in 24 s: {warnings:?}");
    for warning in warnings {
        assert!(warning.starts_with("message=timers are late;timer=\"orders\";lateness="));
        assert!(warning.ends_with("bound=100ms;"), "{warning}");
    }
}

#[test]
fn what_is_a_little_late_is_not_told_of() {
    let told = told_by(
        |builder| builder,
        |timer, _| async move {
            let mut sleep = timer.sleep(200 * MS);
            assert!(futures::poll!(&mut sleep).is_pending());
            time::advance(299 * MS).await;
            sleep.await;
        },
    );
    assert_eq!(with(&told, Level::WARN), [""; 0]);
}

#[test]
fn a_turn_that_was_cut_short_is_told_of_once_in_ten_seconds() {
    let told = told_by(
        |builder| builder.turn_timers(1).shards(1),
        |timer, _| async move {
            for _ in 0..25 {
                for _ in 0..10 {
                    timer.call_later(SECOND, || ());
                }
                timer.sleep(SECOND).await;
            }
            assert!(timer.metrics().turns_cut_short >= 25);
        },
    );
    let warnings = with(&told, Level::WARN);
    assert_eq!(warnings.len(), 3, "in 25 s: {warnings:?}");
    for warning in warnings {
        assert!(warning.starts_with("message=more timers are due than a turn may fire;"));
        assert!(warning.ends_with("timer=\"orders\";"), "{warning}");
    }
}

/// Neither armed nor fired, neither moved nor cancelled
#[test]
fn nothing_is_told_of_any_one_timer() {
    let told = told_by(
        |builder| builder,
        |timer, _| async move {
            for n in 1..100 {
                timer.call_later(n * MS, || ());
                timer.sleep(n * MS).await;
                let _ = timer.timeout(n * MS, timer.sleep(HOUR)).await;
                let mut moved = timer.sleep(HOUR);
                assert!(futures::poll!(&mut moved).is_pending());
                moved.reset_after(MS);
                moved.await;
            }
            let mut interval = timer.interval(MS);
            for _ in 0..100 {
                interval.tick().await;
            }
        },
    );
    assert_eq!(told.len(), 2, "but of the driver: {told:?}");
}

/// Ends at once, and out of order
struct Wrong;

impl Schedule for Wrong {
    fn next_after(&mut self, _: SystemTime) -> Option<SystemTime> {
        Some(SystemTime::UNIX_EPOCH)
    }
}

/// Contract 8
#[test]
fn timers_fire_though_a_subscriber_panics() {
    on_a_paused_clock(|| async move {
        let told = Arc::new(Mutex::new(0));
        let noted = Arc::clone(&told);
        let _listening = set_default(Listener(move |_, _| {
            *noted.lock().unwrap() += 1;
            panic!("on purpose");
        }));
        let timer = Timer::builder().name("orders").turn_timers(1).shards(1).build().unwrap();
        let (sender, mut fired) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..5 {
            let sender = sender.clone();
            timer.call_later(10 * MS, move || sender.send(()).unwrap());
        }
        let panics = timer.call_later(10 * MS, || panic!("on purpose"));
        let slow = timer.call_every(10 * MS, || std::thread::sleep(Duration::from_millis(12)));
        time::advance(SECOND).await;
        for _ in 0..5 {
            fired.recv().await.unwrap();
        }
        timer.sleep(SECOND).await;
        assert!(panics.is_finished() && slow.is_running());
        assert_eq!(timer.schedule(Wrong).next().await, None, "it has ended");
        assert_eq!(timer.metrics().callback_panics, 1);

        let unfired = timer.shutdown().await;
        assert_eq!(unfired.callbacks().len(), 1);
        settle().await;
        // Begun, cut short, late, panicked, slow, a schedule, shut down, ended.
        assert_eq!(*told.lock().unwrap(), 8);
    });
}
