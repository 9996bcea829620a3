use std::{ops::RangeInclusive, time::Duration};

use arbitrary::{Result, Unstructured};
use tickwheel::{BuildError, Builder, Timer};
use tokio::runtime;

use crate::{durations::HOUR, runtimes::multi_thread};

/// A timer of any settings, or what is wrong with them
///
/// # Panics
///
/// When settings in their ranges are refused or others are not, and when a timer does
/// not do what it is for.
pub fn builder(bytes: &[u8]) {
    let Ok((place, settings)) = read(&mut Unstructured::new(bytes)) else { return };
    let runtime = match place {
        Place::Nowhere => {
            assert_eq!(settings.builder().build().unwrap_err(), BuildError::OutsideRuntime);
            return;
        }
        Place::PausedTime => {
            runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
        }
        Place::Threads => multi_thread(1),
    };
    match settings.builder().build_on(runtime.handle()) {
        Ok(timer) => {
            assert!(settings.are_in_range());
            // It goes by the machine's clock otherwise, and may be asked for an hour's tick.
            if place == Place::PausedTime && settings.virtual_clock {
                runtime.block_on(sleep(&timer));
            }
            runtime.block_on(fill_and_shut_down(&timer, settings.max_pending));
        }
        Err(error) => {
            assert!(!settings.are_in_range());
            assert!(matches!(error, BuildError::OutOfRange { .. }), "{error}");
        }
    }
}

async fn sleep(timer: &Timer) {
    let start = timer.now();
    timer.sleep(HOUR).await;
    assert!(timer.now() - start >= HOUR);
}

async fn fill_and_shut_down(timer: &Timer, room: usize) {
    let armed: Vec<_> = (0..SEVERAL).map(|_| timer.try_call_later(HOUR, || ()).is_ok()).collect();
    let pending = room.min(SEVERAL);
    assert!(armed.iter().enumerate().all(|(number, &is_armed)| is_armed == (number < pending)));
    assert_eq!((timer.pending(), timer.inspect().pending()), (pending, pending));
    let unfired = timer.shutdown().await;
    assert_eq!(unfired.callbacks().len(), pending);
    let metrics = timer.metrics();
    assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
    assert_eq!(metrics.pending, 0);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    PausedTime,
    Threads,
}

struct Settings {
    tick: Duration,
    capacity: usize,
    shards: usize,
    max_pending: usize,
    turn_timers: usize,
    turn_time: Duration,
    slack: Duration,
    lazy_timeouts: bool,
    virtual_clock: bool,
    name: String,
}

impl Settings {
    fn builder(&self) -> Builder {
        Timer::builder()
            .tick(self.tick)
            .capacity(self.capacity)
            .shards(self.shards)
            .max_pending(self.max_pending)
            .turn_timers(self.turn_timers)
            .turn_time(self.turn_time)
            .slack(self.slack)
            .lazy_timeouts(self.lazy_timeouts)
            .virtual_clock(self.virtual_clock)
            .name(&self.name)
    }

    fn are_in_range(&self) -> bool {
        TICKS.contains(&self.tick)
            && self.capacity <= 1 << 30
            && (1..=1024).contains(&self.shards)
            && self.max_pending > 0
            && self.turn_timers > 0
            && !self.turn_time.is_zero()
    }
}

fn read(bytes: &mut Unstructured<'_>) -> Result<(Place, Settings)> {
    let place = *bytes.choose(&[Place::PausedTime, Place::Threads, Place::Nowhere])?;
    let settings = Settings {
        tick: length(bytes, TICKS)?,
        // What is in range beyond this is more memory than there is.
        capacity: number(bytes, 0..=1 << 12, (1 << 30) + 1..=usize::MAX)?,
        shards: number(bytes, 1..=1024, 0..=usize::MAX)?,
        max_pending: number(bytes, 1..=2 * SEVERAL, 0..=usize::MAX)?,
        turn_timers: number(bytes, 1..=1000, 0..=usize::MAX)?,
        turn_time: length(bytes, SOME_TIME)?,
        slack: length(bytes, SOME_TIME)?,
        lazy_timeouts: bytes.arbitrary()?,
        virtual_clock: bytes.arbitrary()?,
        name: bytes.arbitrary()?,
    };
    Ok((place, settings))
}

/// Mostly one of the usual
fn number(
    bytes: &mut Unstructured<'_>,
    usual: RangeInclusive<usize>,
    other: RangeInclusive<usize>,
) -> Result<usize> {
    let is_usual = bytes.ratio(15, 16)?;
    bytes.int_in_range(if is_usual { usual } else { other })
}

fn length(bytes: &mut Unstructured<'_>, usual: RangeInclusive<Duration>) -> Result<Duration> {
    if bytes.ratio(1, 16)? {
        return bytes.arbitrary();
    }
    let [first, last] = [usual.start(), usual.end()].map(Duration::as_nanos);
    let nanos = bytes.int_in_range(first..=last)?;
    Ok(Duration::from_nanos(u64::try_from(nanos).expect("an hour is not that long")))
}

const TICKS: RangeInclusive<Duration> = Duration::from_micros(10)..=HOUR;
const SOME_TIME: RangeInclusive<Duration> = Duration::from_nanos(1)..=HOUR;
const SEVERAL: usize = 8;
