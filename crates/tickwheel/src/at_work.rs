use std::{cell::Cell, sync::Arc};

use tokio::time::Instant;

use crate::{bell::Bell, sync::thread_local};

/// As long as it lives the driver is at work on this thread
///
/// Callbacks run only where their own driver fires them, and while its turn has
/// time. In somebody else's hands, who helps while the driver is behind, they wait
/// for it.
#[must_use]
#[derive(Debug)]
pub(crate) struct AtWork {
    before: Option<Turn>,
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    driver: *const Bell,
    until: Instant,
    /// As it was last read
    now: Instant,
    /// How many callbacks have asked whether they may be called
    asked: usize,
}

/// Whether a callback that came due may be called here
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MayCall {
    Now(Instant),
    /// In the next turn of the driver, which is here and has used up its time
    Later,
    /// The driver is not here
    Elsewhere,
}

impl AtWork {
    /// A turn of a driver that calls callbacks until then, and one at least
    pub(crate) fn begin(bell: &Arc<Bell>, now: Instant, until: Instant) -> Self {
        // A driver may be polled or dropped by what another one fires, so they nest.
        let turn = Turn { driver: Arc::as_ptr(bell), until, now, asked: 0 };
        let before = here();
        set_here(Some(turn));
        Self { before }
    }

    /// Whether the driver of that bell is at work here
    pub(crate) fn is_here(bell: &Arc<Bell>) -> bool {
        here().is_some_and(|turn| turn.driver == Arc::as_ptr(bell))
    }

    /// How many callbacks have come due in the turn that is here
    pub(crate) fn callbacks() -> usize {
        here().map_or(0, |turn| turn.asked)
    }

    /// So late it is by now
    ///
    /// To read the clock once for each call, and not before and after, is a third of what a
    /// short one costs.
    pub(crate) fn goes_on(now: Instant) {
        set_here(here().map(|turn| Turn { now, ..turn }));
    }

    /// Asked once for each call; says what time it is
    pub(crate) fn may_call(bell: &Arc<Bell>) -> MayCall {
        match here() {
            Some(turn) if turn.driver == Arc::as_ptr(bell) => {
                set_here(Some(Turn { asked: turn.asked + 1, ..turn }));
                let is_over = turn.asked > 0 && turn.now >= turn.until;
                if is_over { MayCall::Later } else { MayCall::Now(turn.now) }
            }
            _ => MayCall::Elsewhere,
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        set_here(self.before);
    }
}

fn here() -> Option<Turn> {
    HERE.with(Cell::get)
}

fn set_here(turn: Option<Turn>) {
    HERE.with(|here| here.set(turn));
}

thread_local! {
    static HERE: Cell<Option<Turn>> = const { Cell::new(None) };
}
