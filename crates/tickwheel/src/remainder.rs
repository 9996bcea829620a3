use std::time::Duration;

/// What is left of `duration` when as many whole periods are taken away as it holds
///
/// The period is not zero.
pub(crate) fn remainder(duration: Duration, period: Duration) -> Duration {
    let nanos = duration.as_nanos() % period.as_nanos();
    let (seconds, nanos) = (nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
    Duration::new(
        u64::try_from(seconds).expect("it is less than the period, whose seconds are a u64"),
        u32::try_from(nanos).expect("it is less than a second"),
    )
}

const NANOS_PER_SECOND: u128 = 1_000_000_000;
