//! The durations of the protocol, and why each stands where it does.

use std::time::Duration;

/// How long a client waits for one answer
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a client waits for a connection
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Work the server does for a request that takes a little while, in milliseconds
pub(crate) const SHORT_WORK_MS: (u64, u64) = (1, 20);

/// Work that makes an answer late, in milliseconds
///
/// It begins far above [`REQUEST_TIMEOUT`]: an answer and a deadline that are both there when the
/// client looks would count as an answer, and a busy machine can make it look late.
pub(crate) const LATE_WORK_MS: (u64, u64) = (400, 800);

/// How late a late answer is at the least
pub(crate) const LATE_BY: Duration =
    Duration::from_millis(LATE_WORK_MS.0).saturating_sub(REQUEST_TIMEOUT);

/// How long the server works on one request before it gives up; cuts through [`LATE_WORK_MS`]
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_millis(600);

/// How long a connection may be silent before the server drops it
///
/// Longer than any pause of a client that is well, so that only stalled ones meet it.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// How much later than [`IDLE_TIMEOUT`] a stalled client may be dropped before it counts as missed
pub(crate) const IDLE_SLACK: Duration = Duration::from_secs(2);

/// Period of the server's sign of life on each connection
pub(crate) const HEARTBEAT: Duration = Duration::from_millis(250);

/// Pause of a client between two bursts of requests, in milliseconds
pub(crate) const PAUSE_MS: (u64, u64) = (20, 100);

/// Retries of one request before the client gives it up
pub(crate) const RETRIES: u32 = 3;

/// First back-off before a retry; doubles with each further one
pub(crate) const FIRST_BACK_OFF: Duration = Duration::from_millis(10);

/// How long all tasks may take to end, once told to
pub(crate) const GRACE: Duration = Duration::from_secs(10);

const _: () = {
    assert!(LATE_BY.as_millis() > REQUEST_TIMEOUT.as_millis());
    assert!(LATE_WORK_MS.1 as u128 > ANSWER_TIMEOUT.as_millis());
    assert!(PAUSE_MS.1 as u128 * 4 < IDLE_TIMEOUT.as_millis());
    assert!(GRACE.as_millis() > IDLE_TIMEOUT.as_millis() + IDLE_SLACK.as_millis());
};
