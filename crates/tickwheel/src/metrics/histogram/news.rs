use super::{Histogram, last_of};

/// How often something took about so long, that one histogram knew and another did not
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct News {
    bucket: usize,
    pub(crate) times: u64,
}

impl News {
    /// The middle of what its bucket counts, in seconds
    ///
    /// No more than a thirty-second from the true length, as buckets are no wider
    /// than a sixteenth of where they begin; exact below 32 ns.
    #[expect(clippy::cast_precision_loss, reason = "the bucket is wider than that")]
    pub(crate) fn seconds(self) -> f64 {
        let first = self.bucket.checked_sub(1).map_or(0, |before| last_of(before) + 1);
        (first + last_of(self.bucket)) as f64 / 2.0 / 1e9
    }
}

/// For who tells others of a histogram bit by bit, and keeps one of what was told
impl Histogram {
    /// Takes in what `now` counts and this does not yet, up to so many and the longest first
    ///
    /// Where not all can be told, what took long is what somebody wants to know.
    pub(crate) fn catch_up(&mut self, now: &Self, most: u64) -> Vec<News> {
        let mut news = Vec::new();
        let mut room = most;
        let buckets = self.buckets.iter_mut().zip(&now.buckets).enumerate();
        for (bucket, (told, &now)) in buckets.rev() {
            // Less than was told is what an older reading shows.
            let times = now.saturating_sub(*told).min(room);
            if times > 0 {
                *told += times;
                room -= times;
                news.push(News { bucket, times });
            }
        }
        self.count += most - room;
        news
    }

    /// Forgets what nobody was there to hear
    pub(crate) fn forget(&mut self, unheard: &[News]) {
        for &News { bucket, times } in unheard {
            self.buckets[bucket] -= times;
            self.count -= times;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_comes_once_and_in_bounded_pieces() {
        let (mut now, mut told) = (Histogram::new(), Histogram::new());
        now.record(7, 5);
        now.record(1_000_000, 3);
        let pieces: Vec<_> = (0..4).map(|_| told.catch_up(&now, 3)).collect();
        let counts: Vec<u64> =
            pieces.iter().map(|news| news.iter().map(|news| news.times).sum()).collect();
        assert_eq!((counts, told.count()), (vec![3, 3, 2, 0], 8));
        now.record(7, 1);
        assert_eq!(told.catch_up(&now, u64::MAX).iter().map(|news| news.times).sum::<u64>(), 1);
        assert_eq!(told.catch_up(&Histogram::new(), u64::MAX), [], "an older reading");
    }

    #[test]
    fn what_was_not_heard_is_new_again() {
        let (mut now, mut told) = (Histogram::new(), Histogram::new());
        now.record(1_000, 9);
        let news = told.catch_up(&now, 4);
        told.forget(&news);
        assert_eq!((told.count(), told.catch_up(&now, u64::MAX)[0].times), (0, 9));
    }

    #[test]
    fn the_length_that_is_told_is_at_most_a_thirty_second_off() {
        let lengths = (0..40).flat_map(|bit| [1u64 << bit, (1 << bit) + (1 << bit) / 3]);
        for nanos in lengths.chain([0]) {
            let (mut now, mut told) = (Histogram::new(), Histogram::new());
            now.record(nanos, 1);
            let seconds = told.catch_up(&now, 1)[0].seconds();
            let truth = std::time::Duration::from_nanos(nanos).as_secs_f64();
            assert!((seconds - truth).abs() <= truth / 32.0, "{nanos}: {seconds}");
        }
    }
}
