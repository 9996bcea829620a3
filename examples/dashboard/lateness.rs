//! How late timers were within some time.

use serde::Serialize;
use tickwheel::Histogram;

/// How late, in seconds
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Lateness {
    p50: f64,
    p99: f64,
    max: f64,
}

impl Lateness {
    /// None when nothing was fired
    pub(crate) fn of(fired: &Histogram) -> Option<Self> {
        let [p50, p99] = [0.5, 0.99].map(|part| fired.quantile(part).as_secs_f64());
        (fired.count() > 0).then(|| Self { p50, p99, max: fired.max().as_secs_f64() })
    }
}
