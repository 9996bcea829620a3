//! tickwheel, with a tick of its own for each entrant

use std::{
    future::ready,
    pin::{Pin, pin},
    time::Duration,
};

use tickwheel::{Sleep, Timer};
use tickwheel_benches::poll_once;
use tokio::runtime::Handle;

use crate::peer::Peer;

#[derive(Clone, Debug)]
pub(crate) struct Tickwheel {
    timer: Timer,
    tick: Duration,
    lazy: bool,
}

impl Tickwheel {
    pub(crate) fn new(tick: Duration, runtime: &Handle) -> Self {
        Self { timer: built(tick, false, runtime), tick, lazy: false }
    }

    /// One whose timeouts count from the first poll that finds their future pending
    pub(crate) fn lazy(tick: Duration, runtime: &Handle) -> Self {
        Self { timer: built(tick, true, runtime), tick, lazy: true }
    }
}

fn built(tick: Duration, lazy: bool, runtime: &Handle) -> Timer {
    let builder = Timer::builder().tick(tick).lazy_timeouts(lazy);
    builder.build_on(runtime).expect("the settings are in range")
}

impl Peer for Tickwheel {
    type Sleep = Sleep;

    const RESETS: bool = true;
    const TIMES_OUT: bool = true;

    fn name(&self) -> String {
        let lazy = if self.lazy { ", lazy" } else { "" };
        format!("tickwheel {:?}{lazy}", self.tick)
    }

    fn on(&self, runtime: &Handle) -> Self {
        Self { timer: built(self.tick, self.lazy, runtime), ..self.clone() }
    }

    fn sleep(&self, delay: Duration) -> Sleep {
        self.timer.sleep(delay)
    }

    fn reset(mut sleep: Pin<&mut Sleep>, delay: Duration) {
        sleep.reset_after(delay);
    }

    fn ready_timeout(&self, delay: Duration) -> bool {
        poll_once(pin!(self.timer.timeout(delay, ready(())))).is_ready()
    }
}
