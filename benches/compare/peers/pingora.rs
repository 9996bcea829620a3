//! pingora-timeout's fast timeouts: shared by all of one deadline, ticks of 10 ms
//!
//! A sleep is its timeout around what never comes, the form it is made for. What was
//! cancelled stays in its maps until the deadline. Beyond 15 minutes it uses tokio's
//! timers unless told otherwise.

use std::{
    future::{Pending, pending, ready},
    pin::pin,
    time::Duration,
};

use pingora_timeout::{
    Timeout,
    fast_timeout::{FastOrTokioTimeout, fast_timeout},
};
use tickwheel_benches::poll_once;

use crate::peer::Peer;

#[derive(Clone, Debug)]
pub(crate) struct Pingora;

impl Peer for Pingora {
    type Sleep = Timeout<Pending<()>, FastOrTokioTimeout>;

    const TIMES_OUT: bool = true;

    fn name(&self) -> String {
        "pingora-timeout".into()
    }

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        fast_timeout(delay, pending())
    }

    fn ready_timeout(&self, delay: Duration) -> bool {
        poll_once(pin!(fast_timeout(delay, ready(())))).is_ready()
    }
}
