use std::{
    fmt,
    future::poll_fn,
    panic::Location,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::{FusedStream, Stream};
use tokio::time::Instant;

use crate::{
    clock::saturating_add, error::ZeroPeriod, missed_tick::MissedTickBehavior,
    registration::Registration, rhythm::Rhythm, shard::Shard,
};

/// Ticks at a fixed period
///
/// Made by [`Timer::interval`](crate::Timer::interval), whose first tick comes at
/// once, and [`Timer::interval_at`](crate::Timer::interval_at). Also a [`Stream`]
/// of the scheduled instants, which never ends.
///
/// It keeps its phase: a tick fetched a little late does not delay the ones
/// after it. What happens to ticks that were missed is up to the
/// [`MissedTickBehavior`]. Between a tick that was fetched and the next poll
/// nothing is armed, so an interval that nobody polls wakes nobody.
///
/// # Panics
///
/// Polling panics once the timer was shut down or its runtime is gone, unless the
/// tick was due by then.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// let mut heartbeat = timer.interval(Duration::from_secs(10));
/// let first = heartbeat.tick().await;
/// let second = heartbeat.tick().await;
/// assert_eq!(second - first, Duration::from_secs(10));
/// # }
/// ```
pub struct Interval {
    registration: Registration,
    rhythm: Rhythm,
}

impl Interval {
    pub(crate) fn new(
        shard: &Arc<Shard>,
        start: Instant,
        period: Duration,
        made_at: &'static Location<'static>,
    ) -> Result<Self, ZeroPeriod> {
        let rhythm = Rhythm::new(period)?;
        let registration = Registration::at(shard, start, made_at).shown_as("Interval");
        Ok(Self { registration, rhythm })
    }

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
        self.rhythm.poll_tick(&mut self.registration, cx)
    }

    /// The time between two ticks
    pub fn period(&self) -> Duration {
        self.rhythm.period()
    }

    /// Changes the time between two ticks, from the next tick on
    ///
    /// The next tick itself stays where it is; [`reset`](Self::reset) moves it.
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    #[track_caller]
    pub fn set_period(&mut self, period: Duration) {
        if let Err(error) = self.rhythm.set_period(period) {
            panic!("{error}");
        }
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
        self.reset_at(saturating_add(self.registration.now(), after));
    }

    /// Begins the schedule anew with a tick at `deadline`
    pub fn reset_at(&mut self, deadline: Instant) {
        self.registration.reset(deadline);
    }

    /// What happens after ticks that nobody fetched in time
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.rhythm.missed_tick_behavior
    }

    /// Sets what happens after ticks that nobody fetched in time
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.rhythm.missed_tick_behavior = behavior;
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

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interval")
            .field("next", &self.registration.deadline())
            .field("period", &self.rhythm.period())
            .field("missed_tick_behavior", &self.rhythm.missed_tick_behavior)
            .finish_non_exhaustive()
    }
}
