//! Deadlines on a duplex stream, on the virtual clock

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tickwheel::{
    Timer, TimerError,
    io::{Deadlines, Missed},
};
use tickwheel_tests::durations::{HOUR, MS, SECOND};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex},
    time::{self, Instant},
};
use tokio_test::{assert_pending, assert_ready, io::Builder, task};

/// A stream without deadlines, and its other end
fn pair(timer: &Timer) -> (Deadlines<DuplexStream>, DuplexStream) {
    let (ours, theirs) = duplex(8);
    (Deadlines::new(ours, timer), theirs)
}

fn missed<T: std::fmt::Debug>(result: io::Result<T>) -> Missed {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    let missed = Missed::of(&error).expect("it says which");
    assert_eq!(error.to_string(), missed.to_string());
    missed
}

#[tokio::test(start_paused = true)]
async fn a_read_that_waits_for_too_long_ends() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND);
    for n in 1..=3 {
        let start = Instant::now();
        assert_eq!(missed(ours.read_u8().await), Missed::Read, "try {n}");
        assert_eq!(start.elapsed(), SECOND, "try {n} has as much time again");
    }
}

#[tokio::test(start_paused = true)]
async fn each_byte_gives_a_read_its_time_again() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND);
    let writer = tokio::spawn(async move {
        for byte in 0..5 {
            time::sleep(900 * MS).await;
            theirs.write_u8(byte).await.unwrap();
        }
        theirs
    });
    let start = Instant::now();
    let mut bytes = [0; 5];
    ours.read_exact(&mut bytes).await.unwrap();
    assert_eq!((bytes, start.elapsed()), ([0, 1, 2, 3, 4], 4500 * MS));
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.reset, metrics.fired), (1, 4, 0), "moved in place");
    let _theirs = writer.await.unwrap();
    assert_eq!(missed(ours.read_u8().await), Missed::Read);
    assert_eq!(start.elapsed(), 5500 * MS);
}

/// What the task does between two reads is not the peer's fault
#[tokio::test(start_paused = true)]
async fn time_in_which_nobody_reads_does_not_count() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND);
    theirs.write_u8(1).await.unwrap();
    time::sleep(HOUR).await;
    assert_eq!(ours.read_u8().await.unwrap(), 1);
    time::sleep(HOUR).await;
    let start = Instant::now();
    assert_eq!(missed(ours.read_u8().await), Missed::Read);
    assert_eq!(start.elapsed(), SECOND);
}

/// A read in a `select!` loop that others win keeps its deadline
#[tokio::test(start_paused = true)]
async fn a_read_that_is_dropped_and_begun_again_keeps_its_deadline() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND);
    let start = Instant::now();
    let result = loop {
        tokio::select! {
            result = ours.read_u8() => break result,
            () = time::sleep(300 * MS) => (),
        }
    };
    assert_eq!(missed(result), Missed::Read);
    assert_eq!(start.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn what_can_be_read_is_read_however_late() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = task::spawn(ours.with_read_timeout(SECOND).with_idle_timeout(SECOND));
    let mut byte = [0];
    let read = |ours: &mut task::Spawn<Deadlines<DuplexStream>>, byte: &mut [u8]| {
        ours.enter(|cx, ours| ours.poll_read(cx, &mut tokio::io::ReadBuf::new(byte)))
    };
    assert_pending!(read(&mut ours, &mut byte));
    time::sleep(HOUR).await;
    theirs.write_u8(7).await.unwrap();
    assert!(assert_ready!(read(&mut ours, &mut byte)).is_ok());
    assert_eq!(byte, [7]);
}

#[tokio::test(start_paused = true)]
async fn the_end_and_errors_of_the_stream_are_passed_on() {
    let timer = Timer::new();
    let (ours, theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND).with_write_timeout(SECOND);
    drop(theirs);
    assert_eq!(ours.read(&mut [0; 4]).await.unwrap(), 0);
    assert_eq!(ours.write_u8(1).await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert_eq!(timer.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_waits_for_too_long_ends() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = ours.with_write_timeout(SECOND);
    let start = Instant::now();
    assert_eq!(missed(ours.write_all(&[0; 9]).await), Missed::Write);
    assert_eq!(start.elapsed(), SECOND);
    assert_eq!(missed(ours.write_vectored(&[IoSlice::new(&[0])]).await), Missed::Write);
    assert_eq!(start.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn each_byte_gives_a_write_its_time_again() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_write_timeout(SECOND);
    let reader = tokio::spawn(async move {
        for _ in 0..4 {
            time::sleep(900 * MS).await;
            theirs.read_u8().await.unwrap();
        }
        theirs
    });
    let start = Instant::now();
    ours.write_all(&[0; 12]).await.unwrap();
    assert_eq!(start.elapsed(), 3600 * MS);
    let _theirs = reader.await.unwrap();
    assert_eq!(timer.metrics().fired, 0);
}

#[tokio::test(start_paused = true)]
async fn idle_is_when_nothing_goes_either_way() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_idle_timeout(SECOND);
    let start = Instant::now();
    let peer = tokio::spawn(async move {
        time::sleep(900 * MS).await;
        theirs.write_u8(1).await.unwrap();
        theirs
    });
    let _theirs = peer.await.unwrap();
    assert_eq!(ours.read_u8().await.unwrap(), 1);
    time::sleep(600 * MS).await;
    ours.write_u8(2).await.unwrap();
    assert_eq!(missed(ours.read_u8().await), Missed::Idle);
    assert_eq!(start.elapsed(), 2500 * MS, "a second from the last byte");
    assert_eq!(missed(ours.read_u8().await), Missed::Idle, "and idle it stays");
    assert_eq!(start.elapsed(), 2500 * MS);
    ours.write_u8(3).await.unwrap();
    assert_eq!(missed(ours.read_u8().await), Missed::Idle);
    assert_eq!(start.elapsed(), 3500 * MS, "until a byte goes through");
}

/// The half that reads waits while the other one is at work
#[tokio::test(start_paused = true)]
async fn bytes_that_are_written_keep_the_reader_from_being_idle() {
    let timer = Timer::new();
    let (ours, theirs) = pair(&timer);
    let (mut reader, mut writer) = tokio::io::split(ours.with_idle_timeout(SECOND));
    let (mut sink, _theirs) = tokio::io::split(theirs);
    let start = Instant::now();
    let reading = tokio::spawn(async move { reader.read_u8().await });
    let writing = tokio::spawn(async move {
        for _ in 0..50 {
            time::sleep(100 * MS).await;
            writer.write_u8(0).await.unwrap();
        }
        writer
    });
    let sinking = tokio::spawn(async move { while sink.read_u8().await.is_ok() {} });
    assert_eq!(missed(reading.await.unwrap()), Missed::Idle);
    assert_eq!(start.elapsed(), 6 * SECOND);
    drop(writing.await.unwrap());
    sinking.abort();
}

/// Each half has been polled by a task of its own, and both are told
#[tokio::test(start_paused = true)]
async fn both_halves_are_woken_when_it_is_idle() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let (mut reader, mut writer) = tokio::io::split(ours.with_idle_timeout(SECOND));
    let reading = tokio::spawn(async move { reader.read_u8().await });
    let writing = tokio::spawn(async move { writer.write_all(&[0; 9]).await });
    assert_eq!(missed(reading.await.unwrap()), Missed::Idle);
    assert_eq!(missed(writing.await.unwrap()), Missed::Idle);
}

#[tokio::test(start_paused = true)]
async fn the_first_deadline_to_come_is_the_one_that_is_told() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(2 * SECOND).with_idle_timeout(3 * SECOND);
    assert_eq!(missed(ours.read_u8().await), Missed::Read);
    assert_eq!(missed(ours.read_u8().await), Missed::Idle);
}

#[tokio::test(start_paused = true)]
async fn no_deadline_arms_nothing() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = task::spawn(ours.with_read_timeout(Duration::MAX));
    ours.set_idle_timeout(Some(Duration::MAX));
    let mut byte = [0];
    assert_pending!(
        ours.enter(|cx, ours| ours.poll_read(cx, &mut tokio::io::ReadBuf::new(&mut byte)))
    );
    assert_eq!((timer.pending(), timer.metrics().registered), (0, 0));
    assert_eq!(ours.read_timeout(), Some(Duration::MAX));
    assert_eq!(ours.write_timeout(), None);
}

#[tokio::test(start_paused = true)]
async fn no_time_at_all_is_an_error_where_it_has_to_wait() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(Duration::ZERO);
    theirs.write_u8(1).await.unwrap();
    assert_eq!(ours.read_u8().await.unwrap(), 1);
    assert_eq!(missed(ours.read_u8().await), Missed::Read);
    assert_eq!(missed(ours.read_u8().await), Missed::Read);
}

/// Set, changed and taken away while the task waits
#[tokio::test(start_paused = true)]
async fn a_deadline_can_be_changed_while_it_is_waited_for() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let mut ours = task::spawn(ours);
    let mut byte = [0];
    let mut read = |ours: &mut task::Spawn<Deadlines<DuplexStream>>| {
        ours.enter(|cx, ours| ours.poll_read(cx, &mut tokio::io::ReadBuf::new(&mut byte)))
    };
    ours.set_read_timeout(Some(HOUR));
    assert_pending!(read(&mut ours));
    ours.set_read_timeout(Some(SECOND));
    time::sleep(SECOND + MS).await;
    assert!(ours.is_woken());
    ours.set_read_timeout(None);
    assert_pending!(read(&mut ours));
    assert_eq!(timer.pending(), 0);
    ours.set_read_timeout(Some(2 * SECOND));
    assert_pending!(read(&mut ours));
    time::sleep(SECOND + MS).await;
    assert!(ours.is_woken(), "counted from when the wait began");
    assert_eq!(missed(assert_ready!(read(&mut ours))), Missed::Read);
}

#[tokio::test(start_paused = true)]
async fn dropping_it_leaves_nothing_armed() {
    let timer = Timer::new();
    let (ours, _theirs) = pair(&timer);
    let ours = ours.with_read_timeout(SECOND).with_idle_timeout(SECOND);
    let (mut reader, mut writer) = tokio::io::split(ours);
    let mut reading = task::spawn(reader.read_u8());
    let mut writing = task::spawn(writer.write_all(&[0; 9]));
    assert_pending!(reading.poll());
    assert_pending!(writing.poll());
    assert_eq!(timer.pending(), 2);
    drop((reading, writing));
    drop(reader.unsplit(writer));
    assert_eq!(timer.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_was_shut_down_is_an_error_where_it_has_to_wait() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_read_timeout(SECOND);
    let _ = timer.shutdown().await;
    theirs.write_u8(1).await.unwrap();
    assert_eq!(ours.read_u8().await.unwrap(), 1);
    let error = ours.read_u8().await.unwrap_err();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    assert_eq!(inner, Some(&TimerError::ShutDown));
}

/// Flushing and shutting down wait for the given time, and then go through or not
#[derive(Debug)]
struct Sticky {
    opens: Pin<Box<time::Sleep>>,
    vectored: usize,
}

impl AsyncWrite for Sticky {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, b: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(b.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.vectored += bufs.len();
        Poll::Ready(Ok(bufs.iter().map(|buf| buf.len()).sum()))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.opens.as_mut().poll(cx).map(Ok)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn flush_and_shutdown_have_the_deadline_of_a_write() {
    let timer = Timer::new();
    let sticky = || Sticky { opens: Box::pin(time::sleep(HOUR)), vectored: 0 };
    let mut ours = Deadlines::new(sticky(), &timer).with_write_timeout(SECOND);
    let start = Instant::now();
    assert_eq!(missed(ours.flush().await), Missed::Write);
    assert_eq!(missed(ours.shutdown().await), Missed::Write);
    assert_eq!(start.elapsed(), 2 * SECOND);
    ours.set_write_timeout(None);
    ours.flush().await.unwrap();
    ours.shutdown().await.unwrap();
    assert_eq!(start.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn vectored_writes_are_passed_on_as_such() {
    let timer = Timer::new();
    let sticky = Sticky { opens: Box::pin(time::sleep(HOUR)), vectored: 0 };
    let mut ours = Deadlines::new(sticky, &timer).with_write_timeout(SECOND);
    assert!(ours.is_write_vectored());
    let bufs = [IoSlice::new(b"ab"), IoSlice::new(b"cde")];
    assert_eq!(ours.write_vectored(&bufs).await.unwrap(), 5);
    assert_eq!(ours.get_ref().vectored, 2);
}

/// Bytes and errors in the order of the script, whatever the deadlines
#[tokio::test(start_paused = true)]
async fn a_scripted_stream_goes_through_unchanged() {
    let timer = Timer::new();
    let mock = Builder::new()
        .write(b"hello")
        .wait(10 * MS)
        .read(b"world")
        .read_error(ErrorKind::ConnectionReset.into())
        .build();
    let mut ours =
        Deadlines::new(mock, &timer).with_read_timeout(SECOND).with_write_timeout(SECOND);
    ours.write_all(b"hello").await.unwrap();
    let mut word = [0; 5];
    ours.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"world");
    let error = ours.read_u8().await.unwrap_err();
    assert_eq!((error.kind(), Missed::of(&error)), (ErrorKind::ConnectionReset, None));
}

#[tokio::test(start_paused = true)]
async fn the_stream_inside_can_be_got_at_in_each_way() {
    let timer = Timer::new();
    let (ours, mut theirs) = pair(&timer);
    let mut ours = ours.with_idle_timeout(HOUR);
    assert_eq!(ours.idle_timeout(), Some(HOUR));
    ours.get_mut().write_u8(1).await.unwrap();
    Pin::new(&mut ours).get_pin_mut().write_u8(2).await.unwrap();
    ours.into_inner().write_u8(3).await.unwrap();
    let mut read = Vec::new();
    theirs.read_to_end(&mut read).await.unwrap();
    assert_eq!(read, [1, 2, 3]);
}
