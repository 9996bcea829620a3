//! Streams of the last items before each silence

use std::{sync::Arc, time::Duration};

use futures::{
    FutureExt, Stream, StreamExt,
    channel::mpsc,
    stream::{self, FusedStream},
};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    forms::{Form, InForm},
    runtimes::{current_thread, within},
    sources::{stamped, timed},
};
use tokio::time::{self, Instant};
use tokio_test::{assert_pending, assert_ready_eq, task};

#[tokio::test(start_paused = true)]
async fn the_last_item_of_each_burst_comes_after_silence() {
    for form in Form::both() {
        let timer = &form.timer;
        let burst = [(0, 'a'), (5, 'b'), (14, 'c'), (100, 'd'), (105, 'e')];
        let got =
            stamped(timed(burst).chain(stream::pending()).debounce_in(&form, 10 * MS).take(2));
        assert_eq!(got.await, [(24, 'c'), (115, 'e')]);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_gives_out_what_is_held_back_at_once() {
    for form in Form::both() {
        let timer = &form.timer;
        let start = Instant::now();
        let mut items = timed([(0, 1), (5, 2)]).debounce_in(&form, SECOND);
        assert_eq!(items.next().await, Some(2));
        assert!(items.is_terminated());
        assert_eq!(items.next().await, None);
        assert_eq!(start.elapsed(), 5 * MS);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_arms_nothing() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut items = task::spawn(stream::pending::<u8>().debounce_in(&form, SECOND));
        assert_pending!(items.poll_next());
        assert_eq!(timer.pending(), 0);
        assert_eq!(stream::empty::<u8>().debounce_in(&form, SECOND).next().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn zero_gives_the_last_of_those_that_are_there() {
    for form in Form::both() {
        let (sender, source) = mpsc::unbounded();
        let mut items = source.debounce_in(&form, Duration::ZERO);
        for burst in [[1, 2, 3], [4, 5, 6]] {
            for item in burst {
                sender.unbounded_send(item).unwrap();
            }
            assert_eq!(items.next().now_or_never(), Some(Some(burst[2])));
        }
        assert!(items.next().now_or_never().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_time_gives_the_last_item_at_the_end() {
    for form in Form::both() {
        let timer = &form.timer;
        let got = stamped(timed([(0, 1), (7, 2)]).debounce_in(&form, Duration::MAX)).await;
        assert_eq!(got, [(7, 2)]);
        assert_eq!(timer.metrics().registered, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_is_there_replaces_the_one_held_back_however_late() {
    for form in Form::both() {
        let (sender, source) = mpsc::unbounded();
        let mut items = task::spawn(source.debounce_in(&form, SECOND));
        sender.unbounded_send(1).unwrap();
        assert_pending!(items.poll_next());
        time::sleep(HOUR).await;
        sender.unbounded_send(2).unwrap();
        assert_pending!(items.poll_next());
        time::sleep(SECOND).await;
        assert_ready_eq!(items.poll_next(), Some(2));
    }
}

/// Another task, and the limit of this test, get their turns (real)
#[test]
fn a_source_that_is_always_ready_gives_way() {
    let runtime = current_thread();
    within(30 * SECOND, move || {
        runtime.block_on(async {
            for form in Form::both() {
                let mut items = stream::repeat(1).debounce_in(&form, MS);
                let given_up = form.timer.timeout(50 * MS, items.next()).await;
                assert!(given_up.is_err(), "it is never silent");
            }
        });
    });
}

/// Neither does giving way forget the silence after the last item
#[tokio::test(start_paused = true)]
async fn a_burst_longer_than_the_budget_is_followed_by_silence() {
    for form in Form::both() {
        for length in [126, 127, 128, 129, 255, 256, 257, 1000] {
            let burst = stream::iter(1..=length).chain(stream::pending());
            let got = stamped(burst.debounce_in(&form, 10 * MS).take(1)).await;
            assert_eq!(got, [(10, length)]);
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_with_an_item_held_back_it_drops_that_and_leaves_nothing_armed() {
    for form in Form::both() {
        let timer = &form.timer;
        let item = Arc::new(());
        let source = stream::iter([item.clone()]).chain(stream::pending());
        let mut items = task::spawn(source.debounce_in(&form, SECOND));
        assert_pending!(items.poll_next());
        assert_eq!((timer.pending(), Arc::strong_count(&item)), (1, 2));
        assert_eq!(items.size_hint(), (1, Some(1)));
        drop(items);
        assert_eq!((timer.pending(), Arc::strong_count(&item)), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_hint_of_its_size_counts_the_item_held_back() {
    for form in Form::both() {
        let items = stream::iter([1, 2, 3]).debounce_in(&form, SECOND);
        assert_eq!(items.size_hint(), (1, Some(3)));
        assert_eq!(stream::empty::<u8>().debounce_in(&form, SECOND).size_hint(), (0, Some(0)));
        assert!(format!("{items:?}").starts_with("Debounce"));
    }
}
