//! `futures_timer::Delay` on a timer of ours: all of its surface, in one file

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::LazyLock,
    task::{Context, Poll},
    time::Duration,
};

use tickwheel::{Sleep, Timer};
use tokio::runtime::{Builder, Runtime};

/// Ready after a while, and from then on
pub struct Delay(Sleep);

impl Delay {
    pub fn new(duration: Duration) -> Self {
        Self(timer().sleep(duration))
    }

    pub fn reset(&mut self, duration: Duration) {
        self.0.reset_after(duration);
    }
}

impl Future for Delay {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl fmt::Debug for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delay").finish_non_exhaustive()
    }
}

/// The one timer behind all, since a delay is made from nothing but a duration
///
/// Its driver is on a runtime of its own: who waits need not be on one.
pub fn timer() -> &'static Timer {
    static TIMER: LazyLock<(Timer, Runtime)> = LazyLock::new(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        (Timer::builder().build_on(runtime.handle()).expect("a timer"), runtime)
    });
    &TIMER.0
}
