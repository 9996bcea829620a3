use std::time::Duration;

use tokio::time::Instant;

/// How long nothing may go in either direction, and since when nothing has
///
/// Progress only writes down the moment. Whoever waits, in one direction or in both, looks
/// at it again when the deadline comes that he knew of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    pub(super) limit: Option<Duration>,
    pub(super) since: Instant,
}

impl Idle {
    /// When it will have been too long
    ///
    /// What no `Instant` can say does not come.
    pub(super) fn due(&self) -> Option<Instant> {
        self.since.checked_add(self.limit?)
    }
}
