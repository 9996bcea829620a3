use std::time::Duration;

/// A call took longer than it should
pub(super) fn slow(timer: &str, bound: Duration) {
    #[cfg(feature = "tracing")]
    crate::log::tell(|| {
        tracing::warn!(
            target: "tickwheel",
            timer,
            ?bound,
            "a callback holds up the timer; it will not be told of again"
        );
    });
    #[cfg(not(feature = "tracing"))]
    let _ = (timer, bound);
}

/// The user's code panicked, and nobody is there to pass that on to
pub(super) fn panicked(timer: &str) {
    #[cfg(feature = "tracing")]
    crate::log::tell(|| {
        tracing::error!(target: "tickwheel", timer, "a callback panicked and was ended");
    });
    #[cfg(not(feature = "tracing"))]
    let _ = timer;
}
