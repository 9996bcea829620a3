use tickwheel_core::Tick;

/// How much later than its deadline a timer may fire, in ticks
///
/// Deadlines with slack round up to a multiple of it, so that those of about one
/// time share a visit of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slack(u32);

impl Slack {
    pub(crate) const NONE: Self = Self(0);

    /// So many ticks; the most there can be where they are more, since less is always allowed
    pub(crate) fn new(ticks: u64) -> Self {
        Self(u32::try_from(ticks).unwrap_or(u32::MAX))
    }

    /// The tick for which a deadline is armed
    #[inline]
    pub(crate) fn apply(self, deadline: Tick) -> Tick {
        if self.0 <= 1 {
            return deadline;
        }
        let slack = u64::from(self.0);
        // One beyond the last multiple keeps its own tick, which no clock reaches.
        let rounded = deadline.get().checked_next_multiple_of(slack);
        rounded.map_or(deadline, Tick::new)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_rounds_up_to_a_multiple_and_never_by_the_whole_slack() {
        for slack in [1, 2, 3, 100, 1 << 20, u64::from(u32::MAX), u64::MAX] {
            let slack = Slack::new(slack);
            for deadline in [0, 1, 99, 100, 101, 1 << 32, (1 << 60) + 7] {
                let armed = slack.apply(Tick::new(deadline)).get();
                assert_eq!(armed % u64::from(slack.0), 0);
                assert!(deadline <= armed && armed - deadline < u64::from(slack.0));
            }
        }
    }

    #[test]
    fn without_slack_and_at_the_end_of_time_a_deadline_stays() {
        for deadline in [Tick::ZERO, Tick::new(7), Tick::MAX] {
            assert_eq!(Slack::NONE.apply(deadline), deadline);
            assert_eq!(Slack::new(1).apply(deadline), deadline);
        }
        assert_eq!(Slack::new(1000).apply(Tick::MAX), Tick::MAX);
    }
}
