//! futures-timer's `Delay`: a heap on a thread, told of changes by a queue

use std::{pin::Pin, time::Duration};

use futures_timer::Delay;

use crate::peer::Peer;

#[derive(Clone, Debug)]
pub(crate) struct FuturesTimer;

impl Peer for FuturesTimer {
    type Sleep = Delay;

    const RESETS: bool = true;

    fn name(&self) -> String {
        "futures-timer".into()
    }

    fn sleep(&self, delay: Duration) -> Delay {
        Delay::new(delay)
    }

    fn reset(mut sleep: Pin<&mut Delay>, delay: Duration) {
        sleep.reset(delay);
    }
}
