//! Wall clocks that are set, machines that sleep, and clocks that a test moves

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use futures::{Stream, StreamExt};
use jiff::{Timestamp, civil::Time, tz::TimeZone};
use tickwheel::{Cron, DailyAt, DaylightSaving, Every, ScheduleStream, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND, YEAR},
    runtimes::settle,
    wall::Wall,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::{self, Instant},
};

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_forward_past_an_occurrence_fires_it_within_a_minute() {
    for set_after in [0, 1, 59, 61, 1000, 3599] {
        let wall = Wall::showing(START);
        let mut hourly = follow(wall.timer().schedule(Every::new(HOUR).unwrap()));
        time::sleep(set_after * SECOND).await;
        wall.set(START + HOUR);
        let set_at = Instant::now();
        let (occurrence, came_at) = hourly.recv().await.unwrap();
        assert_eq!(occurrence, START + HOUR);
        let late = came_at - set_at;
        assert!(late <= MINUTE + 2 * MS, "{late:?} late, when set after {set_after} s");
        let (occurrence, came_at) = hourly.recv().await.unwrap();
        assert_eq!(occurrence, START + 2 * HOUR, "it goes on as before");
        assert!(came_at - set_at >= HOUR && came_at - set_at <= HOUR + 2 * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_forward_before_an_occurrence_brings_it_nearer() {
    let wall = Wall::showing(START);
    let mut every = follow(wall.timer().schedule(Every::new(10 * MINUTE).unwrap()));
    settle().await;
    wall.set(START + 10 * MINUTE - 90 * SECOND);
    let set_at = Instant::now();
    let (occurrence, came_at) = every.recv().await.unwrap();
    assert_eq!((occurrence, came_at - set_at), (START + 10 * MINUTE, 90 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_forward_is_noticed_at_once_by_whoever_polls() {
    let wall = Wall::showing(START);
    let timer = wall.timer();
    let mut hourly = timer.schedule(Every::new(HOUR).unwrap());
    assert_eq!(poll(&mut hourly), Poll::Pending);
    wall.set_forward(HOUR);
    assert_eq!(poll(&mut hourly), Poll::Ready(Some(START + HOUR)));
    assert_eq!(timer.pending(), 0);
    // And what is left is waited for, not what was left when the wait began.
    assert_eq!(poll(&mut hourly), Poll::Pending);
    wall.set_forward(HOUR.saturating_sub(5 * SECOND));
    let set_at = Instant::now();
    assert_eq!(hourly.next().await, Some(START + 2 * HOUR));
    assert_eq!(set_at.elapsed(), 5 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_back_before_an_occurrence_fires_it_no_earlier_than_it_shows() {
    for back in [MS, SECOND, MINUTE, HOUR, 30 * HOUR] {
        let wall = Wall::showing(START + 2 * YEAR);
        let due = START + 2 * YEAR + 10 * SECOND;
        let mut every = wall.timer().schedule(Every::new(10 * SECOND).unwrap());
        assert_eq!(poll(&mut every), Poll::Pending);
        time::advance(9 * SECOND).await;
        wall.set_back(back);
        let set_at = Instant::now();
        assert_eq!(every.next().await, Some(due));
        assert!(due <= wall.now() && wall.now() <= due + 2 * MS, "set back by {back:?}");
        assert!(set_at.elapsed() >= back + SECOND);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_back_after_an_occurrence_does_not_repeat_it() {
    let wall = Wall::showing(START + YEAR);
    let mut hourly = wall.timer().schedule(Every::new(HOUR).unwrap());
    let first = hourly.next().await.unwrap();
    assert_eq!(first, START + YEAR + HOUR);
    for _ in 0..3 {
        wall.set_back(2 * MINUTE);
        time::advance(MINUTE).await;
        assert_eq!(poll(&mut hourly), Poll::Pending);
    }
    assert_eq!(hourly.next().await, Some(first + HOUR));
    assert!(first + HOUR <= wall.now());
}

#[tokio::test(start_paused = true)]
async fn a_daily_schedule_comes_once_a_date_however_its_clock_is_set() {
    let start: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
    let wall = Wall::showing(start.try_into().unwrap());
    let schedule = DailyAt::new(Time::midnight(), TimeZone::UTC, DaylightSaving::Compatible);
    let mut daily = wall.timer().schedule(schedule);
    let mut dates = Vec::new();
    for back in [SECOND, MINUTE, HOUR, 20 * HOUR] {
        let occurrence = Timestamp::try_from(daily.next().await.unwrap()).unwrap();
        dates.push(occurrence.to_string());
        wall.set_back(back);
    }
    let expected = ["02", "03", "04", "05"].map(|day| format!("2026-06-{day}T00:00:00Z"));
    assert_eq!(dates, expected);
}

/// Monotonic clocks stand while a machine sleeps, on Linux at least
#[tokio::test(start_paused = true)]
async fn a_machine_that_slept_fires_what_it_missed_once_within_a_minute_of_waking() {
    let wall = Wall::showing(START);
    let mut hourly = follow(wall.timer().schedule(Every::new(HOUR).unwrap()));
    time::sleep(30 * MINUTE).await;
    wall.set_forward(5 * HOUR);
    let woke = Instant::now();
    let (occurrence, came_at) = hourly.recv().await.unwrap();
    assert_eq!(occurrence, START + HOUR);
    assert!(came_at - woke <= MINUTE + 2 * MS);
    let (occurrence, came_at) = hourly.recv().await.unwrap();
    assert_eq!((occurrence, came_at - woke), (START + 6 * HOUR, HOUR / 2));
}

/// A clock that is being slewed: a minute of the timer is a little less on the wall
#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_goes_slower_is_waited_for() {
    let started = Instant::now();
    let slow = move || START + started.elapsed().mul_f64(0.999);
    let timer = Timer::builder().wall_clock(slow).build().unwrap();
    let mut every = timer.schedule(Every::new(10 * MINUTE).unwrap());
    for n in 1..4 {
        assert_eq!(every.next().await, Some(START + n * 10 * MINUTE));
        assert!(START + n * 10 * MINUTE <= slow());
    }
    assert!(timer.metrics().registered < 50, "{} waits", timer.metrics().registered);
}

#[tokio::test(start_paused = true)]
async fn the_wall_clock_follows_the_virtual_clock() {
    let timer = Timer::new();
    let before = SystemTime::now();
    let started = Instant::now();
    let mut hourly = timer.schedule(Cron::new("0 * * * *", TimeZone::UTC).unwrap());
    let first = hourly.next().await.unwrap();
    let until_first = started.elapsed();
    assert!(until_first <= HOUR + 2 * MS, "{until_first:?} to the full hour");
    // The machine's clock and the virtual one started within this test's first moments.
    assert!(first <= before + until_first + SECOND && before + until_first <= first + SECOND);
    for hours in 1..50 {
        assert_eq!(hourly.next().await, Some(first + hours * HOUR));
        let passed = started.elapsed().checked_sub(until_first).unwrap();
        assert!(passed + 2 * MS >= hours * HOUR && passed <= hours * HOUR + 2 * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn an_advance_past_an_occurrence_fires_it() {
    let timer = Timer::new();
    let mut daily = timer.schedule(Every::new(24 * HOUR).unwrap());
    let due = daily.upcoming().unwrap();
    assert_eq!(poll(&mut daily), Poll::Pending);
    time::advance((24 * HOUR).checked_sub(SECOND).unwrap()).await;
    assert_eq!(poll(&mut daily), Poll::Pending);
    time::advance(2 * SECOND).await;
    assert_eq!(poll(&mut daily), Poll::Ready(Some(due)));
    time::advance(10 * 24 * HOUR).await;
    assert_eq!(poll(&mut daily), Poll::Ready(Some(due + 24 * HOUR)));
    assert_eq!(daily.upcoming(), Some(due + 11 * 24 * HOUR));
}

/// As S20: tokio's clock stays ahead of the machine's, and so does the wall clock
#[tokio::test(start_paused = true)]
async fn a_clock_that_goes_again_after_an_advance_stays_ahead() {
    let timer = Timer::new();
    let before = SystemTime::now();
    time::advance(10 * HOUR).await;
    time::resume();
    let mut soon = timer.schedule(Every::new(20 * MS).unwrap());
    let first = soon.next().await.unwrap();
    assert!(first >= before + 10 * HOUR);
    // On a busy machine one may pass before it is asked for.
    let since = soon.next().await.unwrap().duration_since(first).unwrap();
    assert!(since >= 20 * MS && since.as_nanos().is_multiple_of((20 * MS).as_nanos()), "{since:?}");
}

#[test]
fn the_machines_wall_clock_is_what_counts_otherwise() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let timer = Timer::new();
        let before = SystemTime::now();
        let every = timer.schedule(Every::new(HOUR).unwrap());
        let after = SystemTime::now();
        let upcoming = every.upcoming().unwrap();
        assert!(before + HOUR <= upcoming && upcoming <= after + HOUR);
    });
}

/// A task that nothing but the stream wakes, and when it had what to say
fn follow(mut stream: ScheduleStream) -> UnboundedReceiver<(SystemTime, Instant)> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(occurrence) = stream.next().await {
            if sender.send((occurrence, Instant::now())).is_err() {
                break;
            }
        }
    });
    receiver
}

fn poll(stream: &mut ScheduleStream) -> Poll<Option<SystemTime>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

const MINUTE: Duration = Duration::from_mins(1);
const START: SystemTime = SystemTime::UNIX_EPOCH;
