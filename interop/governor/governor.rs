//! governor waits for its cells by what it takes for futures-timer

use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};

use futures_timer::{Delay, timer};
use governor::{Quota, RateLimiter};

#[tokio::test]
async fn a_limiter_waits_until_it_is_ready() {
    let before = timer().metrics();
    let period = Duration::from_millis(20);
    let burst = NonZeroU32::new(2).expect("not zero");
    let quota = Quota::with_period(period).expect("not zero").allow_burst(burst);
    let limiter = RateLimiter::direct(quota);

    let start = Instant::now();
    for _ in 0..6 {
        limiter.until_ready().await;
    }
    assert!(start.elapsed() >= 4 * period, "two at once, and then one each period");
    let after = timer().metrics();
    assert!(after.registered >= before.registered + 4, "{after}");
    assert!(after.fired >= before.fired + 4, "{after}");
    assert_eq!(timer().pending(), 0);
}

/// What else futures-timer promises of a delay
#[tokio::test]
async fn a_delay_can_be_any_and_stays_ready() {
    drop(Delay::new(Duration::MAX));
    let mut delay = Delay::new(Duration::MAX);
    delay.reset(Duration::from_millis(5));
    (&mut delay).await;
    (&mut delay).await;
}
