//! Callbacks that follow a schedule, each occurrence once

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use jiff::{civil, tz::TimeZone};
use tickwheel::{Callback, DailyAt, DaylightSaving, Every, Schedule, ScheduledCallback, Timer};
use tickwheel_tests::{
    callbacks::{Calls, Itself, LIMIT, jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    runtimes::{current_thread, within},
    wall::Wall,
};
use tokio::time;

/// At these offsets from when it is first asked; it keeps what it is asked
#[derive(Clone, Debug)]
struct Listed {
    offsets: &'static [u64],
    start: Option<SystemTime>,
    asked: Arc<Mutex<Vec<Duration>>>,
}

impl Listed {
    fn new(offsets: &'static [u64]) -> Self {
        Self { offsets, start: None, asked: Arc::default() }
    }

    /// The moments it was asked about, as milliseconds since it was first asked
    fn asked(&self) -> Vec<u128> {
        self.asked.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Schedule for Listed {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let start = *self.start.get_or_insert(after);
        self.asked.lock().unwrap().push(after.duration_since(start).unwrap());
        let times = self.offsets.iter().map(|offset| start + Duration::from_millis(*offset));
        times.into_iter().find(|time| *time > after)
    }
}

/// Does what it is told
struct Asking<F>(F);

impl<F: FnMut(SystemTime) -> Option<SystemTime>> Schedule for Asking<F> {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (self.0)(after)
    }
}

#[test]
fn each_occurrence_is_called_once_and_the_callback_ends_with_its_schedule() {
    on_a_paused_clock(|timer| async move {
        let (calls, schedule) = (Calls::new(), Listed::new(&[10, 20, 35, 61_000, 200_000]));
        let callback = timer.call_on(schedule.clone(), calls.noting("call"));
        assert!(callback.is_running() && !callback.is_once() && !callback.is_finished());
        assert_eq!((callback.deadline(), timer.pending()), (Some(timer.now() + 10 * MS), 1));
        time::sleep(HOUR).await;
        // Tokio's own clock, which brings the driver, is a millisecond coarse.
        let right = [10, 20, 35, 61_000, 200_000_u128];
        let times = calls.times();
        assert_eq!(times.len(), right.len(), "{times:?}");
        for (time, right) in times.iter().zip(right) {
            assert!((right..=right + 1).contains(time), "{times:?}");
        }
        assert_eq!((callback.is_running(), callback.is_finished()), (false, true));
        assert_eq!((callback.deadline(), timer.pending()), (None, 0));
        assert_eq!(schedule.asked().len(), 6, "once for each, and once for the end");
        assert!(!callback.cancel() && !callback.start());
    });
}

/// Case C8: the wheel's ticks begin between the wall clock's milliseconds
#[tokio::test(start_paused = true)]
async fn each_occurrence_is_called_once_whatever_the_phase_of_the_wheel() {
    let noon = SystemTime::UNIX_EPOCH + 12 * HOUR;
    for tick in [100, 1000, 7000, 1_000_000].map(Duration::from_micros) {
        for phase in [0, 1, 3_700_000, 999_999, 500_000_000].map(Duration::from_nanos) {
            let wall = Wall::showing(noon - 2 * SECOND + phase);
            let timer = wall.give_to(Timer::builder().tick(tick)).build().unwrap();
            let daily = DailyAt::new(civil::time(12, 0, 0, 0), TimeZone::UTC, DaylightSaving::Skip);
            let (shown, seen) = (wall.clone(), Arc::new(Mutex::new(Vec::new())));
            let note = Arc::clone(&seen);
            let callback = timer.call_on(daily, move || note.lock().unwrap().push(shown.now()));
            for _day in 0..3 {
                time::sleep(10 * SECOND).await;
                jump((24 * HOUR).checked_sub(10 * SECOND).unwrap()).await;
            }
            assert!(callback.cancel());
            let seen = seen.lock().unwrap();
            assert_eq!(seen.len(), 3, "{tick:?} {phase:?}");
            for (day, at) in (0..).zip(&*seen) {
                let late = at.duration_since(noon + day * 24 * HOUR).expect("never early");
                assert!(late <= tick + 2 * MS, "{late:?} late with {tick:?} {phase:?}");
            }
        }
    }
}

#[test]
fn a_schedule_with_nothing_to_come_gives_a_callback_that_is_finished() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        for callback in [
            timer.call_on(Listed::new(&[]), calls.noting("call")),
            timer.try_call_on(Listed::new(&[]), calls.noting("call")).unwrap(),
        ] {
            assert_eq!((callback.is_running(), callback.is_finished()), (false, true));
            assert_eq!(
                (callback.deadline(), callback.stop(), callback.cancel()),
                (None, false, false)
            );
        }
        let stopped = timer.new_callback_on(Listed::new(&[]), calls.noting("call"));
        assert!(!stopped.start() && stopped.is_finished());
        time::sleep(HOUR).await;
        assert_eq!((calls.count(), timer.pending()), (0, 0));
    });
}

/// Several that have come count as one, and the phase of the schedule stays
#[test]
fn occurrences_that_were_jumped_over_are_called_once() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_on(Every::new(10 * MS).unwrap(), calls.noting("call"));
        jump(45 * MS).await;
        assert_eq!(calls.count(), 1);
        time::sleep(28 * MS).await;
        assert_eq!(calls.count(), 4, "{:?}", calls.times());
        assert!(calls.times()[1] - 50 <= 1 && calls.times()[3] - 70 <= 1, "{:?}", calls.times());
        assert!(callback.cancel());
    });
}

/// It is stopped and started like any other; what comes meanwhile is not made up for
#[test]
fn a_scheduled_callback_can_be_stopped_and_started() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.new_callback_on(Every::new(10 * MS).unwrap(), calls.noting("call"));
        assert!(!callback.is_running() && !callback.is_finished());
        jump(25 * MS).await;
        assert!(callback.start() && callback.start());
        assert_eq!(timer.pending(), 1);
        time::sleep(10 * MS).await;
        assert_eq!(calls.count(), 1);
        assert!((30..=31).contains(&calls.times()[0]), "{:?}", calls.times());
        assert!(callback.stop() && !callback.stop() && !callback.is_finished());
        jump(60 * MS).await;
        assert_eq!((calls.count(), timer.pending()), (1, 0));
        assert!(callback.start());
        time::sleep(7 * MS).await;
        assert_eq!(calls.count(), 2);
        assert!((100..=101).contains(&calls.times()[1]), "{:?}", calls.times());
        assert!(callback.cancel() && !callback.start());
    });
}

/// The schedule alone decides
#[test]
fn the_delay_of_a_scheduled_callback_cannot_be_set() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_on(Every::new(10 * MS).unwrap(), calls.noting("call"));
        let owned = Arc::new(());
        let next = {
            let owned = Arc::clone(&owned);
            move || {
                let _ = &owned;
                None
            }
        };
        let error: ScheduledCallback = callback.set_next(next).unwrap_err();
        assert!(error.to_string().contains("schedule"), "{error}");
        assert_eq!(Arc::strong_count(&owned), 1, "it is not kept");
        let deadline = callback.deadline();
        callback.clear_next();
        assert_eq!(callback.deadline(), deadline);
        time::sleep(15 * MS).await;
        assert_eq!(calls.count(), 1);
        callback.cancel();
        assert!(callback.set_next(|| None).is_err());
    });
}

/// Within its own call
#[test]
fn a_scheduled_callback_may_stop_start_and_cancel_itself() {
    let acts: [(fn(&Callback) -> bool, bool, (bool, bool)); 3] = [
        (Callback::start, true, (true, false)),
        (Callback::stop, false, (false, false)),
        (Callback::cancel, false, (false, true)),
    ];
    for (act, right, end) in acts {
        on_a_paused_clock(move |timer| async move {
            let (calls, itself) = (Calls::new(), Itself::new());
            let (noted, own) = (calls.clone(), itself.clone());
            let callback = timer.call_on(Every::new(10 * MS).unwrap(), move || {
                noted.note("call");
                assert_eq!(act(own.get()), right);
            });
            itself.is(&callback);
            time::sleep(35 * MS).await;
            assert_eq!((callback.is_running(), callback.is_finished()), end);
            assert_eq!(calls.count(), if end.0 { 3 } else { 1 });
            assert_eq!(timer.metrics().callback_panics, 0);
        });
    }
}

/// An answer out of order, or a panic, ends that callback after the occurrence before, and no other
#[test]
fn a_schedule_that_fails_ends_its_callback() {
    let faults: [fn(SystemTime) -> Option<SystemTime>; 3] =
        [|_| panic!("on purpose"), Some, |after| Some(after - SECOND)];
    for fault in faults {
        on_a_paused_clock(move |timer| async move {
            let (calls, mut asked) = (Calls::new(), 0);
            let at_once = timer.call_on(Asking(fault), calls.noting("never"));
            assert!(at_once.is_finished() && !at_once.is_running());
            let schedule = Asking(move |after| {
                asked += 1;
                if asked < 3 { Some(after + 10 * MS) } else { fault(after) }
            });
            let callback = timer.call_on(schedule, calls.noting("call"));
            timer.call_later(30 * MS, calls.noting("other"));
            time::sleep(SECOND).await;
            assert_eq!(calls.names(), ["call", "call", "other"]);
            assert!(callback.is_finished() && !callback.start());
            assert_eq!(timer.pending(), 0);
        });
    }
}

/// Contract 8: a schedule may use the timer, and its own callback
#[test]
fn a_schedule_may_use_the_timer_and_its_callback() {
    on_a_paused_clock(|timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (used, own) = (timer.clone(), itself.clone());
        let mut asked = 0;
        let schedule = Asking(move |after| {
            asked += 1;
            if asked > 1 {
                let own = own.get();
                let _ = (own.is_running(), own.is_finished(), own.deadline(), own.id());
                let _ = (own.set_next(|| None), format!("{own:?}"));
                assert!(used.call_later(HOUR, || ()).cancel());
            }
            if asked == 4 {
                assert!(!own.get().stop() || own.get().start());
            }
            (asked < 6).then(|| after + 10 * MS)
        });
        let callback = timer.call_on(schedule, calls.noting("call"));
        itself.is(&callback);
        time::sleep(SECOND).await;
        assert!(calls.count() >= 4, "{:?}", calls.times());
        assert_eq!((callback.is_running(), timer.pending()), (false, 0));
        assert_eq!(timer.metrics().callback_panics, 0);
    });
}

/// Occurrences that come faster than anybody can look at the clock do not hang who starts it (real)
#[test]
fn a_schedule_that_is_always_due_can_be_started_and_cancelled() {
    within(LIMIT, || {
        let runtime = current_thread();
        runtime.block_on(async {
            let timer = Timer::new();
            let calls = Calls::new();
            let always = || Every::new(Duration::from_nanos(1)).unwrap();
            let at_once = timer.call_on(always(), calls.noting("call"));
            let built = timer.new_callback_on(always(), calls.noting("call"));
            assert!(at_once.start() && built.start() && built.stop() && built.start());
            timer.sleep(20 * MS).await;
            assert!(calls.count() >= 2 && at_once.is_running() && built.is_running());
            // Whether it was due just then or not, it does not run again.
            at_once.cancel();
            built.cancel();
            let count = calls.count();
            timer.sleep(20 * MS).await;
            assert_eq!((calls.count(), timer.pending()), (count, 0));
        });
    });
}

/// What the machine's clock shows may jump: noticed within a minute, and never called twice
#[test]
fn a_wall_clock_that_is_set_is_noticed_within_a_minute() {
    on_a_paused_clock(|_| async move {
        let calls = Calls::new();
        let ahead = Arc::new(AtomicU64::new(0));
        let (start, set) = (time::Instant::now(), Arc::clone(&ahead));
        let builder = Timer::builder().shards(1).wall_clock(move || {
            let ahead = Duration::from_secs(set.load(Ordering::Relaxed));
            SystemTime::UNIX_EPOCH + start.elapsed() + ahead
        });
        let timer = builder.build().unwrap();
        let callback = timer.call_on(Every::new(HOUR).unwrap(), calls.noting("call"));
        time::sleep(10 * SECOND).await;
        ahead.store(3600, Ordering::Relaxed);
        time::sleep(60 * SECOND).await;
        assert_eq!(calls.count(), 1, "forward past it: at most a minute late");
        ahead.store(0, Ordering::Relaxed);
        time::sleep(HOUR).await;
        assert_eq!(calls.count(), 1, "back before it: not a second time");
        time::sleep(HOUR).await;
        assert_eq!(calls.count(), 2);
        assert!(callback.cancel());
    });
}

/// Contract 10: a look a minute, and the books balance with them
#[test]
fn a_scheduled_callback_looks_at_the_clock_once_a_minute() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_on(Every::new(10 * HOUR).unwrap(), calls.noting("call"));
        time::sleep(HOUR).await;
        let metrics = timer.metrics();
        assert_eq!((calls.count(), metrics.pending), (0, 1));
        assert!((55..=65).contains(&metrics.fired), "{metrics}");
        assert!(metrics.driver_wakeups <= 200, "{metrics}");
        assert!(callback.cancel());
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.pending), (metrics.fired + metrics.cancelled, 0));
    });
}
