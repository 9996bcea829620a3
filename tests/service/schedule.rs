//! Streams of occurrences: each one once, never early, and nothing armed for nothing

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use futures::{Stream, StreamExt, stream::FusedStream};
use jiff::{civil::time, tz::TimeZone};
use tickwheel::{Cron, DailyAt, DaylightSaving, Every, Schedule, ScheduleStream, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND, YEAR},
    panics::panic_of,
    runtimes::{multi_thread, settle, within},
    waker::CountingWaker,
    wall::Wall,
};
use tokio::time;

/// Case C8: the wheel's ticks begin between the wall clock's milliseconds
#[tokio::test(start_paused = true)]
async fn each_occurrence_comes_once_whatever_the_phase_of_the_wheel() {
    let noon = SystemTime::UNIX_EPOCH + 12 * HOUR;
    let ticks = [100, 1000, 7000, 1_000_000].map(Duration::from_micros);
    let phases = [0, 1, 3_700_000, 3_700_001, 999_999, 500_000_000].map(Duration::from_nanos);
    for tick in ticks {
        for phase in phases {
            let wall = Wall::showing(noon - 2 * SECOND + phase);
            let timer = wall.give_to(Timer::builder().tick(tick)).build().unwrap();
            let daily = DailyAt::new(time(12, 0, 0, 0), TimeZone::UTC, DaylightSaving::Compatible);
            let mut daily = timer.schedule(daily);
            for day in 0..4 {
                let occurrence = daily.next().await.unwrap();
                assert_eq!(occurrence, noon + day * 24 * HOUR, "{tick:?} {phase:?}");
                let late = wall.now().duration_since(occurrence).expect("never early");
                assert!(late <= tick + 2 * MS, "{late:?} late with {tick:?} {phase:?}");
                // Not minute by minute.
                time::advance((24 * HOUR).checked_sub(5 * SECOND).unwrap()).await;
            }
        }
    }
}

/// Case C8, with the driver of a multi-thread runtime and the machine's clocks
#[test]
fn each_second_of_the_machine_comes_once() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let seconds = within(30 * SECOND, move || {
        let mut cron = timer.schedule(Cron::new("* * * * * *", TimeZone::UTC).unwrap());
        runtime.block_on(async {
            let mut seconds = Vec::new();
            for _ in 0..3 {
                let occurrence = cron.next().await.unwrap();
                assert!(occurrence <= SystemTime::now(), "never early");
                seconds.push(occurrence);
            }
            seconds
        })
    });
    for second in &seconds {
        let since = second.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(since.subsec_nanos(), 0);
    }
    // On a busy machine one may be missed, but none comes twice.
    assert!(seconds.is_sorted_by(|earlier, later| earlier < later), "{seconds:?}");
}

#[tokio::test(start_paused = true)]
async fn the_first_occurrence_is_the_first_after_the_stream_was_made() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let mut every = timer.schedule(Every::new(10 * SECOND).unwrap());
    assert_eq!(every.upcoming(), Some(SystemTime::UNIX_EPOCH + 10 * SECOND));
    assert_eq!(timer.metrics().registered, 0, "nothing is armed before the first poll");
    time::advance(15 * SECOND).await;
    assert_eq!(every.next().await, Some(SystemTime::UNIX_EPOCH + 10 * SECOND));
    assert_eq!(every.next().await, Some(SystemTime::UNIX_EPOCH + 20 * SECOND));
    assert_eq!(wall.now(), SystemTime::UNIX_EPOCH + 20 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn what_was_missed_counts_once() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let mut every = timer.schedule(Every::new(10 * SECOND).unwrap());
    let mut seen = Vec::new();
    for _ in 0..3 {
        let occurrence = every.next().await.unwrap();
        let since =
            |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        seen.push((since(occurrence), since(wall.now())));
        if seen.len() == 1 {
            time::advance(35 * SECOND).await;
        }
    }
    assert_eq!(seen, [(10, 10), (20, 45), (50, 50)]);
}

#[tokio::test(start_paused = true)]
async fn a_schedule_without_occurrences_ends_the_stream_and_arms_nothing() {
    let timer = Timer::new();
    let impossible = Cron::new("0 0 30 2 *", TimeZone::UTC).unwrap();
    let endless = Every::new(Duration::MAX).unwrap();
    for mut stream in [timer.schedule(impossible), timer.schedule(endless)] {
        assert!(stream.is_terminated());
        assert_eq!(stream.upcoming(), None);
        assert_eq!(stream.size_hint(), (0, Some(0)));
        for _ in 0..3 {
            assert_eq!(stream.next().await, None);
        }
    }
    assert_eq!(timer.metrics().registered, 0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_after_its_last_occurrence() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let last = SystemTime::UNIX_EPOCH + 90 * SECOND;
    let mut stream = timer.schedule(Until { every: Every::new(30 * SECOND).unwrap(), last });
    assert_eq!(stream.size_hint(), (1, None));
    let seen: Vec<_> = stream.by_ref().collect().await;
    assert_eq!(seen, [1, 2, 3].map(|n| SystemTime::UNIX_EPOCH + n * 30 * SECOND));
    assert!(stream.is_terminated());
    assert_eq!(stream.next().await, None);
    assert_eq!(timer.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_armed_between_an_item_and_the_next_poll() {
    let timer = Timer::new();
    let mut every = timer.schedule(Every::new(10 * SECOND).unwrap());
    assert!(every.next().await.is_some());
    assert_eq!(timer.pending(), 0);
    assert_eq!(poll(&mut every, Waker::noop()), Poll::Pending);
    assert_eq!(timer.pending(), 1);
    drop(every);
    assert_eq!(timer.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_next_that_is_dropped_loses_nothing() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let mut every = timer.schedule(Every::new(10 * SECOND).unwrap());
    for _ in 0..9 {
        assert!(timer.timeout(SECOND, every.next()).await.is_err());
    }
    assert_eq!(every.next().await, Some(SystemTime::UNIX_EPOCH + 10 * SECOND));
    assert_eq!(wall.now(), SystemTime::UNIX_EPOCH + 10 * SECOND);
}

/// Contract 10, with the bound of issue 2: the wall clock is read once a minute
#[tokio::test(start_paused = true)]
async fn a_far_occurrence_wakes_its_task_once_a_minute() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let mut yearly = timer.schedule(Every::new(YEAR).unwrap());
    let mut polls = 0;
    let counter = CountingWaker::new();
    for second in 0..600 {
        if counter.wakes() == polls {
            assert_eq!(poll(&mut yearly, &counter.waker()), Poll::Pending);
            polls += 1;
        }
        assert_eq!(timer.pending(), 1, "after {second} s");
        time::advance(SECOND).await;
        settle().await;
        assert!(counter.wakes() <= polls);
    }
    assert!((9..=10).contains(&counter.wakes()), "woken {} times in ten minutes", counter.wakes());
}

/// A poll for another reason neither arms anew nor waits for longer
#[tokio::test(start_paused = true)]
async fn a_poll_in_between_leaves_what_is_armed() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let timer = wall.timer();
    let mut hourly = timer.schedule(Every::new(HOUR).unwrap());
    for _ in 0..50 {
        assert_eq!(poll(&mut hourly, Waker::noop()), Poll::Pending);
        time::advance(SECOND).await;
    }
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.reset), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_occurrence_a_year_away_comes_when_it_is_due() {
    let wall = Wall::showing(SystemTime::UNIX_EPOCH);
    let mut yearly = wall.timer().schedule(Every::new(YEAR).unwrap());
    assert_eq!(poll(&mut yearly, Waker::noop()), Poll::Pending);
    time::advance(YEAR.checked_sub(90 * SECOND).unwrap()).await;
    assert_eq!(yearly.next().await, Some(SystemTime::UNIX_EPOCH + YEAR));
    assert_eq!(wall.now(), SystemTime::UNIX_EPOCH + YEAR);
}

/// As T2 for timeouts: an occurrence at each poll must not keep other tasks out
#[test]
fn a_schedule_that_is_always_due_lets_others_run() {
    within(60 * SECOND, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let timer = Timer::new();
            let mut always = timer.schedule(Every::new(Duration::from_nanos(1)).unwrap());
            let forever = async { while always.next().await.is_some() {} };
            assert!(timer.timeout(20 * MS, forever).await.is_err());
        });
    });
}

/// A wall clock that stands still just before an occurrence is not asked without end
#[test]
fn a_wall_clock_that_stands_still_hangs_nobody() {
    within(60 * SECOND, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let still = SystemTime::UNIX_EPOCH + Duration::from_nanos(1);
            let timer = Timer::builder().wall_clock(move || still).build().unwrap();
            let mut stream = timer.schedule(Until {
                every: Every::new(Duration::from_nanos(1)).unwrap(),
                last: still + SECOND,
            });
            assert!(timer.timeout(20 * MS, stream.next()).await.is_err());
        });
    });
}

#[test]
fn a_stream_reports_that_its_runtime_is_gone_with_the_line_that_made_it() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let line = line!() + 1;
    let mut hourly = timer.schedule(Every::new(HOUR).unwrap());
    assert_eq!(poll(&mut hourly, Waker::noop()), Poll::Pending);
    drop(runtime);
    let message = panic_of(|| poll(&mut hourly, Waker::noop())).message;
    assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");
}

#[tokio::test(start_paused = true)]
async fn boxed_schedules_of_several_kinds_go_the_same_way() {
    let timer = Timer::new();
    let schedules: [Box<dyn Schedule + Send>; 2] = [
        Box::new(Every::new(SECOND).unwrap()),
        Box::new(Cron::new("* * * * * *", TimeZone::UTC).unwrap()),
    ];
    for schedule in schedules {
        let mut stream = timer.schedule(schedule);
        let first = stream.next().await.unwrap();
        assert_eq!(stream.next().await, Some(first + SECOND));
        assert!(format!("{stream:?}").starts_with("ScheduleStream { upcoming: Some("));
    }
}

const _: () = {
    const fn check<T: Send + Unpin + FusedStream + std::fmt::Debug + 'static>() {}
    check::<ScheduleStream>();
};

/// One that ends
struct Until {
    every: Every,
    last: SystemTime,
}

impl Schedule for Until {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        self.every.next_after(after).filter(|at| *at <= self.last)
    }
}

fn poll(stream: &mut ScheduleStream, waker: &Waker) -> Poll<Option<SystemTime>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(waker))
}
