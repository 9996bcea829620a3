//! Streams of chunks that are not waited for too long

use std::time::{Duration, Instant};

use futures::{
    Stream, StreamExt,
    stream::{self, FusedStream},
};
use tickwheel_tests::{
    durations::{MS, SECOND},
    forms::{Form, InForm},
    panics::panic_of,
    runtimes::{current_thread, multi_thread, within},
    sources::{stamped, timed},
};
use tokio_test::{assert_pending, assert_ready_eq, task};

#[tokio::test(start_paused = true)]
async fn a_chunk_comes_when_it_is_full_when_time_is_up_and_at_the_end() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = timed([(0, 1), (1, 2), (2, 3), (5, 4), (9, 5), (100, 6), (101, 7)]);
        let got = stamped(source.chunks_timeout_in(&form, 3, 10 * MS)).await;
        assert_eq!(got, [(2, vec![1, 2, 3]), (15, vec![4, 5]), (101, vec![6, 7])]);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_gives_no_empty_chunks() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut chunks = task::spawn(stream::pending::<u8>().chunks_timeout_in(&form, 3, MS));
        assert_pending!(chunks.poll_next());
        assert_eq!(timer.pending(), 0);
        assert_eq!(stream::empty::<u8>().chunks_timeout_in(&form, 3, MS).next().await, None);
    }
}

/// It is time, and not the source, that ends a chunk here (real)
#[test]
fn a_source_that_is_always_ready_does_not_put_it_off() {
    for runtime in [current_thread(), multi_thread(1)] {
        within(30 * SECOND, move || {
            let task = runtime.spawn(async {
                for form in Form::both() {
                    let mut chunks =
                        stream::repeat(()).chunks_timeout_in(&form, usize::MAX, 20 * MS);
                    for _ in 0..3 {
                        let start = Instant::now();
                        let chunk = chunks.next().await.unwrap();
                        assert!(!chunk.is_empty());
                        assert!(start.elapsed() >= 20 * MS);
                    }
                }
            });
            runtime.block_on(task).unwrap();
        });
    }
}

#[tokio::test(start_paused = true)]
async fn with_no_time_each_item_is_a_chunk() {
    for form in Form::both() {
        let got = stamped(stream::iter([1, 2]).chunks_timeout_in(&form, 9, Duration::ZERO)).await;
        assert_eq!(got, [(0, vec![1]), (0, vec![2])]);
    }
}

#[tokio::test(start_paused = true)]
async fn with_the_longest_time_size_alone_decides() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = timed([(0, 1), (1, 2), (3_600_000, 3)]);
        let got = stamped(source.chunks_timeout_in(&form, 2, Duration::MAX)).await;
        assert_eq!(got, [(1, vec![1, 2]), (3_600_000, vec![3])]);
        assert_eq!(timer.metrics().registered, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn chunks_longer_than_the_budget_are_whole() {
    for form in Form::both() {
        let timer = &form.timer;
        let chunks = stream::iter(0..10_000).chunks_timeout_in(&form, 1000, SECOND);
        assert_eq!(chunks.size_hint(), (10, Some(10_000)));
        assert!(chunks.all(|chunk| async move { chunk.len() == 1000 }).await);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_chunk_of_no_items_panics_where_it_is_asked_for() {
    for form in Form::both() {
        let silent = stream::pending::<u8>();
        let panicked = panic_of(|| silent.chunks_timeout_in(&form, 0, SECOND));
        assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line!() - 1));
        assert!(panicked.message.contains("more than zero"), "{}", panicked.message);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_can_be_taken_out_or_goes_with_the_stream() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = || stream::iter([1, 2]).chain(stream::pending());
        let mut chunks = task::spawn(source().chunks_timeout_in(&form, 3, SECOND));
        assert_pending!(chunks.poll_next());
        assert_eq!((timer.pending(), chunks.size_hint()), (1, (1, Some(1))));
        drop(chunks);
        assert_eq!(timer.pending(), 0);

        let mut chunks = std::pin::pin!(source().chunks_timeout_in(&form, 3, SECOND));
        assert!(futures::poll!(chunks.next()).is_pending());
        assert_eq!(chunks.as_mut().into_remainder(), [1, 2]);
        assert_eq!(timer.pending(), 0);
        assert!(futures::poll!(chunks.next()).is_pending());
    }
}

#[tokio::test(start_paused = true)]
async fn it_has_ended_when_the_last_chunk_is_out() {
    for form in Form::both() {
        let mut chunks = task::spawn(stream::iter([1]).chunks_timeout_in(&form, 3, SECOND));
        assert_ready_eq!(chunks.poll_next(), Some(vec![1]));
        assert!(chunks.is_terminated());
        assert_eq!(chunks.size_hint(), (0, Some(0)));
        assert_ready_eq!(chunks.poll_next(), None);
    }
}
