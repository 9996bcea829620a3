//! `tokio::time`, which all others are compared with

use std::{
    future::ready,
    pin::{Pin, pin},
    time::Duration,
};

use tickwheel_benches::poll_once;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::peer::Peer;

#[derive(Clone, Debug)]
pub(crate) struct Tokio;

impl Peer for Tokio {
    type Sleep = Sleep;

    const RESETS: bool = true;
    const TIMES_OUT: bool = true;

    fn name(&self) -> String {
        if cfg!(tokio_unstable) { "tokio, alternative timer" } else { "tokio" }.into()
    }

    fn sleep(&self, delay: Duration) -> Sleep {
        sleep(delay)
    }

    fn reset(sleep: Pin<&mut Sleep>, delay: Duration) {
        sleep.reset(Instant::now() + delay);
    }

    fn ready_timeout(&self, delay: Duration) -> bool {
        poll_once(pin!(timeout(delay, ready(())))).is_ready()
    }
}
