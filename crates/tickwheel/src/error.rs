use std::{error::Error, fmt, io};

/// Why a timer cannot wait
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimerError {
    /// The timer was shut down, or the runtime its driver ran on is gone
    ShutDown,
    /// The timer holds as many timers as it may
    AtCapacity,
    /// A repeating callback was to repeat after no time at all
    ZeroPeriod,
}

impl fmt::Display for TimerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ShutDown => "the timer was shut down or its runtime is gone",
            Self::AtCapacity => "the timer holds as many timers as it may",
            Self::ZeroPeriod => "a period must be longer than zero",
        })
    }
}

impl Error for TimerError {}

/// What a timer did not take, and why
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused<F> {
    /// Why
    pub error: TimerError,
    /// What was to be armed, given back
    pub value: F,
}

impl<F> fmt::Debug for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<F> fmt::Display for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<F> Error for Refused<F> {}

/// `set_next` was called on a callback that follows a schedule
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledCallback;

impl fmt::Display for ScheduledCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the schedule alone decides when this callback runs")
    }
}

impl Error for ScheduledCallback {}

/// A deadline passed before the future was ready
///
/// Turns into an [`io::Error`] of kind [`TimedOut`](io::ErrorKind::TimedOut).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline has elapsed")
    }
}

impl Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(elapsed: Elapsed) -> Self {
        Self::new(io::ErrorKind::TimedOut, elapsed)
    }
}

/// Why a [`TryTimeout`](crate::TryTimeout) ended without its future's output
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutError {
    /// The deadline passed first
    Elapsed(Elapsed),
    /// The timer cannot keep a deadline
    Timer(TimerError),
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elapsed(elapsed) => elapsed.fmt(f),
            Self::Timer(error) => error.fmt(f),
        }
    }
}

impl Error for TimeoutError {}

impl From<Elapsed> for TimeoutError {
    fn from(elapsed: Elapsed) -> Self {
        Self::Elapsed(elapsed)
    }
}

impl From<TimerError> for TimeoutError {
    fn from(error: TimerError) -> Self {
        Self::Timer(error)
    }
}

/// An interval's period was zero
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroPeriod;

impl fmt::Display for ZeroPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a period must be longer than zero")
    }
}

impl Error for ZeroPeriod {}

/// Why a timer could not be built
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no tokio runtime here for the driver to run on
    OutsideRuntime,
    /// The current-thread runtime was built without `enable_time`, which the
    /// virtual clock needs
    TimeDisabled,
    /// A setting was out of its range
    OutOfRange {
        /// The builder's method that was given it
        field: &'static str,
        /// What it was given
        value: String,
        /// What it takes
        range: &'static str,
    },
    /// The operating system gave no thread for the alarm
    NoThread(io::ErrorKind),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideRuntime => f.write_str(
                "there is no tokio runtime here: make the timer inside one, \
                 or name one with `Timer::builder().build_on(..)`",
            ),
            Self::TimeDisabled => f.write_str(
                "this current-thread runtime has no time driver: build it with `enable_time()`, \
                 or the timer with `virtual_clock(false)`",
            ),
            Self::OutOfRange { field, value, range } => {
                write!(f, "`{field}` takes {range}, not {value}")
            }
            Self::NoThread(kind) => write!(f, "no thread could be started for the alarm: {kind}"),
        }
    }
}

impl Error for BuildError {}

/// Why a runtime was not given a timer of its own
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallError {
    /// It has one already, installed or made at the first use
    AlreadyThere,
    /// The timer could not be built
    Build(BuildError),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyThere => f.write_str(
                "this runtime has its timer already: install one before \
                 `Timer::current` and `tickwheel::time` are first used",
            ),
            Self::Build(error) => error.fmt(f),
        }
    }
}

impl Error for InstallError {}

impl From<BuildError> for InstallError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}
