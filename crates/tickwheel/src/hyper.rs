//! hyper's traits, for the timer itself: there is no type to wrap it in

use std::{
    pin::Pin,
    time::{Duration, Instant as StdInstant},
};

use hyper::rt;

use crate::{sleep::Sleep, timer::Timer};

impl rt::Sleep for Sleep {}

/// What hyper waits with: hand a clone to a builder's `timer` or `pool_timer`
///
/// Header-read timeouts, keep-alive and what else hyper waits for is then armed here, in
/// the lane of the handle. hyper resets its sleeps often, and [`reset`](rt::Timer::reset)
/// moves a [`Sleep`] in place. One that another timer has made is replaced by a new one of
/// this timer.
///
/// The names are those of methods that the timer has anyway, which are the ones called
/// unless the trait is named: `timer.sleep(..)` is a [`Sleep`] and not a boxed one.
///
/// Once the timer was shut down or its runtime is gone, its sleeps panic when they are
/// polled, in the task of their connection. So shut the servers down first.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use hyper::server::conn::http1;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// let mut server = http1::Builder::new();
/// server.timer(timer.clone()).header_read_timeout(Duration::from_secs(10));
/// # }
/// ```
impl rt::Timer for Timer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Timer::sleep(self, duration))
    }

    fn sleep_until(&self, deadline: StdInstant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Timer::sleep_until(self, deadline.into()))
    }

    fn now(&self) -> StdInstant {
        Timer::now(self).into_std()
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn rt::Sleep>>, new_deadline: StdInstant) {
        match sleep.as_mut().downcast_mut_pin::<Sleep>() {
            Some(ours) => ours.get_mut().reset(new_deadline.into()),
            None => *sleep = rt::Timer::sleep_until(self, new_deadline),
        }
    }
}
