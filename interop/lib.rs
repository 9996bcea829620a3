//! What the tests share: a look at our counters, and a timer for who has no place for one

use std::sync::LazyLock;

use tickwheel::Timer;
use tokio::runtime::{Builder, Runtime};

/// What a timer had done at some time
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    registered: u64,
    fired: u64,
}

impl Counted {
    pub fn now(timer: &Timer) -> Self {
        let metrics = timer.metrics();
        Self { registered: metrics.registered, fired: metrics.fired }
    }

    /// Whoever waited did it by this timer, and not by one it fell back to
    ///
    /// # Panics
    ///
    /// When nothing was armed since, or nothing has fired.
    #[track_caller]
    pub fn assert_moved(self, timer: &Timer) {
        let now = Self::now(timer);
        assert!(now.registered > self.registered, "nothing was armed: {now:?}");
        assert!(now.fired > self.fired, "nothing has fired: {now:?}");
    }
}

/// The timer of traits whose functions take no `self`
///
/// Its driver is on a runtime of its own, so that it outlives those of the tests; its
/// futures may be polled on any.
pub fn shared() -> &'static Timer {
    static SHARED: LazyLock<(Timer, Runtime)> = LazyLock::new(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        (Timer::builder().build_on(runtime.handle()).expect("a timer"), runtime)
    });
    &SHARED.0
}
