#[cfg(feature = "metrics")]
mod news;

use std::{fmt, time::Duration};

/// How often something took how long
///
/// Kept in buckets: sixteen for each power of two of nanoseconds, so that a
/// quantile is never more than a sixteenth above the true one. The idea of such
/// log-linear buckets is that of [HdrHistogram](https://hdrhistogram.org). What
/// took longer than 18 minutes counts as that long in the quantiles; the maximum is
/// exact.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// timer.sleep(Duration::from_millis(5)).await;
/// let lateness = timer.metrics().lateness;
/// assert_eq!(lateness.count(), 1);
/// assert!(lateness.quantile(0.99) <= lateness.max());
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    buckets: Box<[u64]>,
    count: u64,
    max: u64,
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; BUCKETS].into(), count: 0, max: 0 }
    }

    /// How many were measured
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest; zero when none was measured
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.max)
    }

    /// What this part of all did not exceed, from 0.0 to 1.0
    ///
    /// The median is that of 0.5. What lies outside of that range, and what is not a
    /// number, counts as its nearer end or as 0. Zero when nothing was measured.
    pub fn quantile(&self, part: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a cast saturates, and the rank needs to be no more precise than a bucket is"
        )]
        let rank = ((part * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(last_of(bucket).min(self.max));
            }
        }
        Duration::ZERO
    }

    /// What was measured since an earlier reading of the same
    ///
    /// Its maximum is no more exact than a quantile is.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// timer.sleep(Duration::from_millis(5)).await;
    /// let earlier = timer.metrics().lateness;
    /// timer.sleep(Duration::from_millis(5)).await;
    /// assert_eq!(timer.metrics().lateness.since(&earlier).count(), 1);
    /// # }
    /// ```
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let pairs = self.buckets.iter().zip(&earlier.buckets);
        let buckets: Box<[_]> = pairs.map(|(now, then)| now.saturating_sub(*then)).collect();
        let count = buckets.iter().sum();
        let longest = buckets.iter().rposition(|&count| count > 0);
        let max = longest.map_or(0, |bucket| last_of(bucket).min(self.max));
        // What is beyond the last bucket is in it.
        let max = if longest == Some(BUCKETS - 1) { self.max } else { max };
        Self { buckets, count, max }
    }

    #[inline]
    pub(crate) fn record(&mut self, nanos: u64, times: u64) {
        self.buckets[bucket_of(nanos)] += times;
        self.count += times;
        self.max = self.max.max(nanos);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (here, there) in self.buckets.iter_mut().zip(&other.buckets) {
            *here += there;
        }
        self.count += other.count;
        self.max = self.max.max(other.max);
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count)
            .field("p50", &self.quantile(0.5))
            .field("p99", &self.quantile(0.99))
            .field("max", &self.max())
            .finish_non_exhaustive()
    }
}

/// The bucket that counts so many nanoseconds
#[inline]
fn bucket_of(nanos: u64) -> usize {
    let nanos = nanos.min(LONGEST);
    // The first two powers of two have a bucket for each value.
    let shift = (nanos | FINE).ilog2() - FINE_BITS;
    let bucket = u64::from(shift) * FINE + (nanos >> shift);
    usize::try_from(bucket).expect("there are fewer buckets than that")
}

/// The most nanoseconds that a bucket counts
fn last_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / FINE).saturating_sub(1);
    let first = (bucket - shift * FINE) << shift;
    first + (1 << shift) - 1
}

const FINE_BITS: u32 = 4;
/// Buckets for each power of two
const FINE: u64 = 1 << FINE_BITS;
const LONGEST_BITS: u32 = 40;
const LONGEST: u64 = (1 << LONGEST_BITS) - 1;
const BUCKETS: usize = ((LONGEST_BITS - FINE_BITS + 1) << FINE_BITS) as usize;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_length_is_in_a_bucket_that_ends_at_most_a_sixteenth_above_it() {
        let near = (0..40).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for nanos in near.chain([LONGEST]) {
            let bucket = bucket_of(nanos);
            assert!(nanos <= last_of(bucket) && last_of(bucket) <= nanos + nanos / FINE);
            assert!(bucket == 0 || last_of(bucket - 1) < nanos);
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_those_of_a_sorted_list() {
        let mut histogram = Histogram::new();
        let lengths: Vec<u64> = (1..=1000).map(|n| n * n * 37).collect();
        for &nanos in &lengths {
            histogram.record(nanos, 1);
        }
        for (part, place) in [(0.0, 0), (0.001, 0), (0.5, 499), (0.99, 989), (1.0, 999)] {
            let (truth, answer) = (lengths[place], histogram.quantile(part).as_nanos());
            let most = u128::from(truth + truth / FINE);
            assert!(u128::from(truth) <= answer && answer <= most, "{part}");
        }
        assert_eq!(histogram.quantile(7.0), histogram.max());
        assert_eq!(histogram.quantile(f64::NAN), histogram.quantile(0.0));
    }

    #[test]
    fn an_empty_one_answers_zero() {
        let histogram = Histogram::default();
        assert_eq!((histogram.count(), histogram.max()), (0, Duration::ZERO));
        assert_eq!(histogram.quantile(0.5), Duration::ZERO);
    }

    #[test]
    fn a_difference_has_what_came_since() {
        let mut earlier = Histogram::new();
        earlier.record(1_000, 5);
        earlier.record(9_000_000, 1);
        let mut later = earlier.clone();
        assert_eq!(later.since(&earlier), Histogram::new());
        later.record(1_000, 1);
        later.record(1 << 20, 2);
        let since = later.since(&earlier);
        assert_eq!((since.count(), since.quantile(0.3).as_nanos() / 100), (3, 10));
        let max = u64::try_from(since.max().as_nanos()).expect("it is short");
        assert!((1 << 20..=(1 << 20) + (1 << 16)).contains(&max), "{max}");
        later.record(u64::MAX, 1);
        assert_eq!(later.since(&earlier).max(), Duration::from_nanos(u64::MAX));
        assert_eq!(earlier.since(&later), Histogram::new(), "never less than nothing");
    }

    #[test]
    fn the_sum_of_two_has_what_both_have() {
        let (mut one, mut other) = (Histogram::new(), Histogram::new());
        one.record(10, 3);
        other.record(1_000_000, 1);
        one.add(&other);
        assert_eq!((one.count(), one.max()), (4, Duration::from_millis(1)));
        assert_eq!(one.quantile(0.75), Duration::from_nanos(10));
    }
}
