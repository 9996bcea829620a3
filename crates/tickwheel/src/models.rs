//! The code that ships, under schedules that a model checker chooses
//!
//! loom tries every interleaving of two threads in each hand-off, shuttle many of a
//! whole scene: the driver, the alarm, a crowd of clients and the end.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p tickwheel --lib models`
//! `RUSTFLAGS="--cfg shuttle" cargo test -p tickwheel --lib models`

#[cfg(loom)]
mod callbacks;
#[cfg(shuttle)]
mod crowd;
#[cfg(loom)]
mod ending;
#[cfg(loom)]
mod firing;
#[cfg(loom)]
mod parking;
#[cfg(loom)]
mod ringing;
#[cfg(loom)]
mod scene;
#[cfg(shuttle)]
mod stage;
pub(crate) mod time;

use std::{sync::Arc, time::Duration};

use crate::{
    alarm::AlarmHandle,
    bell::Bell,
    budget::Budget,
    caller::Caller,
    clock::{Clock, Source},
    closing::Closing,
    limit::Limit,
    metrics::Calls,
    number::Number,
    service::Service,
    slack::Slack,
    sync::Mutex,
    wall_clock::WallClock,
};

/// A service without a runtime, whose ticks are milliseconds
fn service(bell: &Arc<Bell>, alarm: &AlarmHandle, limit: Limit) -> Arc<Service> {
    time::restart();
    let clock = Clock::start(Duration::from_millis(1), Source::Machine);
    Arc::new(Service {
        number: Number::next(),
        clock,
        wall_clock: WallClock::start(clock),
        bell: Arc::clone(bell),
        caller: Caller::Alarm(alarm.clone()),
        budget: Budget::DEFAULT,
        limit,
        slack: Slack::NONE,
        lazy_timeouts: false,
        name: "model".into(),
        calls: Mutex::new(Calls::default()),
        closing: Closing::new(),
        #[cfg(feature = "metrics")]
        publisher: crate::metrics::Publisher::new("model"),
    })
}
