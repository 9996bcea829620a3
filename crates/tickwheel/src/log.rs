use crate::guarded::guarded;

/// Tells those who watch of something
///
/// A subscriber is user code. It is called with no lock held, and nothing of ours
/// stops though it panics.
pub(crate) fn tell(event: impl FnOnce()) {
    let _ = guarded(event);
}
