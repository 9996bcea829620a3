use std::{
    fmt,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task::coop,
};

use super::{idle::Idle, missed::Missed, wait::Wait};
use crate::timer::Timer;

pin_project! {
    /// Something that reads and writes, with deadlines
    ///
    /// There are three, none of which is set at first. Any duration is accepted;
    /// [`Duration::MAX`] does not come.
    ///
    /// | deadline | passes when |
    /// |---|---|
    /// | read | a read has waited so long and found nothing, the end included |
    /// | write | a write, flush or shutdown has waited so long |
    /// | idle | something is waited for, and no byte was read or written for so long |
    ///
    /// The first two count from the poll that found nothing to do, so that the time a task
    /// does something else is not taken from them, and anew after each that could be done.
    /// The idle deadline counts from the last byte in either direction, or from when it was
    /// set: a long answer that is being sent keeps a connection from being idle where no
    /// request comes. It needs somebody who waits, to be told.
    ///
    /// What it is around is asked first: what can be done is done, however late.
    ///
    /// # Errors
    ///
    /// Those of what it is around; an error of kind [`TimedOut`](io::ErrorKind::TimedOut) when
    /// a deadline passes, with [`Missed`] inside; and one with
    /// [`TimerError::ShutDown`](crate::TimerError::ShutDown) inside when something has to
    /// be waited for and the timer was shut down or its runtime is gone.
    ///
    /// It may be used on after a deadline has passed. A read or write then has as much time
    /// again; idle it is until a byte goes through.
    ///
    /// # Cancel safety
    ///
    /// It buffers nothing, so what is dropped loses what it would lose without deadlines.
    /// A read that is dropped while it waits, by `select!` for example, goes on waiting as far as
    /// its deadline is concerned: time counts from its first poll until there is something
    /// to read.
    ///
    /// Dropping it cancels its deadlines, completely and at once.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> std::io::Result<()> {
    /// use std::{io, time::Duration};
    /// use tickwheel::{Timer, io::{Deadlines, Missed}};
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// let timer = Timer::new();
    /// let (mut peer, socket) = tokio::io::duplex(64);
    /// let mut socket = Deadlines::new(socket, &timer)
    ///     .with_read_timeout(Duration::from_secs(10))
    ///     .with_idle_timeout(Duration::from_secs(60));
    ///
    /// peer.write_all(b"hello").await?;
    /// let mut line = [0; 64];
    /// assert_eq!(socket.read(&mut line).await?, 5);
    ///
    /// let error = socket.read(&mut line).await.unwrap_err();
    /// assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    /// assert_eq!(Missed::of(&error), Some(Missed::Read));
    /// # Ok(())
    /// # }
    /// ```
    pub struct Deadlines<S> {
        #[pin]
        inner: S,
        read: Wait,
        write: Wait,
        idle: Idle,
    }
}

impl<S> Deadlines<S> {
    /// Puts deadlines on this timer, in the lane of the handle, around it
    pub fn new(inner: S, timer: &Timer) -> Self {
        let shard = timer.shard();
        let read = Wait::new(shard, Missed::Read);
        let write = Wait::new(shard, Missed::Write);
        let idle = Idle { limit: None, since: read.now() };
        Self { inner, read, write, idle }
    }

    /// Limits how long a read may wait
    #[must_use = "it is the one that is returned"]
    pub fn with_read_timeout(mut self, duration: Duration) -> Self {
        self.set_read_timeout(Some(duration));
        self
    }

    /// Limits how long a write, a flush or a shutdown may wait
    #[must_use = "it is the one that is returned"]
    pub fn with_write_timeout(mut self, duration: Duration) -> Self {
        self.set_write_timeout(Some(duration));
        self
    }

    /// Limits how long nothing may be read or written
    #[must_use = "it is the one that is returned"]
    pub fn with_idle_timeout(mut self, duration: Duration) -> Self {
        self.set_idle_timeout(Some(duration));
        self
    }

    /// How long a read may wait
    pub fn read_timeout(&self) -> Option<Duration> {
        self.read.limit
    }

    /// How long a write, a flush or a shutdown may wait
    pub fn write_timeout(&self) -> Option<Duration> {
        self.write.limit
    }

    /// How long nothing may be read or written
    pub fn idle_timeout(&self) -> Option<Duration> {
        self.idle.limit
    }

    /// Changes how long a read may wait, one that waits now included
    pub fn set_read_timeout(&mut self, duration: Option<Duration>) {
        self.read.limit = duration;
        self.read.aim(&self.idle);
    }

    /// Changes how long a write, a flush or a shutdown may wait, one that waits now included
    pub fn set_write_timeout(&mut self, duration: Option<Duration>) {
        self.write.limit = duration;
        self.write.aim(&self.idle);
    }

    /// Changes how long nothing may be read or written, counted from now
    pub fn set_idle_timeout(&mut self, duration: Option<Duration>) {
        self.idle = Idle { limit: duration, since: self.read.now() };
        self.read.aim(&self.idle);
        self.write.aim(&self.idle);
    }

    /// What it is around
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// What it is around
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// What it is around, pinned
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().inner
    }

    /// What it is around, without deadlines
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: AsyncRead> AsyncRead for Deadlines<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        let before = buf.filled().len();
        let result = this.inner.poll_read(cx, buf);
        let moved = |(): &(), _| buf.filled().len() > before;
        within(this.read, this.idle, result, moved, had_budget, cx)
    }
}

impl<S: AsyncWrite> AsyncWrite for Deadlines<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        let result = this.inner.poll_write(cx, buf);
        within(this.write, this.idle, result, |&bytes, _| bytes > 0, had_budget, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        let result = this.inner.poll_write_vectored(cx, bufs);
        within(this.write, this.idle, result, |&bytes, _| bytes > 0, had_budget, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        let result = this.inner.poll_flush(cx);
        within(this.write, this.idle, result, |(), waited| waited, had_budget, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        let result = this.inner.poll_shutdown(cx);
        within(this.write, this.idle, result, |(), waited| waited, had_budget, cx)
    }
}

impl<S: fmt::Debug> fmt::Debug for Deadlines<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadlines")
            .field("inner", &self.inner)
            .field("read_timeout", &self.read_timeout())
            .field("write_timeout", &self.write_timeout())
            .field("idle_timeout", &self.idle_timeout())
            .finish_non_exhaustive()
    }
}

/// What came of it, or an error when it has been waited for too long
///
/// `moved` is asked, with whether it had been waited for, if bytes went through. What was
/// flushed after a wait had some.
fn within<T>(
    wait: &mut Wait,
    idle: &mut Idle,
    result: Poll<io::Result<T>>,
    moved: impl FnOnce(&T, bool) -> bool,
    had_budget: bool,
    cx: &mut Context<'_>,
) -> Poll<io::Result<T>> {
    let Poll::Ready(result) = result else {
        return wait.poll(idle, had_budget, cx).map(Err);
    };
    let waited = wait.end();
    if idle.limit.is_some() && result.as_ref().is_ok_and(|done| moved(done, waited)) {
        idle.since = wait.now();
    }
    Poll::Ready(result)
}
