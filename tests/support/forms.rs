//! The two forms of the methods of streams

use std::time::Duration;

use futures::Stream;
use tickwheel::{
    Timer, TimerStreamExt,
    ext::{ChunksTimeout, Debounce, Throttle, Timeout, TimeoutRepeating},
};

/// One of the forms, and the timer by which it goes
#[derive(Debug)]
pub struct Form {
    pub timer: Timer,
    is_given: bool,
}

impl Form {
    /// That with a timer of one's own, and that with the current runtime's
    ///
    /// Each is printed when its turn comes, so that a failure tells which it was.
    pub fn both() -> impl Iterator<Item = Self> {
        let given = Self { timer: Timer::new(), is_given: true };
        let ambient = Self { timer: Timer::current(), is_given: false };
        [given, ambient].into_iter().inspect(|form| println!("{form:?}"))
    }
}

/// The methods of streams, in this form
pub trait InForm: Stream + Sized {
    fn timeout_in(self, form: &Form, duration: Duration) -> Timeout<Self> {
        if form.is_given { self.timeout_on(&form.timer, duration) } else { self.timeout(duration) }
    }

    #[track_caller]
    fn timeout_repeating_in(self, form: &Form, period: Duration) -> TimeoutRepeating<Self> {
        if form.is_given {
            self.timeout_repeating_on(&form.timer, period)
        } else {
            self.timeout_repeating(period)
        }
    }

    fn throttle_in(self, form: &Form, duration: Duration) -> Throttle<Self> {
        if form.is_given {
            self.throttle_on(&form.timer, duration)
        } else {
            self.throttle(duration)
        }
    }

    fn debounce_in(self, form: &Form, duration: Duration) -> Debounce<Self> {
        if form.is_given {
            self.debounce_on(&form.timer, duration)
        } else {
            self.debounce(duration)
        }
    }

    #[track_caller]
    fn chunks_timeout_in(
        self,
        form: &Form,
        max_size: usize,
        duration: Duration,
    ) -> ChunksTimeout<Self> {
        if form.is_given {
            self.chunks_timeout_on(&form.timer, max_size, duration)
        } else {
            self.chunks_timeout(max_size, duration)
        }
    }
}

impl<S: Stream> InForm for S {}
