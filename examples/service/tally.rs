//! What happened to requests and connections.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The counts of the clients, and those of the server
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: Requests,
    pub(crate) late: LateAnswers,
    pub(crate) clients: Clients,
    pub(crate) stalled: Stalled,
    pub(crate) server: Server,
}

/// Requests sent, each retry counted anew: asked = ok + timed out + lost
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) asked: Counter,
    pub(crate) ok: Counter,
    pub(crate) timed_out: Counter,
    /// The connection broke before the answer
    pub(crate) lost: Counter,
    /// Sent again after a timeout
    pub(crate) retried: Counter,
    /// Timed out at the last retry too
    pub(crate) given_up: Counter,
    /// Answered before the server's work for it could be over: a delay that fired early
    pub(crate) answered_early: Counter,
}

/// Requests whose answer is made late: asked = timed out + answered + lost
#[derive(Debug, Default)]
pub(crate) struct LateAnswers {
    pub(crate) asked: Counter,
    pub(crate) timed_out: Counter,
    /// Taken for an answer in time
    pub(crate) answered: Counter,
    pub(crate) lost: Counter,
}

/// Ends of connections, as the clients saw them
#[derive(Debug, Default)]
pub(crate) struct Clients {
    pub(crate) connected: Counter,
    pub(crate) refused: Counter,
    pub(crate) closed: Counter,
    pub(crate) vanished: Counter,
    /// The server ended it, though the client was well
    pub(crate) lost: Counter,
}

/// Clients that stopped sending: all = dropped + missed
#[derive(Debug, Default)]
pub(crate) struct Stalled {
    pub(crate) all: Counter,
    pub(crate) dropped: Counter,
    /// Not dropped within the idle timeout and its slack
    pub(crate) missed: Counter,
    /// Dropped before the idle timeout was over
    pub(crate) early: Counter,
    slowest_micros: Counter,
}

impl Stalled {
    pub(crate) fn note_wait(&self, wait: Duration) {
        let micros = u64::try_from(wait.as_micros()).unwrap_or(u64::MAX);
        self.slowest_micros.raise_to(micros);
    }

    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_micros(self.slowest_micros.get())
    }
}

/// Ends of connections, as the server saw them
#[derive(Debug, Default)]
pub(crate) struct Server {
    pub(crate) accepted: Counter,
    pub(crate) not_accepted: Counter,
    pub(crate) dropped_idle: Counter,
    pub(crate) closed: Counter,
}

/// A number that tasks add to and that is read once they are joined
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    // Relaxed: nothing is published through a counter, and joining the tasks orders the last read.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn raise_to(&self, value: u64) {
        self.0.fetch_max(value, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
