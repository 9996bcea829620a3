//! How late timers were within some time, from a histogram of all time.

use std::time::Duration;

use serde::Serialize;
use tickwheel::Histogram;

/// How late, in seconds
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Lateness {
    p50: f64,
    p99: f64,
    max: f64,
}

/// A histogram's buckets in order: how many were as long as this, or shorter
///
/// A histogram answers for quantiles only, of all that it ever measured. Asking for one rank
/// after another gives its buckets back, and so what came between two readings.
pub(crate) struct Ranks(Vec<(Duration, u64)>);

impl Ranks {
    pub(crate) fn of(histogram: &Histogram) -> Self {
        let count = histogram.count();
        let mut ranks = Vec::new();
        let mut first = 1;
        while first <= count {
            let length = at(histogram, first);
            let last = last_of(histogram, first, length);
            ranks.push((length, last));
            first = last + 1;
        }
        Self(ranks)
    }

    /// What was measured since an earlier reading; none when nothing was
    pub(crate) fn since(&self, earlier: &Self) -> Option<Lateness> {
        let gained: Vec<_> = self
            .0
            .iter()
            .map(|&(length, rank)| (length, rank.saturating_sub(earlier.up_to(length))))
            .collect();
        let count = gained.last().map_or(0, |&(_, rank)| rank);
        let rank = |hundredth: u64| (count * hundredth).div_ceil(100);
        let length = |wanted| {
            let bucket = gained.iter().find(|&&(_, rank)| rank >= wanted);
            bucket.map_or(0.0, |&(length, _)| length.as_secs_f64())
        };
        (count > 0).then(|| Lateness {
            p50: length(rank(50)),
            p99: length(rank(99)),
            max: length(rank(100)),
        })
    }

    fn up_to(&self, length: Duration) -> u64 {
        let shorter = self.0.partition_point(|&(other, _)| other <= length);
        shorter.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

/// The length with this rank, counted from one
fn at(histogram: &Histogram, rank: u64) -> Duration {
    // The middle of the rank's part, so that no rounding leads into its neighbour's.
    #[expect(clippy::cast_precision_loss, reason = "exact for more than a run of this fires")]
    histogram.quantile((rank as f64 - 0.5) / histogram.count() as f64)
}

/// The last rank whose length is the same as that of `first`
fn last_of(histogram: &Histogram, first: u64, length: Duration) -> u64 {
    let (mut same, mut end) = (first, histogram.count());
    while same < end {
        let middle = end - (end - same) / 2;
        if at(histogram, middle) == length {
            same = middle;
        } else {
            end = middle - 1;
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tickwheel::Timer;

    use super::*;

    #[tokio::test]
    async fn what_came_between_two_readings_is_told_from_what_came_before() {
        let timer = Timer::new();
        for millis in 0..20 {
            timer.sleep(Duration::from_millis(millis % 3)).await;
        }
        let early = timer.metrics().lateness;
        let ranks = Ranks::of(&early);
        let [p50, p99] = [0.5, 0.99].map(|part| early.quantile(part).as_secs_f64());
        let max = early.max().as_secs_f64();
        assert_eq!(ranks.since(&Ranks(Vec::new())), Some(Lateness { p50, p99, max }));
        assert_eq!(ranks.since(&ranks), None);

        let mut sleep = timer.sleep(Duration::from_millis(1));
        assert!(futures::poll!(&mut sleep).is_pending());
        thread::sleep(HELD_UP);
        sleep.await;
        let late = Ranks::of(&timer.metrics().lateness).since(&ranks).expect("one has fired");
        assert!(late.p50 >= HELD_UP.as_secs_f64() * 0.9);
        assert_eq!((late.p50, late.p99), (late.max, late.max), "of one all are the same");
    }

    const HELD_UP: Duration = Duration::from_millis(50);
}
