//! The books: every deadline armed, reset, cancelled and fired.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use hdrhistogram::Histogram;
use tokio::time::Instant;

use super::tally::Counter;

/// One account per kind of deadline
///
/// The three sides are counted where they happen and nowhere derived from each other, so that
/// "armed = fired + cancelled" says something at the end.
#[derive(Debug)]
pub(crate) struct Ledger {
    accounts: [Account; Kind::ALL.len()],
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { accounts: Kind::ALL.map(|_| Account::new()) }
    }

    /// Opens the entry of one deadline
    pub(crate) fn entry(&self, kind: Kind) -> Entry<'_> {
        Entry { account: &self.accounts[kind as usize], pending: false }
    }

    pub(crate) fn balance(&self, kind: Kind) -> Balance {
        self.accounts[kind as usize].balance()
    }

    pub(crate) fn total(&self) -> Balance {
        let mut total = Balance::new();
        for kind in Kind::ALL {
            total.add(&self.balance(kind));
        }
        total
    }

    /// Deadlines fired so far, without the cost of a whole balance
    pub(crate) fn fired(&self) -> u64 {
        self.accounts.iter().map(|account| account.fired.get()).sum()
    }
}

/// What a deadline is for
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Connect,
    Request,
    Answer,
    Work,
    Idle,
    Heartbeat,
    BackOff,
    Pause,
}

impl Kind {
    /// All kinds, in the order of their numbers
    pub(crate) const ALL: [Self; 8] = [
        Self::Connect,
        Self::Request,
        Self::Answer,
        Self::Work,
        Self::Idle,
        Self::Heartbeat,
        Self::BackOff,
        Self::Pause,
    ];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Connect => "connect timeout",
            Self::Request => "request timeout",
            Self::Answer => "server's answer timeout",
            Self::Work => "answer delay",
            Self::Idle => "idle deadline",
            Self::Heartbeat => "heartbeat",
            Self::BackOff => "back-off",
            Self::Pause => "pause",
        }
    }
}

/// One deadline's life: pending, perhaps reset, then fired or cancelled
///
/// Dropping it while it is pending is what counts as cancelled. Declare it before the future it
/// is about, so that it is dropped after the timer itself has let go.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    account: &'a Account,
    pending: bool,
}

impl Entry<'_> {
    /// The timer was polled and is not yet due; only the first call of a round counts
    pub(crate) fn pending(&mut self) {
        if !self.pending {
            self.pending = true;
            self.account.armed.add();
        }
    }

    /// The deadline was moved; one that is not pending has nothing to move
    pub(crate) fn reset(&self) {
        if self.pending {
            self.account.reset.add();
        }
    }

    /// The timer reported `deadline` as elapsed just now
    pub(crate) fn fired(&mut self, deadline: Instant) {
        let now = Instant::now();
        if now < deadline {
            self.account.early.add();
        }
        if self.pending {
            self.pending = false;
            self.account.fired.add();
            self.account.record(now.saturating_duration_since(deadline));
        } else {
            // It was over before anyone waited for it: that is no work of the timer.
            self.account.at_once.add();
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if self.pending {
            self.account.cancelled.add();
        }
    }
}

/// The sums of one account, or of all
#[derive(Debug, Clone)]
pub(crate) struct Balance {
    pub(crate) armed: u64,
    pub(crate) reset: u64,
    pub(crate) cancelled: u64,
    pub(crate) fired: u64,
    pub(crate) at_once: u64,
    pub(crate) early: u64,
    lateness: Histogram<u64>,
}

impl Balance {
    fn new() -> Self {
        Self {
            armed: 0,
            reset: 0,
            cancelled: 0,
            fired: 0,
            at_once: 0,
            early: 0,
            lateness: lateness_histogram(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.armed += other.armed;
        self.reset += other.reset;
        self.cancelled += other.cancelled;
        self.fired += other.fired;
        self.at_once += other.at_once;
        self.early += other.early;
        self.lateness.add(&other.lateness).expect("all histograms have the same bounds");
    }

    pub(crate) fn closes(&self) -> bool {
        self.armed == self.fired + self.cancelled
    }

    /// Lateness that `quantile` of the fired deadlines stayed within; `None` if none fired
    pub(crate) fn lateness(&self, quantile: f64) -> Option<Duration> {
        (!self.lateness.is_empty())
            .then(|| Duration::from_nanos(self.lateness.value_at_quantile(quantile)))
    }
}

#[derive(Debug)]
struct Account {
    armed: Counter,
    reset: Counter,
    cancelled: Counter,
    fired: Counter,
    at_once: Counter,
    early: Counter,
    /// In nanoseconds. Locked for a fired deadline only; most are cancelled.
    lateness: Mutex<Histogram<u64>>,
}

impl Account {
    fn new() -> Self {
        Self {
            armed: Counter::default(),
            reset: Counter::default(),
            cancelled: Counter::default(),
            fired: Counter::default(),
            at_once: Counter::default(),
            early: Counter::default(),
            lateness: Mutex::new(lateness_histogram()),
        }
    }

    fn record(&self, lateness: Duration) {
        let nanos = u64::try_from(lateness.as_nanos()).unwrap_or(u64::MAX);
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner).saturating_record(nanos);
    }

    fn balance(&self) -> Balance {
        Balance {
            armed: self.armed.get(),
            reset: self.reset.get(),
            cancelled: self.cancelled.get(),
            fired: self.fired.get(),
            at_once: self.at_once.get(),
            early: self.early.get(),
            lateness: self.lateness.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

/// From 1 ns to a minute, to three digits; what is later still counts as a minute
fn lateness_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("the bounds are valid")
}
