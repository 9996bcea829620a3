//! A cache whose items expire, all of them one timer.

use std::time::Duration;

use futures::StreamExt;
use tickwheel::Timer;

use super::between;

/// Puts each item back as it expires
pub(super) async fn expire(timer: Timer) {
    let mut items = timer.delay_queue();
    for number in 0..ITEMS {
        items.insert(number, between(LIFE));
    }
    while let Some(expired) = items.next().await {
        items.insert(expired.into_inner(), between(LIFE));
    }
}

const ITEMS: u32 = 500;
const LIFE: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(30)];
