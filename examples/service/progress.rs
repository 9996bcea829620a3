//! The bar shown while the service runs.

use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use tokio::time::{self, Instant, MissedTickBehavior};

use super::{clock::Clock, tally::Tally};

/// Draws until `length` is over; nothing is drawn if stderr is no terminal
///
/// It keeps its time with tokio in either case: the run is measured, not the bar.
pub(crate) async fn show(length: Duration, tally: &Tally, clock: &Clock) {
    let bar = ProgressBar::new(millis(length)).with_style(style());
    let start = Instant::now();
    let mut frames = time::interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = (start, 0);
    loop {
        frames.tick().await;
        let now = Instant::now();
        let ok = tally.requests.ok.get();
        let rate = per_second(ok - last.1, now - last.0);
        last = (now, ok);
        bar.set_position(millis(now - start).min(millis(length)));
        bar.set_message(format!(
            "{} requests/s, {} deadlines fired",
            HumanCount(rate),
            HumanCount(clock.ledger().fired()),
        ));
        if now - start >= length {
            break;
        }
    }
    bar.finish_and_clear();
}

/// Rounded down; zero for no time at all
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    (count * 1000).checked_div(millis(time)).unwrap_or(0)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).expect("a run takes less than a day")
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {msg}")
        .expect("the template is valid")
        .progress_chars("=> ")
}

const FRAME: Duration = Duration::from_millis(200);
