//! How late sleeps come while one worker of the runtime is blocked

use std::{
    thread,
    time::{Duration, Instant},
};

use tokio::runtime::Runtime;

use super::timing::lateness;
use crate::{
    arena::two_workers,
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Blocked;

impl Work for Blocked {
    const MEASURES: &'static [Measure] = &[Measure::new("lateness max", "ms")];

    fn name(&self) -> String {
        "lateness with a blocked worker".into()
    }

    fn about(&self) -> &'static str {
        "Ten tasks sleep for 20 to 110 ms on two workers; another one wakes up after 10 ms and \
         blocks its worker for 200 ms, as nobody should. The lateness of the latest of the ten."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.blocked
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        Some(Box::new(move || {
            let runtime = two_workers();
            let peer = peer.on(runtime.handle());
            let sleepers: Vec<_> = (2..=11)
                .map(|tens| {
                    let peer = peer.clone();
                    runtime.spawn(async move {
                        let delay = Duration::from_millis(10 * tens);
                        let due = Instant::now() + delay;
                        peer.sleep(delay).await;
                        lateness(due, Instant::now())
                    })
                })
                .collect();
            // Woken by its timer, and so on the worker that has the timers where one does.
            let blocker = runtime.spawn(async move {
                peer.sleep(Duration::from_millis(10)).await;
                thread::sleep(Duration::from_millis(200));
            });
            let latest = runtime.block_on(async {
                let mut latest = f64::NEG_INFINITY;
                for sleeper in sleepers {
                    latest = latest.max(sleeper.await.expect("it does not panic"));
                }
                blocker.await.expect("it does not panic");
                latest
            });
            vec![1e3 * latest]
        }))
    }
}
