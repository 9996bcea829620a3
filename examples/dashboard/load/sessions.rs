//! Sessions that expire in minutes, days or months, and are renewed before most of them do.

use std::{iter, time::Duration};

use tickwheel::{Callback, Timer};

use super::mix;

/// Keeps so many sessions, each a callback, until the timer is shut down
pub(super) async fn keep(timer: Timer, tick: Duration) {
    let mut sessions: Vec<_> = iter::repeat_with(|| None).take(SESSIONS).collect();
    for session in &mut sessions {
        *session = begin(&timer, tick);
    }
    while timer.try_sleep(RENEWAL).await.is_ok() {
        let session = &mut sessions[fastrand::usize(..SESSIONS)];
        if let Some(session) = session.take() {
            session.cancel();
        }
        *session = begin(&timer, tick);
    }
}

/// None when the timer was shut down
fn begin(timer: &Timer, tick: Duration) -> Option<Callback> {
    timer.try_call_later(lifetime(tick), || ()).ok()
}

/// In any ring beyond the near one, or beyond them all, whatever the tick
fn lifetime(tick: Duration) -> Duration {
    let ring = fastrand::usize(..=RINGS.len() * MANY) / MANY;
    let ends = RINGS.get(ring).unwrap_or(&BEYOND).map(|bits| tick.mul_f64(bits.exp2()));
    // More of the shorter ones, as it would be.
    mix(ends, fastrand::f64().powi(2))
}

/// Powers of two of ticks: where each ring begins and ends
const RINGS: [[f64; 2]; 4] = [[8.0, 14.0], [14.0, 20.0], [20.0, 26.0], [26.0, 32.0]];
const BEYOND: [f64; 2] = [32.0, 34.0];
/// In each ring, for one that is beyond
const MANY: usize = 25;
const SESSIONS: usize = 4000;
const RENEWAL: Duration = Duration::from_millis(10);
