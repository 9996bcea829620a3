use std::time::SystemTime;

use crate::clock::Clock;

/// What a clock on the wall shows: the one place that reads it
///
/// While the timer's clock is the machine's, so is this. While a test has paused
/// or advanced it, this goes along, from where it stood when the timer was built.
#[derive(Debug)]
pub(crate) struct WallClock {
    clock: Clock,
    /// What the machine's showed at the origin of `clock`
    at_origin: SystemTime,
    #[cfg(feature = "test-util")]
    replacement: Option<Replacement>,
}

impl WallClock {
    /// The wall clock beside a clock that begins now
    pub(crate) fn start(clock: Clock) -> Self {
        Self {
            clock,
            at_origin: SystemTime::now(),
            #[cfg(feature = "test-util")]
            replacement: None,
        }
    }

    /// Shows what a test wants it to show
    #[cfg(feature = "test-util")]
    pub(crate) fn replaced_by(self, replacement: Option<Replacement>) -> Self {
        Self { replacement, ..self }
    }

    /// Read in the caller's context, as the timer's clock is
    ///
    /// May run code of a test, so not under a lock.
    pub(crate) fn now(&self) -> SystemTime {
        #[cfg(feature = "test-util")]
        if let Some(replacement) = &self.replacement {
            return replacement.now();
        }
        if !self.clock.is_virtual() {
            return SystemTime::now();
        }
        let elapsed = self.clock.now().saturating_duration_since(self.clock.origin());
        // No test gets to the end of what a `SystemTime` can say; nothing would come due there.
        self.at_origin.checked_add(elapsed).unwrap_or(self.at_origin)
    }
}

#[cfg(feature = "test-util")]
mod replacement {
    use std::{
        fmt,
        panic::{RefUnwindSafe, UnwindSafe},
        sync::Arc,
        time::SystemTime,
    };

    /// The wall clock of a test
    #[derive(Clone)]
    pub(crate) struct Replacement(Arc<dyn Fn() -> SystemTime + Send + Sync>);

    // A timer is both, with this feature as without. A test's clock that is broken by
    // a panic is the test's affair.
    impl UnwindSafe for Replacement {}
    impl RefUnwindSafe for Replacement {}

    impl Replacement {
        pub(crate) fn new(clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
            Self(Arc::new(clock))
        }

        pub(crate) fn now(&self) -> SystemTime {
            (self.0)()
        }
    }

    impl fmt::Debug for Replacement {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Replacement").field(&self.now()).finish()
        }
    }
}

#[cfg(feature = "test-util")]
pub(crate) use replacement::Replacement;
