//! Deadlines on what reads and writes
//!
//! [`Deadlines`] goes around a socket, or anything else that is [`AsyncRead`] and
//! [`AsyncWrite`], and ends what takes too long with an error of kind
//! [`TimedOut`](std::io::ErrorKind::TimedOut) that [says](Missed::of) which deadline it was.
//!
//! [`AsyncRead`]: tokio::io::AsyncRead
//! [`AsyncWrite`]: tokio::io::AsyncWrite

mod deadlines;
mod idle;
mod missed;
mod wait;

pub use deadlines::Deadlines;
pub use missed::Missed;
