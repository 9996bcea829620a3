/// Somebody has shut the timer down
pub(super) fn shut_down(timer: &str) {
    #[cfg(feature = "tracing")]
    crate::log::tell(|| tracing::debug!(target: "tickwheel", timer, "the timer is shut down"));
    #[cfg(not(feature = "tracing"))]
    let _ = timer;
}
