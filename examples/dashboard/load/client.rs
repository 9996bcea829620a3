//! Clients that send one request after another.

use std::time::Duration;

use tickwheel::{TimeoutError, Timer};

use super::between;

/// Thinks, asks, and waits for the answer, but not for too long
///
/// Most answers come in time, so that most timeouts are cancelled: the common fate of a timer.
pub(super) async fn requests(timer: Timer) {
    loop {
        let thinks = timer.try_sleep(between(THINKS));
        if thinks.await.is_err() {
            return;
        }
        let works = if fastrand::u32(..100) < SLOW { SLOW_WORK } else { WORK };
        let answer = timer.try_sleep(between(works));
        match timer.try_timeout(PATIENCE, answer).await {
            Ok(Ok(())) | Err(TimeoutError::Elapsed(_)) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

const THINKS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(3)];
const WORK: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(400)];
const SLOW_WORK: [Duration; 2] = [Duration::from_millis(400), Duration::from_secs(8)];
const PATIENCE: Duration = Duration::from_secs(5);
/// So many of a hundred
const SLOW: u32 = 5;
