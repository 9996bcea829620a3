use std::{
    fmt,
    panic::Location,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::SystemTime,
};

use futures_core::{FusedStream, Stream};
use tokio::task::coop;

use crate::{
    clock::saturating_add,
    limit::Admission,
    registration::Registration,
    schedule::{
        Schedule,
        planned::{Look, Planned},
    },
    shard::Shard,
};

/// The occurrences of a [`Schedule`], each when the wall clock comes to it
///
/// Made by [`Timer::schedule`](crate::Timer::schedule). An item is the moment it
/// was scheduled for; the stream ends with the schedule.
///
/// * **Never early, never twice.** An occurrence has come when the wall clock
///   shows it or more, and is not repeated when the clock is set back.
/// * **Late by a minute at the most when the clock is set forward** or the machine
///   was suspended: at every poll, and once a minute while an occurrence is pending,
///   the wall clock is read again.
/// * **What was missed counts once.** When several occurrences have come since the
///   stream was last polled, it gives the first of them, late, and goes on with
///   the next in the future.
/// * **Faults end it.** When [`Schedule::next_after`] panics, or answers with
///   something that is not later than what it was asked, the stream ends after the
///   occurrence before; the feature `tracing` reports it as an error.
///
/// Between an item and the next poll nothing is armed, so a stream that nobody
/// polls wakes nobody. Where a test pauses or advances tokio's clock, the wall
/// clock goes along, from what it showed when the timer was built; the feature
/// `test-util` replaces it altogether.
///
/// # Cancel safety
///
/// A `next()` that is dropped before it is ready loses nothing. Dropping the
/// stream cancels it, completely and at once.
///
/// # Panics
///
/// Polling panics once the timer was shut down or its runtime is gone, unless an
/// occurrence had come by then.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use futures::StreamExt;
/// use tickwheel::{Every, Timer};
///
/// let timer = Timer::new();
/// let mut hourly = timer.schedule(Every::new(Duration::from_secs(3600)).unwrap());
/// let first = hourly.next().await.unwrap();
/// let second = hourly.next().await.unwrap();
/// assert_eq!(second.duration_since(first).unwrap(), Duration::from_secs(3600));
/// # }
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct ScheduleStream {
    planned: Planned<Box<dyn Schedule + Send>>,
    /// When to look at the wall clock again; disarmed between two waits
    look_again: Registration,
    shard: Arc<Shard>,
}

impl ScheduleStream {
    pub(crate) fn new(
        shard: &Arc<Shard>,
        schedule: Box<dyn Schedule + Send>,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self {
            planned: Planned::new(schedule, shard.service.wall_clock.now(), made_at),
            look_again: Registration::never(shard, made_at),
            shard: Arc::clone(shard),
        }
    }

    /// The occurrence it waits for; `None` when there are no more
    ///
    /// Not later than the wall clock when it has come and was not fetched yet.
    pub fn upcoming(&self) -> Option<SystemTime> {
        self.planned.at()
    }
}

impl Stream for ScheduleStream {
    type Item = SystemTime;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SystemTime>> {
        let coop = ready!(coop::poll_proceed(cx));
        let stream = &mut *self;
        loop {
            // The wall clock first: what passes between the two readings must not pass as waiting.
            let look = stream.planned.look(stream.shard.service.wall_clock.now());
            let rest = match look {
                Look::Wait(rest) => rest,
                Look::Due(_) | Look::Ended => {
                    stream.look_again.disarm();
                    coop.made_progress();
                    return Poll::Ready(if let Look::Due(at) = look { Some(at) } else { None });
                }
            };
            let latest = saturating_add(stream.look_again.now(), rest);
            if stream.look_again.is_settled() || latest < stream.look_again.deadline() {
                stream.look_again.reset(latest);
            }
            if let Err(error) = ready!(stream.look_again.poll_unconstrained(Admission::Always, cx))
            {
                stream.look_again.fail(error);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self.upcoming() {
            Some(_) => (1, None),
            None => (0, Some(0)),
        }
    }
}

impl FusedStream for ScheduleStream {
    fn is_terminated(&self) -> bool {
        self.upcoming().is_none()
    }
}

impl fmt::Debug for ScheduleStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleStream").field("upcoming", &self.upcoming()).finish_non_exhaustive()
    }
}
