//! The command line.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use clap::{Parser, ValueEnum};

/// A TCP line server and its clients, in one process, with every wait under a deadline.
///
/// Clients ask, the server answers. Some clients stall and must be dropped at their idle
/// deadline, some vanish in the middle of a request, and some answers come later than their
/// request may wait. When the time is over the program prints its counts and the lateness of the
/// deadlines, checks that its books close, and exits with 1 if they do not.
#[derive(Debug, Parser)]
#[command(name = "service", version)]
pub(crate) struct Args {
    /// Clients talking at the same time; each takes two file descriptors
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections: u32,

    /// How long to send requests; the run ends about a second later, or at Ctrl-C
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,

    /// Whose deadlines to use for the same work
    #[arg(long, value_enum, default_value_t = TimerKind::Tickwheel)]
    pub(crate) timer: TimerKind,

    /// Decides who stalls, who vanishes and which answers are late; drawn and printed if not given
    #[arg(long)]
    seed: Option<u64>,
}

impl Args {
    pub(crate) fn seed(&self) -> u64 {
        // std keys each `RandomState` afresh, which is random enough for a seed.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one("seed") % 1_000_000)
    }
}

/// The timer under test
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimerKind {
    /// a `tickwheel::Timer`
    Tickwheel,
    /// `tokio::time`, to compare with
    Tokio,
}

impl fmt::Display for TimerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tickwheel => "tickwheel",
            Self::Tokio => "tokio",
        })
    }
}
