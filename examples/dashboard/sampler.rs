//! Who looks at the timer, ten times a second.

use std::sync::Arc;

use tickwheel::Timer;
use tokio::time::Duration;

use super::{feed::Feed, frame::Frame, second::Meter};

/// Feeds the pages until the timer is shut down
///
/// In the critical lane, so that a storm does not delay the picture of it. The form that reports
/// an error is used because an interval would panic at a shutdown.
pub(crate) async fn sample(timer: Timer, feed: Arc<Feed>) {
    let critical = timer.critical();
    let mut meter = Meter::start(&timer);
    let mut next = timer.now();
    let mut is_over = false;
    while !is_over {
        feed.frame(&Frame::of(&timer.inspect()));
        // What was missed while the world stood still is not made up for.
        next = timer.now().max(next + FRAME);
        is_over = critical.try_sleep_until(next).await.is_err();
        if is_over {
            // Begun by another, and over when all timers have been taken out.
            drop(timer.shutdown().await);
        }
        let now = timer.now();
        if is_over || meter.is_due(now) {
            let metrics = timer.metrics();
            let text = metrics.to_string();
            feed.second(meter.read(now, metrics), text);
        }
    }
    feed.frame(&Frame::of(&timer.inspect()));
}

const FRAME: Duration = Duration::from_millis(100);
