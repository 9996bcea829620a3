//! How late one sleep comes when nothing else goes on

use std::time::{Duration, Instant};

use tickwheel_benches::Random;
use tokio::runtime::Runtime;

use super::timing::lateness;
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct IdleLateness;

impl Work for IdleLateness {
    const MEASURES: &'static [Measure] = &[Measure::new("lateness", "µs")];

    fn name(&self) -> String {
        "lateness when idle".into()
    }

    fn about(&self) -> &'static str {
        "One task of an idle runtime sleeps for two to five milliseconds, begun at a random \
         moment. Less than zero would be early."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.waits
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>> {
        let mut random = Random::new(5);
        Some(Box::new(move || {
            let delay = Duration::from_nanos(2_000_000 + random.below(3_000_000));
            let peer = peer.clone();
            // In a task, where timers are waited for, and not on this thread.
            let sleeper = runtime.spawn(async move {
                let due = Instant::now() + delay;
                peer.sleep(delay).await;
                lateness(due, Instant::now())
            });
            vec![1e6 * runtime.block_on(sleeper).expect("it does not panic")]
        }))
    }
}
