use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    runtime::Handle,
    time::{Instant, Sleep as TokioSleep},
};

use crate::shard::Shard;

/// A timer of tokio's own, for a queue that is polled where the clock is virtual
///
/// There nothing but tokio's timers can tell of time, and the driver has to ask one. That
/// is a turn of its task and a waker for each tick, more than all else a delivery
/// costs, so the queue asks tokio itself.
#[derive(Debug)]
pub(super) struct VirtualAlarm {
    shard: Arc<Shard>,
    /// There once the clock was seen to be virtual, which it stays: the place is
    /// allocated once, and empty while nothing is waited for
    place: Option<Pin<Box<Option<TokioSleep>>>>,
}

impl VirtualAlarm {
    pub(super) fn new(shard: &Arc<Shard>) -> Self {
        Self { shard: Arc::clone(shard), place: None }
    }

    /// Whether it serves here: the clock is virtual, and its runtime is that of the timer
    pub(super) fn serves(&mut self) -> bool {
        let Some(runtime) = self.shard.service.paused_by else { return false };
        match &self.place {
            // It was made on the right runtime, and follows that from wherever it is polled.
            Some(place) if place.is_some() => return true,
            None if !self.shard.clock.is_virtual() => return false,
            _ => {}
        }
        let is_there = Handle::try_current().is_ok_and(|here| here.id() == runtime);
        if is_there && self.place.is_none() {
            self.place = Some(Box::pin(None));
        }
        is_there
    }

    /// Waits until then, where it [`serves`](Self::serves)
    pub(super) fn poll(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let place = self.place.as_mut().expect("`serves` has made it");
        match place.as_mut().as_pin_mut() {
            Some(alarm) if alarm.deadline() == at => {}
            Some(alarm) => alarm.reset(at),
            None => place.set(Some(tokio::time::sleep_until(at))),
        }
        place.as_mut().as_pin_mut().expect("it was set above").poll(cx)
    }

    /// Waits for nothing: a virtual clock would jump to what is no more
    pub(super) fn disarm(&mut self) {
        if let Some(place) = self.place.as_mut().filter(|place| place.is_some()) {
            place.set(None);
        }
    }
}
