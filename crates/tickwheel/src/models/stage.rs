use std::{
    env,
    pin::Pin,
    sync::{Arc, Weak},
    task::{Context, Poll, Waker},
    time::Duration,
};

use shuttle::{
    Runner,
    scheduler::{PctScheduler, RandomScheduler},
    thread::{self, JoinHandle},
};

use super::{service, time};
use crate::{
    alarm::AlarmHandle,
    bell::Bell,
    clock::machine_now,
    driver::Driver,
    error::TimerError,
    lane::Lane,
    limit::Limit,
    service::Service,
    shard::Shard,
    sync::{AtomicBool, Ordering},
    timer::Timer,
    try_sleep::TrySleep,
};

/// Plays a scene under many schedules, half of them random, half with few and rare switches
///
/// `TICKWHEEL_SCHEDULES` says how many of each.
pub(super) fn play(scene: impl Fn() + Copy + Send + Sync + 'static) {
    let schedules = env::var("TICKWHEEL_SCHEDULES")
        .map_or(SCHEDULES, |schedules| schedules.parse().expect("TICKWHEEL_SCHEDULES is a number"));
    Runner::new(RandomScheduler::new(schedules), shuttle::Config::default()).run(scene);
    Runner::new(PctScheduler::new(SWITCHES, schedules), shuttle::Config::default()).run(scene);
}

/// A timer with its driver, its alarm and a clock that goes on, each on a thread
///
/// It has one shard in each lane and room for few timers at once.
pub(super) struct Stage {
    pub(super) timer: Timer,
    service: Weak<Service>,
    alarm: AlarmHandle,
    driver: JoinHandle<()>,
    others: [JoinHandle<()>; 2],
    is_over: Arc<AtomicBool>,
}

impl Stage {
    /// `run` is what the runtime does with the driver
    pub(super) fn set(run: impl FnOnce(Driver) + Send + 'static) -> Self {
        let bell = Arc::new(Bell::new());
        let alarm = AlarmHandle::without_thread(Arc::clone(&bell));
        let service = service(&bell, &alarm, Limit::new(Some(ROOM)));
        let shards: Box<[_]> = [(0, Lane::Critical), (1, Lane::Normal)]
            .map(|(number, lane)| Arc::new(Shard::new(Arc::clone(&service), number, lane, 0)))
            .into();
        let spare = alarm.beside(Arc::new(Bell::new()));
        let driver =
            Driver::new(&shards, service.clock, service.budget, bell, alarm.clone(), "model");
        let is_over = Arc::new(AtomicBool::new(false));
        let until_over = |act: fn(&AlarmHandle)| {
            let (is_over, alarm) = (Arc::clone(&is_over), alarm.clone());
            thread::spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    act(&alarm);
                }
            })
        };
        let clock = until_over(|alarm| {
            thread::yield_now();
            time::advance(TICK);
            alarm.time_has_passed();
        });
        Self {
            others: [clock, until_over(AlarmHandle::ring_next)],
            driver: thread::spawn(move || run(driver)),
            service: Arc::downgrade(&service),
            timer: Timer::from_parts(shards, service),
            alarm: spare,
            is_over,
        }
    }

    /// Somebody who uses the timer, on a thread of their own
    pub(super) fn enter<R: Send + 'static>(
        &self,
        client: impl FnOnce(Timer) -> R + Send + 'static,
    ) -> JoinHandle<R> {
        let timer = self.timer.clone();
        thread::spawn(move || client(timer))
    }

    /// Nothing is armed any more, and all that was is accounted for
    pub(super) fn assert_books_balance(&self) {
        let metrics = self.timer.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert_eq!((metrics.pending, metrics.waker_panics), (0, 0));
    }

    /// The count of armed timers has come back to none
    pub(super) fn assert_has_room(&self) {
        let armed: Vec<_> = (0..ROOM).map(|_| arm(&self.timer, HOUR)).collect();
        assert!(armed.iter().all(Result::is_ok));
        assert!(matches!(arm(&self.timer, HOUR), Err(TimerError::AtCapacity)));
    }

    /// The last handle goes, so the driver ends, and nothing is left behind
    pub(super) fn strike(self) {
        drop(self.timer);
        self.driver.join().unwrap();
        self.is_over.store(true, Ordering::SeqCst);
        self.alarm.ring_by(machine_now());
        self.others.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(self.service.upgrade().is_none());
    }
}

/// A sleep that has been polled once, by nobody who could be woken
pub(super) fn arm(timer: &Timer, delay: Duration) -> Result<TrySleep, TimerError> {
    let mut sleep = timer.try_sleep(delay);
    match Pin::new(&mut sleep).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Err(error)) => Err(error),
        Poll::Ready(Ok(())) | Poll::Pending => Ok(sleep),
    }
}

/// As many timers may be armed at once
const ROOM: usize = 4;
const HOUR: Duration = Duration::from_secs(3600);
pub(super) const TICK: Duration = Duration::from_millis(1);

const SCHEDULES: usize = 500;
/// How often a schedule of the second kind changes who goes first
const SWITCHES: usize = 3;
