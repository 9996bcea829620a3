mod log;
mod unfired;

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use crate::{closing::Standing, give_way::give_way, shard::PIECE, timer::Timer};

pub(crate) use unfired::Leftover;
pub use unfired::{Unfired, UnfiredCallback};

/// Waits for the end of a timer that was shut down
///
/// Made by [`Timer::shutdown`], which has taken effect when it returns, whether or
/// not this is awaited. It resolves to what was [armed](Unfired), once that has been
/// taken out and any callback that was running has returned. Of several for one
/// timer the first is given what was armed, and the others nothing.
///
/// Very many timers are taken out in pieces the size of the driver's
/// [budget](crate::Builder::turn_timers), with other tasks in between.
///
/// # Deadlocks
///
/// A callback that blocks its thread until this resolves waits for itself.
///
/// # Cancel safety
///
/// Dropping it does not stop the shutdown. What it has not given out is dropped.
#[must_use = "what was armed is in here; it is dropped with this"]
pub struct Shutdown {
    timer: Timer,
    /// Whether what was armed is to be given out here
    is_first: bool,
}

impl Shutdown {
    pub(crate) fn begin(timer: Timer) -> Self {
        let service = timer.service();
        let is_first = service.closing.begin(true, timer.shards());
        // Whether or not somebody waits, the driver is to clear up and end.
        service.bell.ring();
        if is_first {
            log::shut_down(&service.name);
        }
        Self { timer, is_first }
    }
}

impl Future for Shutdown {
    type Output = Unfired;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Unfired> {
        let closing = &self.timer.service().closing;
        // The driver may be on a runtime that nobody runs now, so this does not wait for it.
        let mut room = self.timer.service().budget.timers;
        while room > 0 && closing.drain_some(self.timer.shards()) {
            room = room.saturating_sub(PIECE);
        }
        match closing.poll(cx.waker()) {
            Standing::Draining => {
                give_way(cx);
                Poll::Pending
            }
            Standing::Waiting => Poll::Pending,
            Standing::Over if self.is_first => {
                self.is_first = false;
                let unfired = self.timer.service().closing.take();
                Poll::Ready(unfired.sorted())
            }
            Standing::Over => Poll::Ready(Unfired::default()),
        }
    }
}

impl Drop for Shutdown {
    fn drop(&mut self) {
        if self.is_first {
            drop(self.timer.service().closing.take());
        }
    }
}

impl fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shutdown").field("is_first", &self.is_first).finish_non_exhaustive()
    }
}
