//! Timers that are armed already

use std::{pin::Pin, time::Duration};

use tickwheel_benches::{Random, poll_once};

use super::timing::EARLIER;
use crate::peer::Peer;

/// Sleeps armed at random within some minutes, after one that is earlier than all
///
/// With nothing earlier armed tokio writes to its event descriptor at each arming,
/// which is not the usual case of a service.
pub(super) struct Crowd<P: Peer> {
    peer: P,
    sleeps: Vec<Pin<Box<P::Sleep>>>,
    random: Random,
}

impl<P: Peer> Crowd<P> {
    pub(super) fn armed(peer: &P, others: usize) -> Self {
        let mut crowd = Self { peer: peer.clone(), sleeps: Vec::new(), random: Random::new(1) };
        crowd.arm(EARLIER);
        for _ in 0..others {
            let delay = crowd.delay();
            crowd.arm(delay);
        }
        crowd
    }

    /// Cancels any one of them and arms another in its place
    pub(super) fn replace_one(&mut self) {
        let delay = self.delay();
        let index = self.random.below(self.sleeps.len() as u64 - 1) + 1;
        let index = usize::try_from(index).expect("it is an index");
        let mut place = self.sleeps[index].as_mut();
        place.set(self.peer.sleep(delay));
        assert!(poll_once(place).is_pending());
    }

    fn arm(&mut self, delay: Duration) {
        let mut sleep = Box::pin(self.peer.sleep(delay));
        assert!(poll_once(sleep.as_mut()).is_pending());
        self.sleeps.push(sleep);
    }

    /// Up to the 15 minutes at which pingora-timeout hands over to tokio
    fn delay(&mut self) -> Duration {
        EARLIER + Duration::from_millis(1000 + self.random.below(290_000))
    }
}
