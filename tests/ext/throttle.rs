//! Streams that leave time between their items

use std::time::Duration;

use futures::{
    Stream, StreamExt,
    stream::{self, FusedStream},
};
use tickwheel_tests::{
    durations::{MS, SECOND},
    forms::{Form, InForm},
    sources::{stamped, timed},
};
use tokio::time;
use tokio_test::{assert_pending, assert_ready_eq, task};

/// The source is always ready; the end comes after the rest of the last item
#[tokio::test(start_paused = true)]
async fn items_are_so_far_apart() {
    for form in Form::both() {
        let timer = &form.timer;
        let start = timer.now();
        let got = stamped(stream::iter(["a", "b", "c"]).throttle_in(&form, 10 * MS)).await;
        assert_eq!(got, [(0, "a"), (10, "b"), (20, "c")]);
        assert_eq!(timer.now() - start, 30 * MS);
        assert_eq!((timer.pending(), timer.metrics().fired), (0, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_arms_nothing() {
    for form in Form::both() {
        let mut items = task::spawn(stream::pending::<u8>().throttle_in(&form, SECOND));
        assert_pending!(items.poll_next());
        assert_eq!(form.timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn time_that_passes_anyway_is_not_waited_for_again() {
    for form in Form::both() {
        let source = timed([(0, 1), (3, 2), (50, 3)]);
        assert_eq!(stamped(source.throttle_in(&form, 10 * MS)).await, [(0, 1), (10, 2), (50, 3)]);
    }
}

#[tokio::test(start_paused = true)]
async fn zero_lets_all_pass() {
    for form in Form::both() {
        let timer = &form.timer;
        let items = stream::iter(0..1000).throttle_in(&form, Duration::ZERO);
        assert_eq!(items.size_hint(), (1000, Some(1000)));
        assert_eq!(items.count().await, 1000);
        assert_eq!(timer.metrics().registered, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_time_lets_one_pass() {
    for form in Form::both() {
        let mut items = task::spawn(stream::repeat(1).throttle_in(&form, Duration::MAX));
        assert_ready_eq!(items.poll_next(), Some(1));
        assert_pending!(items.poll_next());
        time::sleep(SECOND).await;
        assert_pending!(items.poll_next());
    }
}

#[tokio::test(start_paused = true)]
async fn the_source_is_not_polled_while_it_rests() {
    for form in Form::both() {
        let mut polls = 0;
        let source = stream::poll_fn(|_| {
            polls += 1;
            std::task::Poll::Ready(Some(polls))
        });
        let mut items = task::spawn(source.throttle_in(&form, SECOND));
        assert_ready_eq!(items.poll_next(), Some(1));
        for _ in 0..10 {
            assert_pending!(items.poll_next());
        }
        time::sleep(SECOND + MS).await;
        assert!(items.is_woken());
        assert_ready_eq!(items.poll_next(), Some(2));
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_while_it_rests_it_leaves_nothing_armed() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut items = task::spawn(stream::repeat(1).throttle_in(&form, SECOND));
        assert_ready_eq!(items.poll_next(), Some(1));
        assert_pending!(items.poll_next());
        assert_eq!(timer.pending(), 1);
        drop(items);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_is_final() {
    for form in Form::both() {
        let mut items = stream::empty::<u8>().throttle_in(&form, SECOND);
        assert_eq!(items.next().await, None);
        assert!(items.is_terminated());
    }
}
