//! What a client means to do with one connection, drawn from the seed.

use std::time::Duration;

use super::{
    random::Random,
    settings::{LATE_WORK_MS, PAUSE_MS, SHORT_WORK_MS},
};

/// One connection's course: some bursts of requests, then an end
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) bursts: u64,
    pub(crate) end: End,
    random: Random,
}

/// How a client leaves
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// Closes between two requests
    Close,
    /// Stops sending and waits to be dropped
    Stall,
    /// Is gone in the middle of a request
    Vanish,
}

impl Life {
    pub(crate) fn draw(mut random: Random) -> Self {
        Self {
            bursts: random.between(BURSTS),
            end: match random.between(PERCENT) {
                1..=20 => End::Stall,
                21..=40 => End::Vanish,
                _ => End::Close,
            },
            random,
        }
    }

    pub(crate) fn requests_in_burst(&mut self) -> u64 {
        self.random.between(REQUESTS_IN_BURST)
    }

    pub(crate) fn work(&mut self) -> Work {
        match self.random.between(PERCENT) {
            1..=2 => Work::Late(self.random.millis_between(LATE_WORK_MS)),
            3..=20 => Work::Short(self.random.millis_between(SHORT_WORK_MS)),
            _ => Work::None,
        }
    }

    pub(crate) fn pause(&mut self) -> Duration {
        self.random.millis_between(PAUSE_MS)
    }
}

/// What the server has to do before it may answer
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    None,
    Short(Duration),
    /// More than the request may wait for
    Late(Duration),
}

impl Work {
    pub(crate) fn duration(self) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::Short(duration) | Self::Late(duration) => duration,
        }
    }
}

const BURSTS: (u64, u64) = (3, 20);
const REQUESTS_IN_BURST: (u64, u64) = (1, 8);
const PERCENT: (u64, u64) = (1, 100);
