use std::{
    future::poll_fn,
    panic::Location,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::{FusedStream, Stream};
use tokio::time::Instant;

use crate::{
    ambient::Binding, clock::ambient_now, missed_tick::MissedTickBehavior, rhythm::Rhythm,
};

/// Ticks at this period, the first at once
///
/// # Panics
///
/// When `period` is zero. See the [module](super) for what a poll panics at.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{self, Duration, Instant};
///
/// let started = Instant::now();
/// let mut interval = time::interval(Duration::from_millis(10));
/// interval.tick().await; // at once
/// interval.tick().await;
/// interval.tick().await;
/// assert!(started.elapsed() >= Duration::from_millis(20));
/// # }
/// ```
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    interval_at(ambient_now(), period)
}

/// Ticks at this period, the first at `start`
///
/// # Panics
///
/// When `period` is zero. See the [module](super) for what a poll panics at.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{Duration, Instant, interval_at};
///
/// let start = Instant::now() + Duration::from_millis(50);
/// let mut interval = interval_at(start, Duration::from_millis(10));
/// assert_eq!(interval.tick().await, start);
/// # }
/// ```
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    match Rhythm::new(period) {
        Ok(rhythm) => Interval { binding: Binding::at(start, Location::caller()), rhythm },
        Err(error) => panic!("{error}"),
    }
}

/// Ticks at a fixed period, by the timer of the runtime that polls it first
///
/// Made by [`interval`] and [`interval_at`]. Unlike tokio's it is a [`Stream`] of the
/// scheduled instants as well. Ticks that nobody fetched in time are up to the
/// [`MissedTickBehavior`].
///
/// # Panics
///
/// When it is polled, see the [module](super).
#[derive(Debug)]
pub struct Interval {
    binding: Binding,
    rhythm: Rhythm,
}

impl Interval {
    /// The next tick: the instant it was scheduled for
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, it loses nothing: the tick is still to come.
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// [`tick`](Self::tick) for use in a hand-written future
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        self.rhythm.poll_tick(self.binding.bind("Interval"), cx)
    }

    /// Begins the schedule anew: the next tick comes one period from now
    pub fn reset(&mut self) {
        self.reset_after(self.rhythm.period());
    }

    /// Begins the schedule anew with a tick at once
    pub fn reset_immediately(&mut self) {
        self.reset_after(Duration::ZERO);
    }

    /// Begins the schedule anew with a tick so much later than now
    pub fn reset_after(&mut self, after: Duration) {
        self.binding.reset_after(after);
    }

    /// Begins the schedule anew with a tick at `deadline`
    pub fn reset_at(&mut self, deadline: Instant) {
        self.binding.reset(deadline);
    }

    /// What happens after ticks that nobody fetched in time
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.rhythm.missed_tick_behavior
    }

    /// Sets what happens after ticks that nobody fetched in time
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.rhythm.missed_tick_behavior = behavior;
    }

    /// The time between two ticks
    pub fn period(&self) -> Duration {
        self.rhythm.period()
    }
}

impl Stream for Interval {
    type Item = Instant;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Instant>> {
        self.poll_tick(cx).map(Some)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}

impl FusedStream for Interval {
    fn is_terminated(&self) -> bool {
        false
    }
}
