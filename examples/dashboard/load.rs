//! The load beside the page: something of everything that a timer is used for.

mod beats;
mod client;
mod items;
mod sessions;

use std::time::Duration;

use tickwheel::Timer;
use tokio::task::JoinSet;

/// Everything that keeps the timer busy
pub(crate) struct Load {
    /// What cannot be told of a shutdown but by a panic: intervals and a queue
    steady: JoinSet<()>,
}

impl Load {
    pub(crate) fn start(timer: &Timer, tick: Duration, requests: u32) -> Self {
        // These end by themselves when the timer is shut down.
        for _ in 0..requests {
            tokio::spawn(client::requests(timer.clone()));
        }
        tokio::spawn(sessions::keep(timer.clone(), tick));
        beats::call(timer);

        let mut steady = JoinSet::new();
        beats::spawn(timer, &mut steady);
        steady.spawn(items::expire(timer.clone()));
        Self { steady }
    }

    /// Ends what would not survive a shutdown
    pub(crate) async fn stop_steady(&mut self) {
        self.steady.shutdown().await;
    }
}

/// Anything between these two
fn between([low, high]: [Duration; 2]) -> Duration {
    mix([low, high], fastrand::f64())
}

/// So far from the first to the second, from 0 to 1
fn mix([low, high]: [Duration; 2], part: f64) -> Duration {
    low.mul_f64(1.0 - part) + high.mul_f64(part)
}
