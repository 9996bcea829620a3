use std::{
    any::Any,
    fmt, mem,
    panic::{AssertUnwindSafe, Location, catch_unwind},
    time::SystemTime,
};

/// Why a schedule was ended that did not end by itself
pub(super) enum Fault {
    /// With this message, if it was one
    Panicked(Option<String>),
    OutOfOrder {
        after: SystemTime,
        answer: SystemTime,
    },
}

impl Fault {
    pub(super) fn panicked(payload: Box<dyn Any + Send>) -> Self {
        let message = message(&*payload).map(ToOwned::to_owned);
        // What was thrown is user code as well. Should its drop throw once more, that is not looked at.
        mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
        Self::Panicked(message)
    }
}

/// Tells those who watch: nobody is there to return an error to
pub(super) fn ended(fault: &Fault, made_at: &Location<'_>) {
    #[cfg(feature = "tracing")]
    crate::log::tell(|| {
        tracing::error!(target: "tickwheel", %fault, %made_at, "a schedule has ended");
    });
    #[cfg(not(feature = "tracing"))]
    let _ = (fault, made_at);
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(Some(message)) => write!(f, "it panicked: {message}"),
            Self::Panicked(None) => f.write_str("it panicked"),
            Self::OutOfOrder { after, answer } => {
                let early = after.duration_since(*answer).unwrap_or_default();
                write!(
                    f,
                    "its next occurrence is {early:?} before the moment it was to be later than"
                )
            }
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> Option<&str> {
    let literal = payload.downcast_ref::<&str>().copied();
    literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}
