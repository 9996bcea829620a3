//! The command line

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use clap::Parser;

/// Torments timers with every fault there is, and checks what they promise meanwhile.
///
/// Prints a line of counts each second and a table at the end. Exits with 1 when something did
/// not hold or hangs, after a report of the check, the scene, the seed, and what was expected
/// and seen.
#[derive(Debug, Parser)]
#[command(name = "torture")]
pub(crate) struct Args {
    /// How long scenes are begun; the last ones take up to a few seconds more
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    seconds: u64,

    /// Decides what each thread does; drawn and printed if not given
    #[arg(long)]
    seed: Option<u64>,

    /// Threads that play scenes
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) actors: u64,

    /// Be the process that is stopped
    #[arg(long = "child", hide = true)]
    pub(crate) is_child: bool,
}

impl Args {
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    pub(crate) fn seed(&self) -> u64 {
        // std keys each `RandomState` afresh, which is random enough for a seed.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one("seed") % 1_000_000)
    }
}
