use std::{pin::pin, task::Context};

/// Arranges for this task to be polled again after others had their turn
///
/// A task that just wakes itself is run again before those that yielded, and before
/// the runtime looks at its sockets. tokio defers a yielding one until it has done both.
pub(crate) fn give_way(cx: &mut Context<'_>) {
    let _ = pin!(tokio::task::yield_now()).poll(cx);
}
