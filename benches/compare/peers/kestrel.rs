//! kestrel-timer's wheel with its default settings: ticks of 10 ms and of a second
//!
//! It has callbacks and notifications of their end, no futures. A sleep is one without
//! a callback that waits for its notification, and cancels by its handle when dropped.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use kestrel_timer::{CompletionReceiver, TimerHandle, TimerTask, TimerWheel};
use tokio::runtime::Handle;

use crate::peer::Peer;

#[derive(Clone)]
pub(crate) struct Kestrel(Arc<TimerWheel>);

impl Kestrel {
    pub(crate) fn new(runtime: &Handle) -> Self {
        let _context = runtime.enter();
        Self(Arc::new(TimerWheel::with_defaults()))
    }
}

impl Peer for Kestrel {
    type Sleep = KestrelSleep;

    fn name(&self) -> String {
        "kestrel-timer".into()
    }

    fn on(&self, runtime: &Handle) -> Self {
        Self::new(runtime)
    }

    fn sleep(&self, delay: Duration) -> KestrelSleep {
        let task = TimerTask::new_oneshot(delay, None);
        let handle = self.0.register(self.0.allocate_handle(), task);
        let (end, handle) = handle.expect("the wheel is not shut down").into_parts();
        KestrelSleep { end, handle, is_over: false }
    }
}

/// A timer of the wheel, waited for
pub(crate) struct KestrelSleep {
    end: CompletionReceiver,
    handle: TimerHandle,
    is_over: bool,
}

impl Future for KestrelSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let CompletionReceiver::OneShot(end) = &mut self.end else {
            unreachable!("it was made for one shot")
        };
        let poll = Pin::new(end).poll(cx);
        self.is_over |= poll.is_ready();
        poll.map(drop)
    }
}

impl Drop for KestrelSleep {
    fn drop(&mut self) {
        if !self.is_over {
            // Where it fires at this moment there is nothing left to cancel.
            let _ = self.handle.cancel();
        }
    }
}
