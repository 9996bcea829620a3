use std::{any::Any, fmt, panic::Location, time::SystemTime};

/// Why a schedule was ended that did not end by itself
pub(super) enum Fault {
    Panicked(Box<dyn Any + Send>),
    OutOfOrder { after: SystemTime, answer: SystemTime },
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
            Self::Panicked(payload) => match message(&**payload) {
                Some(message) => write!(f, "it panicked: {message}"),
                None => f.write_str("it panicked"),
            },
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
