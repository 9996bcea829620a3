//! The ambient timer that this thread used last
//!
//! Runtime ids can come again, so an entry counts only while its timer lives: its
//! driver, which its runtime drops, shuts it down. Whatever else is asked for is in
//! the [`table`](super::table).

use std::{
    cell::RefCell,
    sync::{Arc, Weak},
};

use tokio::runtime::Id;

use crate::{
    shard::Shard,
    timer::{Timer, WeakTimer},
};

/// Keeps nothing alive, or a thread would what its runtime has dropped
struct Last {
    runtime: Id,
    timer: WeakTimer,
    /// The timer's for this thread, so that threads need not share the timer's reference count
    shard: Weak<Shard>,
}

pub(super) fn timer(runtime: Id) -> Option<Timer> {
    let timer = with_last(runtime, |last| last.timer.upgrade())?;
    (!timer.is_shutdown()).then_some(timer)
}

#[inline]
pub(super) fn shard(runtime: Id) -> Option<Arc<Shard>> {
    let shard = with_last(runtime, |last| last.shard.upgrade())?;
    (!shard.service.closing.has_begun()).then_some(shard)
}

pub(super) fn remember(runtime: Id, timer: &Timer) {
    let shard = Arc::downgrade(timer.shard());
    let last = Last { runtime, timer: timer.downgrade(), shard };
    // A thread whose locals are gone asks the table each time.
    let _ = LAST.try_with(|known| known.replace(Some(last)));
}

#[inline]
fn with_last<R>(runtime: Id, find: impl FnOnce(&Last) -> Option<R>) -> Option<R> {
    LAST.try_with(|last| {
        last.borrow().as_ref().filter(|last| last.runtime == runtime).and_then(find)
    })
    .ok()?
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}
