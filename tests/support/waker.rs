//! Wakers that keep count, and wakers that act

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Condvar, Mutex},
    task::{Context, Poll, Wake, Waker},
    time::{Duration, Instant},
};

use cooked_waker::{IntoWaker, WakeRef};
use tickwheel::{Sleep, Timer};

/// Polls a future once, in the name of this waker
pub fn poll_with<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// A sleep that was polled once, and found pending
///
/// # Panics
///
/// When it is ready.
pub fn armed(timer: &Timer, duration: Duration, waker: &Waker) -> Sleep {
    let mut sleep = timer.sleep(duration);
    assert_eq!(poll_with(&mut sleep, waker), Poll::Pending);
    sleep
}

/// Notes when it was woken, by the machine's clock
#[derive(Debug, Default)]
pub struct CountingWaker {
    wakes: Mutex<Vec<Instant>>,
    woken: Condvar,
}

impl CountingWaker {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// One of the wakers that are counted here
    pub fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    pub fn wakes(&self) -> usize {
        self.wakes.lock().unwrap().len()
    }

    /// How many wakers there are
    pub fn wakers(self: &Arc<Self>) -> usize {
        Arc::strong_count(self) - 1
    }

    /// Blocks until it has been woken so often, and says when that was
    ///
    /// # Panics
    ///
    /// When that takes half a minute: a wake-up was lost.
    pub fn wait_for(&self, wakes: usize) -> Instant {
        let guard = self.wakes.lock().unwrap();
        let (guard, _) = self
            .woken
            .wait_timeout_while(guard, Duration::from_secs(30), |seen| seen.len() < wakes)
            .unwrap();
        assert!(guard.len() >= wakes, "woken {} times instead of {wakes}", guard.len());
        guard[wakes - 1]
    }
}

impl Wake for CountingWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.lock().unwrap().push(Instant::now());
        self.woken.notify_all();
    }
}

/// Does something when it is first woken, and something when its last clone is dropped
///
/// Waking it drops nothing: what `on_wake` holds goes when it has run, what
/// `on_drop` holds with the waker.
#[derive(Default)]
pub struct ActingWaker {
    on_wake: Mutex<Option<Action>>,
    on_drop: Option<Action>,
}

type Action = Box<dyn FnOnce() + Send + Sync>;

impl ActingWaker {
    /// A waker that does this when it is first woken
    pub fn on_wake(action: impl FnOnce() + Send + Sync + 'static) -> Waker {
        Waker::from(Arc::new(Self { on_wake: Mutex::new(Some(Box::new(action))), on_drop: None }))
    }

    /// A waker that does this when its last clone is dropped
    pub fn on_drop(action: impl FnOnce() + Send + Sync + 'static) -> Waker {
        Waker::from(Arc::new(Self { on_wake: Mutex::default(), on_drop: Some(Box::new(action)) }))
    }
}

impl Wake for ActingWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let action = self.on_wake.lock().unwrap().take();
        if let Some(action) = action {
            action();
        }
    }
}

impl Drop for ActingWaker {
    fn drop(&mut self) {
        if let Some(action) = self.on_drop.take() {
            action();
        }
    }
}

impl fmt::Debug for ActingWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActingWaker").finish_non_exhaustive()
    }
}

/// Does something each time it is cloned, and each time a clone is dropped; waking it does nothing
pub struct CloneWaker {
    on_clone: SharedAction,
    on_drop: SharedAction,
    is_clone: bool,
}

type SharedAction = Arc<dyn Fn() + Send + Sync>;

impl CloneWaker {
    /// A waker that is not a clone itself
    pub fn waker(
        on_clone: impl Fn() + Send + Sync + 'static,
        on_drop: impl Fn() + Send + Sync + 'static,
    ) -> Waker {
        let (on_clone, on_drop) = (Arc::new(on_clone), Arc::new(on_drop));
        Box::new(Self { on_clone, on_drop, is_clone: false }).into_waker()
    }
}

impl Clone for CloneWaker {
    fn clone(&self) -> Self {
        (self.on_clone)();
        let (on_clone, on_drop) = (Arc::clone(&self.on_clone), Arc::clone(&self.on_drop));
        Self { on_clone, on_drop, is_clone: true }
    }
}

impl Drop for CloneWaker {
    fn drop(&mut self) {
        if self.is_clone {
            (self.on_drop)();
        }
    }
}

impl WakeRef for CloneWaker {
    fn wake_by_ref(&self) {}
}

impl cooked_waker::Wake for CloneWaker {}

impl fmt::Debug for CloneWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloneWaker").field("is_clone", &self.is_clone).finish_non_exhaustive()
    }
}
