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

use super::service;
use crate::{
    alarm::AlarmHandle,
    at_work::AtWork,
    bell::Bell,
    budget::Budget,
    callback::{Callback, Firing, Task},
    clock::{Clock, saturating_add},
    closing::Standing,
    driver::Driver,
    lane::Lane,
    limit::{Admission, Limit},
    metrics::Metrics,
    shard::Shard,
    shutdown::Unfired,
};

/// One shard and what belongs to it, without a runtime
pub(super) struct Scene {
    pub(super) shard: Arc<Shard>,
    clock: Clock,
    pub(super) bell: Arc<Bell>,
    pub(super) alarm: AlarmHandle,
}

impl Scene {
    pub(super) fn new() -> Self {
        let bell = Arc::new(Bell::new());
        let alarm = AlarmHandle::without_thread(Arc::clone(&bell));
        let service = service(&bell, &alarm, Limit::new(None));
        let clock = service.clock;
        Self { shard: Arc::new(Shard::new(service, 0, Lane::Normal, 0)), clock, bell, alarm }
    }

    pub(super) fn driver(&self) -> TestDriver {
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
    pub(super) fn callback(&self, call: impl FnMut() + Send + 'static) -> Callback {
        let start = self.clock.instant(Tick::new(5)).map(|at| (Firing::at(at), Admission::Always));
        let hour = Duration::from_secs(3600);
        let make = |(), id| Task::for_model(id, Arc::clone(&self.shard), hour, call);
        let task = self.shard.adopt(start, (), make).expect("the shard is open");
        Callback::new(task)
    }

    /// What the driver does to a shard at that tick
    pub(super) fn visit(&self, now: Tick) {
        let instant = self.clock.instant(now).expect("it is near");
        let _at_work = AtWork::begin(&self.bell, instant, saturating_add(instant, Duration::MAX));
        while self.shard.visit(self.clock.read(instant), usize::MAX).steps > 0 {}
    }

    /// What awaiting a shutdown does, without a runtime
    pub(super) fn shut_down(&self) -> Unfired {
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

    pub(super) fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        self.shard.count_into(&mut metrics);
        metrics
    }

    pub(super) fn assert_rings_by(&self, tick: Tick) {
        let limit = self.clock.instant(tick).expect("it is near").into_std();
        assert!(self.alarm.rings_at().is_some_and(|at| at <= limit));
    }
}

pub(super) struct TestDriver {
    driver: Pin<Box<Driver>>,
    waker: Waker,
    pub(super) called: Arc<Count>,
}

impl TestDriver {
    pub(super) fn poll(&mut self) -> Poll<()> {
        self.driver.as_mut().poll(&mut Context::from_waker(&self.waker))
    }
}

#[derive(Default)]
pub(super) struct Count(AtomicUsize);

impl Count {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) fn counting_waker() -> (Waker, Arc<Count>) {
    let count = Arc::new(Count::default());
    (Arc::clone(&count).into(), count)
}

pub(super) fn arm(shard: &Shard, deadline: Tick, waker: &Waker) -> TimerKey {
    let key = shard.arm(deadline, waker, Admission::Always).expect("the shard is open");
    key.expect("no time has passed")
}

pub(super) const MINUTE: Tick = Tick::new(60_000);
pub(super) const HOUR: Tick = Tick::new(3_600_000);
