//! What a scene is played with

use std::{fmt, sync::Arc, time::Duration};

use tickwheel::{Builder, Timer};
use tickwheel_tests::{
    random::Random,
    runtimes::{Background, current_thread, multi_thread},
};
use tokio::runtime::{Handle, Runtime};

use crate::{books::Open, watchdog::Wait, world::World};

#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) name: &'static str,
    pub(crate) random: &'a mut Random,
}

/// A runtime of either flavour that is being run
#[derive(Debug)]
pub(crate) enum AnyRuntime {
    MultiThread(Runtime),
    CurrentThread(Background),
}

/// A timer whose books are kept an eye on, and counted when it goes
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) timer: Timer,
    world: Arc<World>,
    _open: Open,
}

impl Scene<'_> {
    pub(crate) fn holds(
        &self,
        is_so: bool,
        check: &str,
        timer: &dyn fmt::Display,
        expected: &dyn fmt::Display,
        observed: &dyn fmt::Display,
    ) {
        self.world.holds(is_so, check, self.name, timer, expected, observed);
    }

    /// This must be over in half a minute of this process's time
    pub(crate) fn wait(&self, what: impl fmt::Display) -> Wait {
        self.world.watchdog.wait(PATIENCE, format!("{}: {what}", self.name))
    }

    /// A number from `low` to `high`, both included
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.random.below(high - low + 1)
    }

    pub(crate) fn count(&mut self, low: u64, high: u64) -> usize {
        self.between(low, high).try_into().expect("counts are small")
    }

    pub(crate) fn micros(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_micros(self.between(low, high))
    }

    /// Once in so often
    pub(crate) fn is_one_in(&mut self, often: u64) -> bool {
        self.random.below(often) == 0
    }

    pub(crate) fn runtime(&mut self) -> AnyRuntime {
        match self.random.below(3) {
            0 => AnyRuntime::CurrentThread(Background::start(current_thread())),
            workers => AnyRuntime::MultiThread(multi_thread(if workers == 1 { 1 } else { 3 })),
        }
    }

    /// With settings that change from scene to scene
    pub(crate) fn builder(&mut self) -> Builder {
        let tick = [100, 1_000, 1_000, 3_000][self.count(0, 3)];
        let turn_timers = [1, 32, 1_000][self.count(0, 2)];
        let slack = if self.is_one_in(4) { self.micros(0, 5_000) } else { Duration::ZERO };
        let shards = 1 << self.between(0, 2);
        Timer::builder()
            .tick(Duration::from_micros(tick))
            .turn_timers(turn_timers)
            .slack(slack)
            .shards(shards)
    }

    pub(crate) fn timer(&mut self, handle: &Handle) -> Watched {
        let builder = self.builder();
        self.build(builder, handle)
    }

    pub(crate) fn build(&self, builder: Builder, handle: &Handle) -> Watched {
        let timer = builder.build_on(handle).expect("the settings are good");
        let open = self.world.books.open(self.name, &timer);
        Watched { timer, world: Arc::clone(self.world), _open: open }
    }

    /// Nobody uses it any more, so nothing is left in it
    pub(crate) fn is_empty(&self, watched: &Watched) {
        let metrics = watched.timer.metrics();
        self.world.balances(self.name, &metrics);
        self.holds(metrics.pending == 0, "cancel is complete", &"all", &0, &metrics.pending);
    }
}

impl AnyRuntime {
    pub(crate) fn handle(&self) -> &Handle {
        match self {
            Self::MultiThread(runtime) => runtime.handle(),
            Self::CurrentThread(background) => background.handle(),
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.world.tally.add(&self.timer.metrics());
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
