use std::{fmt, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{CallbackId, Task};
use crate::{error::ScheduledCallback, missed_tick::MissedTickBehavior};

/// A callback: a function that the timer calls when its time comes
///
/// Made by [`Timer::call_later`](crate::Timer::call_later),
/// [`call_every`](crate::Timer::call_every) and their like. This is a handle:
/// all clones are the same callback, and dropping them cancels nothing.
///
/// Callbacks run one after the other on the driver's task, outside every lock. So
/// they must be short: one that blocks holds up every timer of its
/// [`Timer`](crate::Timer). A call that takes ten milliseconds or more is
/// [counted](crate::Metrics::slow_callbacks), and the feature `tracing` warns of it, once
/// for each callback. For longer work, spawn a task. A panic is caught and
/// ends only the callback that panicked. What a callback owns is dropped as soon as
/// it can never run again; one that owns a handle of its own can be started as long as it
/// is not cancelled, so it keeps itself until then.
///
/// Every method may be called from anywhere, the callback itself included.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
/// use tokio::sync::mpsc;
///
/// let timer = Timer::new();
/// let (sender, mut receiver) = mpsc::unbounded_channel();
///
/// let second = Duration::from_secs(1);
/// let beat = timer.call_every(second, move || sender.send("beat").unwrap());
/// let never = timer.call_later(5 * second, || unreachable!("it was cancelled"));
///
/// assert_eq!(receiver.recv().await, Some("beat"));
/// assert!(never.cancel());
/// assert!(beat.cancel());
/// assert_eq!(receiver.recv().await, None, "the sender went with the callback");
/// # }
/// ```
#[derive(Clone)]
pub struct Callback {
    task: Arc<Task>,
}

impl Callback {
    pub(crate) fn new(task: Arc<Task>) -> Self {
        Self { task }
    }

    /// Keeps it from ever running again
    ///
    /// True: it was to run, has not begun, and never will. False: it had been called
    /// to its end, was cancelled before, or a call is running now. A call that is
    /// running is not interrupted, but even a repeating callback does not run again.
    pub fn cancel(&self) -> bool {
        self.task.cancel()
    }

    /// Keeps it from running until it is started again
    ///
    /// True: it was to run, has not begun, and will not unless
    /// [`start`](Self::start)ed. False: there was nothing to stop, or a call is running
    /// now; that call is not interrupted, but a repeating callback does not run again.
    pub fn stop(&self) -> bool {
        self.task.stop()
    }

    /// Arms it anew, from now on: for one firing, not for two
    ///
    /// Whether it is running, stopped or was called to its end; it keeps its kind and
    /// its id. Called from within its own call it takes effect when the call returns.
    /// False after [`cancel`](Self::cancel), for a function that can be called only
    /// once and was, and once the timer was shut down. (True where a function given to
    /// [`set_next`](Self::set_next) ends it at once: it can be started later.)
    pub fn start(&self) -> bool {
        self.task.start()
    }

    /// Whether it is armed, or being called
    pub fn is_running(&self) -> bool {
        self.task.is_running()
    }

    /// Whether it is called once for each start, rather than again and again
    pub fn is_once(&self) -> bool {
        self.task.is_once()
    }

    /// Whether it came to its end: it will not run unless it is started, if it can be
    ///
    /// A callback that was only [`stop`](Self::stop)ped is not finished.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Its name, for [`Timer::cancel`](crate::Timer::cancel)
    pub fn id(&self) -> CallbackId {
        self.task.id()
    }

    /// When it is due, while it is armed
    ///
    /// Of one that follows a schedule: when it would be if nobody set the wall clock.
    pub fn deadline(&self) -> Option<Instant> {
        self.task.deadline()
    }

    /// Lets a function decide each following delay
    ///
    /// Of a repeating callback: it is asked at once and the armed firing moves to that
    /// delay from now, then after each call; the time between two calls counts from
    /// the end of a call, and no phase is kept. Of a one-shot: it is asked at the next
    /// [`start`](Self::start), and the armed firing stays. `None` or zero ends the
    /// callback; a panic does, too.
    ///
    /// # Errors
    ///
    /// [`ScheduledCallback`] when a schedule decides.
    pub fn set_next(
        &self,
        next: impl FnMut() -> Option<Duration> + Send + 'static,
    ) -> Result<(), ScheduledCallback> {
        if self.task.is_scheduled() {
            return Err(ScheduledCallback);
        }
        self.task.set_next(Some(Box::new(next)));
        Ok(())
    }

    /// Returns to the original delay or period
    ///
    /// Of a repeating callback the armed firing moves to one period from now. A
    /// callback that follows a schedule has nothing to return from.
    pub fn clear_next(&self) {
        if !self.task.is_scheduled() {
            self.task.set_next(None);
        }
    }

    /// What a repeating callback does after calls that came too late, `Burst` unless set
    ///
    /// As [`Interval`](crate::Interval) does after ticks that nobody fetched in time.
    pub fn set_missed_tick_behavior(&self, behavior: MissedTickBehavior) {
        self.task.set_missed_tick_behavior(behavior);
    }

    /// A guard that cancels it when dropped
    pub fn cancel_on_drop(self) -> CallbackGuard {
        CallbackGuard { callback: self }
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback")
            .field("id", &self.id())
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

/// Cancels a callback when dropped
///
/// Made by [`Callback::cancel_on_drop`].
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
/// let minute = Duration::from_secs(60);
/// let guard = timer.call_later(minute, || unreachable!("it goes with its guard")).cancel_on_drop();
/// drop(guard);
/// timer.sleep(2 * minute).await;
/// assert_eq!(timer.metrics().cancelled, 1);
/// # }
/// ```
#[derive(Debug)]
#[must_use = "dropping it cancels the callback"]
pub struct CallbackGuard {
    callback: Callback,
}

impl CallbackGuard {
    /// The callback
    pub fn callback(&self) -> &Callback {
        &self.callback
    }
}

impl Drop for CallbackGuard {
    fn drop(&mut self) {
        self.callback.cancel();
    }
}
