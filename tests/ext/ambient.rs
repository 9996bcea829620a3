//! Methods of streams and futures that are given no timer, and find one

use std::{
    future::pending,
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use futures::{
    FutureExt, Stream, StreamExt, executor,
    future::join_all,
    stream::{self, BoxStream},
};
use tickwheel::{Timer, TimerFutureExt, TimerStreamExt};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::{Background, both_flavours, current_thread, within},
    waker::poll_with,
};
use tokio::time::Instant;

const WAIT: Duration = Duration::from_millis(50);

/// One of each, and the line that made it
///
/// Each has to wait once, for [`WAIT`]. The sources have two items and then are silent.
fn one_of_each() -> Vec<(u32, BoxStream<'static, ()>)> {
    let source = || stream::iter([1, 2]).chain(stream::pending());
    let silent = pending::<()>;
    let soon = Instant::now() + WAIT;
    vec![
        (line!(), source().timeout(WAIT).map(drop).boxed()),
        (line!(), source().timeout_repeating(WAIT).map(drop).boxed()),
        (line!(), source().throttle(WAIT).map(drop).boxed()),
        (line!(), source().debounce(WAIT).map(drop).boxed()),
        (line!(), source().chunks_timeout(3, WAIT).map(drop).boxed()),
        (line!(), silent().timeout(WAIT).map(drop).into_stream().boxed()),
        (line!(), silent().timeout_at(soon).map(drop).into_stream().boxed()),
    ]
}

/// Until it has waited
async fn wait_of(mut stream: BoxStream<'static, ()>, since: Instant) {
    while since.elapsed() < WAIT {
        stream.next().await.expect("none of them ends before");
    }
}

/// Until it waits
fn begin_to_wait(stream: &mut (impl Stream + Unpin)) {
    while let Poll::Ready(Some(_)) = poll_with(&mut stream.next(), Waker::noop()) {}
}

#[tokio::test(start_paused = true)]
async fn they_go_by_the_timer_of_the_runtime_and_leave_nothing_in_it() {
    for n in 0..7 {
        let start = Instant::now();
        wait_of(one_of_each().remove(n).1, start).await;
        let metrics = Timer::current().metrics();
        let armed = n as u64 + 1;
        assert_eq!((metrics.registered, metrics.fired, metrics.pending), (armed, armed, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_while_they_wait_they_leave_nothing_armed() {
    for (n, (_, mut stream)) in (1..).zip(one_of_each()) {
        begin_to_wait(&mut stream);
        assert_eq!(Timer::current().pending(), 1);
        drop(stream);
        let metrics = Timer::current().metrics();
        assert_eq!((metrics.registered, metrics.cancelled, metrics.pending), (n, n, 0));
    }
}

/// (real)
#[test]
fn what_is_made_outside_a_runtime_works_inside() {
    within(30 * SECOND, || {
        for runtime in both_flavours() {
            let start = Instant::now();
            let waits = one_of_each().into_iter().map(|(_, stream)| wait_of(stream, start));
            runtime.block_on(join_all(waits));
            let metrics = runtime.block_on(async { Timer::current().metrics() });
            assert!(metrics.registered > 0);
            assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        }
    });
}

/// Whoever polls it afterwards (real)
#[test]
fn what_is_made_in_one_runtime_waits_in_the_one_that_polls_it() {
    within(30 * SECOND, || {
        let [made, polled] = both_flavours().map(Background::start);
        let start = Instant::now();
        let streams = {
            let _context = made.handle().enter();
            one_of_each()
        };
        let timers = [&made, &polled].map(|runtime| {
            let _context = runtime.handle().enter();
            Timer::current()
        });
        let streams = thread::spawn({
            let handle = polled.handle().clone();
            move || {
                let _context = handle.enter();
                let streams = streams.into_iter().map(|(_, mut stream)| {
                    begin_to_wait(&mut stream);
                    stream
                });
                streams.collect::<Vec<_>>()
            }
        });
        let streams = streams.join().unwrap();
        let _context = made.handle().enter();
        for stream in streams {
            executor::block_on(wait_of(stream, start));
        }
        let [unused, used] = timers.map(|timer| timer.metrics());
        assert_eq!(unused.registered, 0);
        assert!(used.registered > 0);
        assert_eq!((used.registered, used.pending), (used.fired + used.cancelled, 0));
    });
}

#[test]
fn outside_a_runtime_what_has_to_wait_panics_and_names_the_line_that_made_it() {
    for (line, mut stream) in one_of_each() {
        let message = panic_of(|| begin_to_wait(&mut stream)).message;
        assert!(message.contains("no tokio runtime here"), "{message}");
        assert!(message.contains("Handle::enter"), "{message}");
        assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");
        // No harm is done: inside one it works.
        current_thread().block_on(stream.next());
    }
}

#[test]
fn what_has_nothing_to_wait_for_needs_no_runtime() {
    let items = || stream::iter([1, 2]);
    let all = items().timeout(HOUR).map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(all.now_or_never().unwrap(), [1, 2]);
    let all = items().timeout_repeating(HOUR).map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(all.now_or_never().unwrap(), [1, 2]);
    let all = items().throttle(Duration::ZERO).collect::<Vec<_>>();
    assert_eq!(all.now_or_never().unwrap(), [1, 2]);
    let all = items().debounce(HOUR).collect::<Vec<_>>();
    assert_eq!(all.now_or_never().unwrap(), [2]);
    let all = items().chunks_timeout(1, HOUR).collect::<Vec<_>>();
    assert_eq!(all.now_or_never().unwrap(), [[1], [2]]);
    assert_eq!(async { 1 }.timeout(HOUR).now_or_never().unwrap(), Ok(1));
}

/// What is never due is not waited for
#[test]
fn the_longest_time_needs_no_runtime() {
    let source = || stream::iter([1]).chain(stream::pending());
    begin_to_wait(&mut source().timeout(Duration::MAX));
    begin_to_wait(&mut source().timeout_repeating(Duration::MAX));
    begin_to_wait(&mut source().throttle(Duration::MAX));
    begin_to_wait(&mut source().debounce(Duration::MAX));
    begin_to_wait(&mut source().chunks_timeout(9, Duration::MAX));
    assert!(pending::<()>().timeout(Duration::MAX).now_or_never().is_none());
}

/// Between two polls it may be moved, sent away and put down for as long as one likes
#[tokio::test(start_paused = true)]
async fn time_that_passes_before_the_first_poll_counts() {
    let start = Instant::now();
    let stream = stream::pending::<()>().timeout(30 * MS);
    let moved = Box::new(stream);
    tokio::time::sleep(20 * MS).await;
    let polled = tokio::spawn(async move {
        let mut stream = *moved;
        stream.next().await.unwrap().unwrap_err();
    });
    polled.await.unwrap();
    assert_eq!(start.elapsed(), 30 * MS);
}
