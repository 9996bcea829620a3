use std::{fmt, mem};

use tokio::time::Instant;

use crate::callback::{CallbackId, Work, guarded};

/// What was armed when a timer was shut down
///
/// The tasks that waited in sleeps, timeouts and the like have been woken and have
/// learnt of it. Callbacks are given back: each may be [run](UnfiredCallback::run)
/// now, or dropped with what it owns.
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
/// timer.call_later(Duration::from_secs(60), || println!("written to disk"));
///
/// let unfired = timer.shutdown().await;
/// for callback in unfired.into_callbacks() {
///     // Rather now than never.
///     callback.run();
/// }
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use = "callbacks are dropped with it"]
pub struct Unfired {
    pub(crate) sleeps: usize,
    pub(crate) callbacks: Vec<UnfiredCallback>,
}

impl Unfired {
    /// How many futures waited: sleeps, timeouts, intervals, delay queues, schedules
    pub fn sleeps(&self) -> usize {
        self.sleeps
    }

    /// When each callback was due, the earliest first
    pub fn callbacks(&self) -> impl ExactSizeIterator<Item = Instant> {
        self.callbacks.iter().map(UnfiredCallback::deadline)
    }

    /// The callbacks, the earliest first
    pub fn into_callbacks(mut self) -> impl ExactSizeIterator<Item = UnfiredCallback> {
        mem::take(&mut self.callbacks).into_iter()
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.callbacks.sort_by_key(UnfiredCallback::deadline);
        self
    }
}

/// A callback that was armed when its timer was shut down
#[must_use = "it does not run unless it is told to"]
pub struct UnfiredCallback {
    id: CallbackId,
    deadline: Instant,
    /// There until it has been run or dropped
    work: Option<Work>,
}

impl UnfiredCallback {
    pub(crate) fn new(id: CallbackId, deadline: Instant, work: Work) -> Self {
        Self { id, deadline, work: Some(work) }
    }

    /// The name it had
    pub fn id(&self) -> CallbackId {
        self.id
    }

    /// When it was due
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Calls it now, here, once
    ///
    /// A panic of the callback goes on to the caller.
    pub fn run(mut self) {
        if let Some(work) = &mut self.work {
            work.run();
        }
    }
}

impl Drop for UnfiredCallback {
    fn drop(&mut self) {
        let work = self.work.take();
        // A value's drop is user code, and those after it are to be dropped as well.
        let _ = guarded(|| drop(work));
    }
}

impl fmt::Debug for UnfiredCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnfiredCallback")
            .field("id", &self.id)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
