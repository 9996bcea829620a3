//! Waiting for what must come, without waiting for ever.

use std::{future::Future, pin::pin, time::Duration};

use tokio::time;

/// Waits for `future`, at most for `limit`; `None` if it did not come
///
/// It runs on tokio's own time, whatever is under test: a timer cannot vouch for itself. And it
/// counts short steps rather than the clock, so that a process which stood still for a while
/// has only lost one of them.
pub(crate) async fn wait<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let steps = limit.as_millis().div_ceil(STEP.as_millis());
    for _ in 0..steps {
        if let Ok(output) = time::timeout(STEP, future.as_mut()).await {
            return Some(output);
        }
    }
    None
}

const STEP: Duration = Duration::from_millis(100);
