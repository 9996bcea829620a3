use std::{fmt, mem};

use tokio::time::Instant;

use crate::{
    callback::{CallbackId, Work},
    guarded::guarded,
};

/// What was armed when a timer was shut down
///
/// The tasks that waited in sleeps, timeouts and the like have been woken and have
/// learnt of it. Callbacks are given back: each may be [run](UnfiredCallback::run)
/// now, or dropped with what it owns. A panic in such a drop is reported and goes no
/// further, so that the others are dropped as well.
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
    leftover: Leftover,
}

impl UnfiredCallback {
    pub(crate) fn new(id: CallbackId, deadline: Instant, leftover: Leftover) -> Self {
        Self { id, deadline, leftover }
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
        if let Some(work) = &mut self.leftover.0 {
            work.run();
        }
    }
}

impl From<UnfiredCallback> for Leftover {
    fn from(unfired: UnfiredCallback) -> Self {
        unfired.leftover
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

/// What a callback owned
///
/// A drop is user code. One that panics must not keep the next from being dropped, so
/// it goes no further than this.
#[derive(Debug)]
pub(crate) struct Leftover(Option<Work>);

impl Leftover {
    pub(crate) fn new(work: Option<Work>) -> Self {
        Self(work)
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let work = self.0.take();
        let _ = guarded(|| drop(work));
    }
}
