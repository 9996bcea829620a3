//! What the page's buttons act on.

use std::sync::Arc;

use tickwheel::Timer;
use tokio::sync::Mutex;

use super::{args::Args, feed::Feed, load::Load, verdict::Verdict, world::World};

/// The timer, its load, and who looks at them
pub(crate) struct Board {
    pub(crate) timer: Timer,
    pub(crate) feed: Arc<Feed>,
    pub(crate) world: World,
    load: Mutex<Load>,
}

impl Board {
    pub(crate) fn new(timer: Timer, args: &Args) -> Self {
        let load = Load::start(&timer, args.tick(), args.requests);
        let feed = Arc::new(Feed::new(args.tick()));
        Self { timer, feed, world: World::default(), load: Mutex::new(load) }
    }

    /// Shuts the timer down, once, and says what it had not fired
    pub(crate) async fn shut_down(&self) -> Verdict {
        let mut load = self.load.lock().await;
        if let Some(verdict) = self.feed.verdict() {
            return verdict;
        }
        // An interval and a queue would learn of a shutdown by a panic, so they end first.
        load.stop_steady().await;
        let now = self.timer.now();
        let verdict = Verdict::of(self.timer.shutdown().await, now);
        self.feed.verdict_is(verdict);
        verdict
    }
}
