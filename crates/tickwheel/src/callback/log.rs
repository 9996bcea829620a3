use std::time::Duration;

/// A call took longer than it should
pub(super) fn slow(bound: Duration) {
    #[cfg(feature = "tracing")]
    tracing::warn!(target: "tickwheel", ?bound, "a callback holds up the timer; it will not be told of again");
    #[cfg(not(feature = "tracing"))]
    let _ = bound;
}

/// The user's code panicked, and nobody is there to pass that on to
pub(super) fn panicked() {
    #[cfg(feature = "tracing")]
    tracing::error!(target: "tickwheel", "a callback panicked and was ended");
}
