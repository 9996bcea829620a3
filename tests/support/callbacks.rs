//! What the stories about callbacks share

use std::{
    fmt,
    pin::pin,
    sync::{Arc, Mutex, OnceLock, Weak},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tickwheel::{Callback, Timer};
use tokio::time::{self, Instant};

use crate::runtimes::{self, settle};

/// For what would hang under a lock
pub const LIMIT: Duration = Duration::from_mins(1);

/// Runs this on a paused current-thread runtime, which a deadlock must not hang for ever
///
/// The timer has one shard, so that what is armed there fires in order.
#[track_caller]
pub fn on_a_paused_clock<F: Future<Output = ()>>(story: impl FnOnce(Timer) -> F + Send + 'static) {
    runtimes::on_a_paused_clock(LIMIT, story);
}

/// The clock goes so far in one step, and what came due by then fires
pub async fn jump(duration: Duration) {
    time::advance(duration).await;
    settle().await;
}

/// Time passes inside a callback, on a paused clock
pub fn pass(duration: Duration) {
    // It moves the clock in its first poll, and then only yields.
    let advanced = pin!(time::advance(duration)).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(advanced, Poll::Pending);
}

/// What was called, and how many milliseconds after this was made
#[derive(Clone, Debug)]
pub struct Calls {
    since: Instant,
    seen: Arc<Mutex<Vec<(&'static str, u128)>>>,
}

impl Calls {
    #[expect(clippy::new_without_default, reason = "it reads a clock")]
    pub fn new() -> Self {
        Self { since: Instant::now(), seen: Arc::default() }
    }

    pub fn note(&self, name: &'static str) {
        self.seen.lock().unwrap().push((name, self.since.elapsed().as_millis()));
    }

    /// A function that notes each call of it
    pub fn noting(&self, name: &'static str) -> impl FnMut() + Send + Sync + 'static + use<> {
        let calls = self.clone();
        move || calls.note(name)
    }

    pub fn all(&self) -> Vec<(&'static str, u128)> {
        self.seen.lock().unwrap().clone()
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.all().into_iter().map(|(name, _)| name).collect()
    }

    pub fn times(&self) -> Vec<u128> {
        self.all().into_iter().map(|(_, time)| time).collect()
    }

    pub fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

/// Where a callback finds its own handle
#[derive(Clone, Debug, Default)]
pub struct Itself(Arc<OnceLock<Callback>>);

impl Itself {
    pub fn new() -> Self {
        Self::default()
    }

    /// To be told once, when the callback is made
    pub fn is(&self, callback: &Callback) {
        self.0.set(callback.clone()).expect("it is told once");
    }

    pub fn get(&self) -> &Callback {
        self.0.get().expect("it is told before the callback is called")
    }
}

/// Something to capture, and whether it is still there
pub fn captured() -> (Arc<()>, Weak<()>) {
    let value = Arc::new(());
    let alive = Arc::downgrade(&value);
    (value, alive)
}

/// A function that owns this
pub fn keeping(value: Arc<()>) -> impl FnMut() + Send + 'static + use<> {
    move || {
        let _ = &value;
    }
}

pub fn is_alive(value: &Weak<()>) -> bool {
    value.upgrade().is_some()
}

/// Does something when it is dropped
pub struct OnDrop<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> OnDrop<F> {
    pub fn new(action: F) -> Self {
        Self(Some(action))
    }

    /// Moves all of it, and not a part, into the closure that says this
    pub fn keep(&self) {}
}

impl<F: FnOnce()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(action) = self.0.take() {
            action();
        }
    }
}

impl<F: FnOnce()> fmt::Debug for OnDrop<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnDrop")
    }
}
