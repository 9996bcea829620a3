//! Every interleaving of two threads, checked by loom on the code that ships
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p tickwheel --lib --release models`

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use loom::thread;
use tickwheel_core::{Tick, TimerKey};

use crate::{
    alarm::AlarmHandle,
    at_work::AtWork,
    bell::Bell,
    budget::Budget,
    callback::{Callback, Firing, Task},
    caller::Caller,
    clock::{Clock, Source, saturating_add},
    closing::{Closing, Standing},
    driver::Driver,
    error::TimerError,
    lane::Lane,
    limit::{Admission, Limit},
    metrics::{Calls, Metrics},
    number::Number,
    service::Service,
    shard::{Fate, Removal, Shard},
    shutdown::Unfired,
    slack::Slack,
    sync::Mutex,
    wall_clock::WallClock,
};

#[test]
fn a_timer_armed_while_the_driver_goes_to_sleep_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, HOUR, &Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(HOUR);
    });
}

#[test]
fn an_earlier_timer_armed_while_the_driver_sets_the_alarm_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        arm(&scene.shard, HOUR, Waker::noop());
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, MINUTE, Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(MINUTE);
    });
}

#[test]
fn a_timer_armed_while_the_driver_finds_nothing_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        // The driver is to come for a timer that is gone: the next must not rely on it.
        let cancelled = arm(&scene.shard, MINUTE, Waker::noop());
        scene.shard.remove(cancelled, Removal::Cancelled);
        scene.alarm.forget();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, HOUR, Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(HOUR);
    });
}

#[test]
fn a_timer_reset_earlier_while_the_driver_sets_the_alarm_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let key = arm(&scene.shard, HOUR, Waker::noop());
        let shard = Arc::clone(&scene.shard);
        let resetting = thread::spawn(move || assert!(shard.reset(key, MINUTE, || false)));
        assert!(driver.poll().is_pending());
        resetting.join().unwrap();
        scene.assert_rings_by(MINUTE);
    });
}

#[test]
fn a_timer_is_fired_or_cancelled_and_never_both() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &waker);
        let shard = Arc::clone(&scene.shard);
        let cancelling = thread::spawn(move || shard.remove(key, Removal::Cancelled));
        scene.visit(Tick::new(10));
        cancelling.join().unwrap();
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert_eq!(metrics.pending, 0);
        assert_eq!(woken.count() as u64, metrics.fired);
    });
}

#[test]
fn a_timer_reset_while_it_fires_does_one_or_the_other() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &waker);
        let shard = Arc::clone(&scene.shard);
        let resetting = thread::spawn(move || shard.reset(key, HOUR, || false));
        scene.visit(Tick::new(10));
        let moved = resetting.join().unwrap();
        assert_eq!(woken.count(), usize::from(!moved));
        assert_eq!(scene.shard.pending(), usize::from(moved));
    });
}

#[test]
fn a_replaced_waker_is_the_one_that_is_woken() {
    loom::model(|| {
        let scene = Scene::new();
        let (first, _) = counting_waker();
        let (second, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &first);
        let shard = Arc::clone(&scene.shard);
        let polling = thread::spawn(move || shard.poll(key, Tick::new(5), &second));
        scene.visit(Tick::new(10));
        match polling.join().unwrap() {
            Fate::Waiting => assert_eq!(woken.count(), 1),
            Fate::Fired => assert_eq!(woken.count(), 0),
            Fate::ShutDown => unreachable!("nobody closes the shard"),
        }
    });
}

#[test]
fn a_timer_armed_while_the_driver_is_dropped_is_refused_or_woken() {
    loom::model(|| {
        let scene = Scene::new();
        let driver = scene.driver();
        let (waker, woken) = counting_waker();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || shard.arm(HOUR, &waker, Admission::Always));
        drop(driver);
        match arming.join().unwrap() {
            Ok(key) => {
                let key = key.expect("no time has passed");
                assert_eq!(woken.count(), 1);
                assert_eq!(scene.shard.poll(key, HOUR, Waker::noop()), Fate::ShutDown);
            }
            Err(error) => assert_eq!(error, TimerError::ShutDown),
        }
        assert_eq!(scene.shard.pending(), 0);
    });
}

#[test]
fn a_callback_runs_or_is_cancelled_and_never_both() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let cancelling = thread::spawn(move || callback.cancel());
        scene.visit(Tick::new(10));
        let is_cancelled = cancelling.join().unwrap();
        assert_eq!(called.count(), usize::from(!is_cancelled));
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert_eq!(metrics.pending, 0);
    });
}

#[test]
fn a_callback_started_while_it_fires_runs_once_for_each_arming() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let starting = {
            let callback = callback.clone();
            thread::spawn(move || callback.start())
        };
        scene.visit(Tick::new(10));
        assert!(starting.join().unwrap());
        // Started before it began, it runs an hour from then; after, it does so once more.
        assert!(called.count() <= 1 && callback.is_running());
        assert_eq!(scene.shard.pending(), 1);
        assert!(callback.cancel());
    });
}

#[test]
fn a_timer_armed_while_the_timer_shuts_down_is_refused_or_returned() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || shard.arm(HOUR, &waker, Admission::Always));
        let unfired = scene.shut_down();
        match arming.join().unwrap() {
            Ok(_) => assert_eq!((unfired.sleeps(), woken.count()), (1, 1)),
            Err(error) => assert_eq!((unfired.sleeps(), error), (0, TimerError::ShutDown)),
        }
        assert_eq!(scene.shard.pending(), 0);
    });
}

#[test]
fn a_callback_that_is_due_at_a_shutdown_runs_or_is_returned_and_never_both() {
    loom::model(|| {
        let scene = Arc::new(Scene::new());
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let visiting = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.visit(Tick::new(10)))
        };
        let unfired = scene.shut_down();
        let has_run = called.count() == 1;
        assert_eq!(unfired.callbacks().len(), usize::from(!has_run));
        visiting.join().unwrap();
        // Whatever was still to come, nothing begins after a shutdown.
        assert_eq!(called.count(), usize::from(has_run));
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert!(callback.is_finished() && !callback.start());
    });
}

#[test]
fn a_driver_whose_last_shard_goes_ends_or_is_called_to_end() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let dropping = thread::spawn(move || drop(scene));
        let first = driver.poll();
        dropping.join().unwrap();
        assert!(first.is_ready() || driver.called.count() > 0);
        assert!(first.is_ready() || driver.poll().is_ready());
    });
}

/// One shard and what belongs to it, without a runtime
struct Scene {
    shard: Arc<Shard>,
    clock: Clock,
    bell: Arc<Bell>,
    alarm: AlarmHandle,
}

impl Scene {
    fn new() -> Self {
        let clock = Clock::start(Duration::from_millis(1), Source::Machine);
        let bell = Arc::new(Bell::new());
        let alarm = AlarmHandle::without_thread(Arc::clone(&bell));
        let service = Arc::new(Service {
            number: Number::next(),
            clock,
            wall_clock: WallClock::start(clock),
            bell: Arc::clone(&bell),
            caller: Caller::Alarm(alarm.clone()),
            budget: Budget::DEFAULT,
            limit: Limit::new(None),
            slack: Slack::NONE,
            lazy_timeouts: false,
            name: "model".into(),
            calls: Mutex::new(Calls::default()),
            closing: Closing::new(),
            #[cfg(feature = "metrics")]
            publisher: crate::metrics::Publisher::new("model"),
        });
        Self { shard: Arc::new(Shard::new(service, 0, Lane::Normal, 0)), clock, bell, alarm }
    }

    fn driver(&self) -> TestDriver {
        let driver = Driver::new(
            &[Arc::clone(&self.shard)],
            self.clock,
            Budget::DEFAULT,
            Arc::clone(&self.bell),
            self.alarm.clone(),
            "model",
        );
        let (waker, called) = counting_waker();
        TestDriver { driver: Box::pin(driver), waker, called }
    }

    /// One that is due at tick 5, and an hour after each later start
    fn callback(&self, call: impl FnMut() + Send + 'static) -> Callback {
        let start = self.clock.instant(Tick::new(5)).map(|at| (Firing::at(at), Admission::Always));
        let hour = Duration::from_secs(3600);
        let make = |(), id| Task::for_model(id, Arc::clone(&self.shard), hour, call);
        let task = self.shard.adopt(start, (), make).expect("the shard is open");
        Callback::new(task)
    }

    /// What the driver does to a shard at that tick
    fn visit(&self, now: Tick) {
        let instant = self.clock.instant(now).expect("it is near");
        let _at_work = AtWork::begin(&self.bell, instant, saturating_add(instant, Duration::MAX));
        while self.shard.visit(self.clock.read(instant), usize::MAX).steps > 0 {}
    }

    /// What awaiting a shutdown does, without a runtime
    fn shut_down(&self) -> Unfired {
        let closing = &self.shard.service.closing;
        let shards = [Arc::clone(&self.shard)];
        assert!(closing.begin(true, &shards));
        let (waker, _) = counting_waker();
        loop {
            while closing.drain_some(&shards) {}
            match closing.poll(&waker) {
                Standing::Over => return closing.take(),
                Standing::Draining | Standing::Waiting => thread::yield_now(),
            }
        }
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        self.shard.count_into(&mut metrics);
        metrics
    }

    fn assert_rings_by(&self, tick: Tick) {
        let limit = self.clock.instant(tick).expect("it is near").into_std();
        assert!(self.alarm.rings_at().is_some_and(|at| at <= limit));
    }
}

struct TestDriver {
    driver: Pin<Box<Driver>>,
    waker: Waker,
    called: Arc<Count>,
}

impl TestDriver {
    fn poll(&mut self) -> Poll<()> {
        self.driver.as_mut().poll(&mut Context::from_waker(&self.waker))
    }
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Count {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn counting_waker() -> (Waker, Arc<Count>) {
    let count = Arc::new(Count::default());
    (Arc::clone(&count).into(), count)
}

fn arm(shard: &Shard, deadline: Tick, waker: &Waker) -> TimerKey {
    let key = shard.arm(deadline, waker, Admission::Always).expect("the shard is open");
    key.expect("no time has passed")
}

const MINUTE: Tick = Tick::new(60_000);
const HOUR: Tick = Tick::new(3_600_000);
