//! What is shown of things with `{:?}`, where it is not all of them

use std::{fmt::Debug, time::Duration};

use futures::{Stream, StreamExt, stream};
use jiff::tz::TimeZone;
use tickwheel::{Builder, Cron, TimeoutError, Timer, TimerStreamExt, io::Deadlines};
use tickwheel_core::{Tick, UnknownTimer, Wheel};
use tickwheel_tests::durations::{HOUR, SECOND};
use tokio::io::empty;

#[track_caller]
fn assert_shows(thing: &dyn Debug, parts: &[&str]) {
    let shown = format!("{thing:?}");
    for part in parts {
        assert!(shown.contains(part), "{shown} does not say {part}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_shows_what_it_waits_for() {
    let timer = Timer::new();
    assert_shows(&tickwheel::time::sleep(HOUR), &["Sleep", "deadline"]);
    let mut queue = timer.delay_queue();
    queue.insert(1, HOUR);
    assert_shows(&queue, &["DelayQueue", "len: 1"]);
    let deadlines = Deadlines::new(empty(), &timer).with_idle_timeout(SECOND);
    assert_shows(&deadlines, &["Deadlines", "read_timeout: None", "idle_timeout: Some(1s)"]);
    let chunks = stream::iter([1, 2]).chunks_timeout_on(&timer, 3, HOUR);
    assert_shows(&chunks, &["ChunksTimeout", "max_size: 3", "duration: 3600s", "held_back: 0"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_armed_at_a_shutdown_shows_which_it_was_and_when_due() {
    let timer = Timer::new();
    let callback = timer.call_later(HOUR, || ());
    let shutdown = timer.shutdown();
    assert_shows(&shutdown, &["Shutdown", "is_first: true"]);
    let unfired: Vec<_> = shutdown.await.into_callbacks().collect();
    assert_eq!(unfired[0].id(), callback.id());
    assert_shows(&unfired, &["UnfiredCallback", "deadline"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_shows_why() {
    let timer = Timer::new();
    let _ = timer.shutdown().await;
    let refused = timer.try_call_later(Duration::ZERO, || ()).unwrap_err();
    assert_shows(&refused, &["Refused", "ShutDown"]);
    let late = Timer::new().timeout(SECOND, std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(TimeoutError::Elapsed(late).to_string(), late.to_string());
}

#[test]
fn a_cron_line_shows_its_zone_and_a_builder_its_clock() {
    let cron = Cron::new("0 9 * * *", TimeZone::UTC).unwrap();
    assert_shows(&cron, &["0 9 * * *", "UTC"]);
    let builder: Builder = Timer::builder().wall_clock(|| std::time::SystemTime::UNIX_EPOCH);
    assert_shows(&builder, &["Replacement", "tv_sec: 0"]);
}

#[test]
fn a_wheel_begins_at_zero_and_says_what_a_stale_key_is() {
    let wheel = Wheel::<()>::default();
    assert_eq!((wheel.elapsed(), wheel.len()), (Tick::ZERO, 0));
    assert_eq!(UnknownTimer.to_string(), "no armed timer has this key");
    assert_eq!(format!("{:>4}", Tick::new(7)), "   7");
}

#[tokio::test(start_paused = true)]
async fn an_ambient_interval_is_a_stream_without_end() {
    let start = tokio::time::Instant::now();
    let interval = tickwheel::time::interval(SECOND);
    assert_eq!(interval.size_hint(), (usize::MAX, None));
    let ticks: Vec<_> = interval.take(3).collect().await;
    assert_eq!(ticks, [start, start + SECOND, start + 2 * SECOND]);
}
