use std::sync::Arc;

use tickwheel_core::Tick;

use crate::{alarm::AlarmHandle, bell::Bell, clock::Clock};

/// What carries a call for a future tick to the driver
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// The alarm rings when the tick comes. The driver's runtime need not run meanwhile.
    Alarm(AlarmHandle),
    /// The driver is called at once, and arranges to be woken itself: only it
    /// can ask its runtime's clock, which may be virtual.
    Driver(Arc<Bell>),
}

impl Caller {
    /// Sees to it that the driver visits at `tick` or before
    pub(crate) fn call_by(&self, tick: Tick, clock: &Clock) {
        match self {
            Self::Alarm(alarm) => {
                // A tick beyond all instants never comes.
                if let Some(at) = clock.instant(tick) {
                    alarm.ring_by(at.into_std());
                }
            }
            Self::Driver(bell) => bell.ring(),
        }
    }
}
