//! Very many timers that are due at about the same time.

use std::time::Duration;

use tickwheel::Timer;
use tokio::task;

/// Arms them, each in a task of its own as the clients of a service would be
pub(crate) async fn rage(timer: Timer) {
    for number in 0..TIMERS {
        let sleep = timer.try_sleep(WITHIN.mul_f64(fastrand::f64()));
        // One that is shut down has nothing more to say.
        tokio::spawn(async move { sleep.await.is_ok() });
        if number % PIECE == 0 {
            task::yield_now().await;
        }
    }
}

pub(crate) const TIMERS: u32 = 100_000;
const WITHIN: Duration = Duration::from_secs(2);
const PIECE: u32 = 500;
