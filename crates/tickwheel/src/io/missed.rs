use std::{error::Error, fmt, io};

/// Which deadline of a [`Deadlines`](super::Deadlines) passed
///
/// It is inside the [`io::Error`], whose kind is [`TimedOut`](io::ErrorKind::TimedOut).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missed {
    /// A read had to wait for too long
    Read,
    /// A write, a flush or a shutdown had to wait for too long
    Write,
    /// Nothing went in either direction for too long
    Idle,
}

impl Missed {
    /// The deadline that an error is about, if it is about one
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io;
    /// use tickwheel::io::Missed;
    ///
    /// assert_eq!(Missed::of(&io::Error::from(Missed::Read)), Some(Missed::Read));
    /// assert_eq!(Missed::of(&io::Error::from(io::ErrorKind::TimedOut)), None);
    /// ```
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read deadline has elapsed",
            Self::Write => "write deadline has elapsed",
            Self::Idle => "idle deadline has elapsed",
        })
    }
}

impl Error for Missed {}

impl From<Missed> for io::Error {
    fn from(missed: Missed) -> Self {
        Self::new(io::ErrorKind::TimedOut, missed)
    }
}
