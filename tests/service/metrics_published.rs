//! What a timer tells the recorder of the `metrics` facade: when, how much, and to whom

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use metrics::{
    Counter, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit, set_default_local_recorder,
};
use tickwheel::Timer;
use tickwheel_tests::{
    callbacks::jump,
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
};
use tokio::{task::yield_now, time};

/// Keeps what it is told
#[derive(Clone, Default)]
struct Notes {
    panics: Arc<AtomicBool>,
    ignores_histograms: Arc<AtomicBool>,
    described: Arc<Mutex<Vec<(String, Option<Unit>)>>>,
    values: Arc<Mutex<Vec<(String, f64)>>>,
    samples: Arc<Mutex<Vec<(f64, usize)>>>,
    publications: Arc<AtomicU64>,
}

struct Named(String, Notes);

impl GaugeFn for Named {
    fn increment(&self, value: f64) {
        assert!(value == 0.0, "it is set; this asks whether somebody listens");
    }

    fn decrement(&self, _: f64) {
        unreachable!("a gauge is set");
    }

    fn set(&self, value: f64) {
        let Named(name, notes) = self;
        if name.ends_with("_timers_active") {
            notes.publications.fetch_add(1, Relaxed);
        }
        notes.values.lock().unwrap().push((name.clone(), value));
    }
}

impl HistogramFn for Named {
    fn record(&self, value: f64) {
        self.record_many(value, 1);
    }

    fn record_many(&self, value: f64, count: usize) {
        if self.0.ends_with("_fire_lag_seconds") {
            self.1.samples.lock().unwrap().push((value, count));
        }
    }
}

impl Recorder for Notes {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.described.lock().unwrap().push((key.as_str().to_owned(), unit));
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe_counter(key, unit, text);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe_counter(key, unit, text);
    }

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        assert!(!self.panics.load(Relaxed), "on purpose");
        Gauge::from_arc(Arc::new(Named(key.name().to_owned(), self.clone())))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        if self.ignores_histograms.load(Relaxed) {
            return Histogram::noop();
        }
        Histogram::from_arc(Arc::new(Named(key.name().to_owned(), self.clone())))
    }
}

impl Notes {
    fn samples(&self) -> usize {
        self.samples.lock().unwrap().iter().map(|(_, count)| count).sum()
    }

    fn publications(&self) -> u64 {
        self.publications.load(Relaxed)
    }
}

async fn fire(timer: &Timer, timers: usize, after: Duration) {
    for _ in 0..timers {
        timer.call_later(after, || ());
    }
    jump(after).await;
}

/// Contract 10: told in turns that there are anyway, and a million of them a second tell once
#[tokio::test(start_paused = true)]
async fn it_tells_at_most_once_a_second_and_never_wakes_up_for_that() {
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().shards(1).build().unwrap();
    for _ in 0..100 {
        timer.sleep(25 * MS).await;
    }
    assert!((2..=4).contains(&notes.publications()), "{} in 2.5 s", notes.publications());

    settle().await;
    let (told, woken) = (notes.publications(), timer.metrics().driver_wakeups);
    time::sleep(HOUR).await;
    let waiting = timer.call_later(1000 * HOUR, || ());
    time::sleep(HOUR).await;
    assert!(notes.publications() <= told + 1);
    assert!(timer.metrics().driver_wakeups <= woken + 8);
    waiting.cancel();
}

#[tokio::test(start_paused = true)]
async fn who_asks_is_told_though_the_driver_sleeps() {
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().name("http.in").shards(1).build().unwrap();
    fire(&timer, 50, 10 * MS).await;
    let waiting = timer.call_later(HOUR, || ());
    settle().await;
    timer.publish_metrics();
    assert_eq!(notes.samples(), 50);
    let values = notes.values.lock().unwrap().clone();
    let last = |name| values.iter().rfind(|(known, _)| known == name).map(|known| known.1);
    assert_eq!(last("http_in_timers_active"), Some(1.0));
    assert_eq!(last("http_in_max_due_in_tick"), Some(50.0));
    timer.publish_metrics();
    assert_eq!(notes.samples(), 50, "each once");
    waiting.cancel();
}

#[tokio::test(start_paused = true)]
async fn each_series_has_its_unit() {
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    Timer::new().publish_metrics();
    let mut described = notes.described.lock().unwrap().clone();
    described.sort_by(|one, other| one.0.cmp(&other.0));
    described.dedup();
    assert_eq!(described.len(), 14);
    for (name, unit) in described {
        let right = if name.ends_with("_seconds") { Unit::Seconds } else { Unit::Count };
        assert!(name.starts_with("tickwheel_") && unit == Some(right), "{name}: {unit:?}");
    }
}

/// What no recorder has heard is told to the first that listens
#[tokio::test(start_paused = true)]
async fn a_recorder_that_comes_late_is_told_all() {
    let timer = Timer::builder().shards(1).build().unwrap();
    for _ in 0..5 {
        fire(&timer, 20, SECOND).await;
        timer.publish_metrics();
    }
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    timer.publish_metrics();
    assert_eq!(notes.samples(), 100);
    fire(&timer, 1, SECOND).await;
    timer.publish_metrics();
    assert_eq!(notes.samples(), 101);
}

#[tokio::test(start_paused = true)]
async fn what_a_recorder_ignores_is_kept_for_one_that_does_not() {
    let notes = Notes::default();
    notes.ignores_histograms.store(true, Relaxed);
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().shards(1).build().unwrap();
    fire(&timer, 20, SECOND).await;
    timer.publish_metrics();
    notes.ignores_histograms.store(false, Relaxed);
    timer.publish_metrics();
    assert_eq!(notes.samples(), 20);
}

/// Contract 9: what recorders keep one by one is told bit by bit, and nothing is left out
#[tokio::test(start_paused = true)]
async fn one_turn_tells_no_more_than_twice_what_it_may_fire() {
    let notes = Notes::default();
    let timer = Timer::builder().shards(1).turn_timers(32).build().unwrap();
    fire(&timer, 1000, SECOND).await;
    time::sleep(SECOND).await;
    let _recorder = set_default_local_recorder(&notes);
    for _ in 0..40 {
        let before = notes.samples();
        timer.call_later(10 * MS, || ());
        time::advance(10 * MS).await;
        let mut most = 0;
        let mut seen = before;
        for _ in 0..16 {
            yield_now().await;
            most = most.max(notes.samples() - seen);
            seen = notes.samples();
        }
        assert!(most <= 64, "{most} at once");
    }
    assert!(notes.samples() >= 1000, "{}", notes.samples());
    timer.publish_metrics();
    assert_eq!(notes.samples() as u64, timer.metrics().lateness.count());
}

/// Contract 8
#[tokio::test(start_paused = true)]
async fn timers_fire_though_the_recorder_panics() {
    let notes = Notes::default();
    notes.panics.store(true, Relaxed);
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().shards(1).build().unwrap();
    for _ in 0..3 {
        timer.sleep(2 * SECOND).await;
    }
    notes.panics.store(false, Relaxed);
    timer.sleep(2 * SECOND).await;
    timer.publish_metrics();
    assert_eq!(notes.samples(), 4);
}

/// A recorder is user code, and may do with the timer what it likes
#[tokio::test(start_paused = true)]
async fn a_recorder_may_use_the_timer() {
    struct User(Timer, Arc<AtomicU64>);

    impl Recorder for User {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
            let called = Arc::clone(&self.1);
            self.0.call_later(MS, move || _ = called.fetch_add(1, Relaxed));
            self.0.call_later(HOUR, || ()).cancel();
            Counter::noop()
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            let _ = (self.0.metrics(), self.0.inspect(), self.0.pending());
            Gauge::from_arc(Arc::new(Named(String::new(), Notes::default())))
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    let timer = Timer::builder().shards(1).build().unwrap();
    let called = Arc::new(AtomicU64::new(0));
    let user = User(timer.clone(), Arc::clone(&called));
    let _recorder = set_default_local_recorder(&user);
    timer.sleep(2 * SECOND).await;
    timer.publish_metrics();
    timer.sleep(10 * MS).await;
    assert!(called.load(Relaxed) >= 10);
}

/// What unused shards have counted is gone with them: a sum without it would be too small
#[tokio::test(start_paused = true)]
async fn nothing_is_told_once_shards_are_gone_with_the_last_handle() {
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().shards(1).build().unwrap();
    fire(&timer, 3, SECOND).await;
    let mut sleeps: Vec<_> = (2..6).map(|n| timer.sleep(n * SECOND)).collect();
    for sleep in &mut sleeps {
        assert!(futures::poll!(sleep).is_pending());
    }
    timer.publish_metrics();
    let told = notes.publications();
    drop(timer);
    futures::future::join_all(sleeps).await;
    settle().await;
    assert_eq!(notes.publications(), told);
}

#[tokio::test(start_paused = true)]
async fn the_last_is_told_at_a_shutdown() {
    let notes = Notes::default();
    let _recorder = set_default_local_recorder(&notes);
    let timer = Timer::builder().shards(1).build().unwrap();
    timer.call_later(HOUR, || ());
    fire(&timer, 7, 10 * MS).await;
    let _ = timer.shutdown().await;
    settle().await;
    let values = notes.values.lock().unwrap().clone();
    let active = values.iter().rfind(|(name, _)| name == "tickwheel_timers_active");
    assert_eq!((active.unwrap().1, notes.samples()), (0.0, 7));
}
