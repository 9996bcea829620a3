//! Streams whose items must come in time

use std::{future::pending, task::Poll, time::Duration};

use futures::{
    FutureExt, Stream, StreamExt,
    channel::mpsc,
    stream::{self, FusedStream},
};
use tickwheel::{Timer, TimerFutureExt};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    forms::{Form, InForm},
    sources::{stamped, timed},
};
use tokio::{
    task::{coop, yield_now},
    time::{self, Instant},
};
use tokio_test::{assert_pending, assert_ready_eq, task};

#[tokio::test(start_paused = true)]
async fn a_future_has_so_much_time() {
    let timer = Timer::new();
    let start = Instant::now();
    assert_eq!(async { 1 }.timeout_on(&timer, SECOND).await, Ok(1));
    assert_eq!(async { 1 }.timeout(SECOND).await, Ok(1));
    assert_eq!(async { 1 }.timeout_at(start).await, Ok(1));
    assert!(pending::<()>().timeout_on(&timer, SECOND).await.is_err());
    assert_eq!(start.elapsed(), SECOND);
    assert!(pending::<()>().timeout(SECOND).await.is_err());
    assert_eq!(start.elapsed(), 2 * SECOND);
    assert!(pending::<()>().timeout_at(start + 3 * SECOND).await.is_err());
    assert_eq!(start.elapsed(), 3 * SECOND);
    assert!(pending::<()>().timeout_on(&timer, Duration::MAX).now_or_never().is_none());
    assert!(pending::<()>().timeout(Duration::MAX).now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn there_is_one_error_for_each_wait_that_is_too_long() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = timed([(0, 'a'), (90, 'b'), (300, 'c'), (310, 'd')]);
        let got = stamped(source.timeout_in(&form, 100 * MS).map(Result::ok)).await;
        let expected =
            [(0, Some('a')), (90, Some('b')), (190, None), (300, Some('c')), (310, Some('d'))];
        assert_eq!(got, expected);
        assert_eq!((timer.pending(), timer.metrics().fired), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_has_one_error() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut items = task::spawn(stream::pending::<u8>().timeout_in(&form, SECOND));
        assert_pending!(items.poll_next());
        time::sleep(SECOND + MS).await;
        assert!(items.is_woken());
        assert!(matches!(items.poll_next(), Poll::Ready(Some(Err(_)))));
        time::sleep(HOUR).await;
        assert!(!items.is_woken(), "nothing is armed");
        assert_pending!(items.poll_next());
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_always_ready_has_no_error() {
    for form in Form::both() {
        let items = stream::repeat(1).timeout_in(&form, MS).take(1000);
        assert!(items.all(|item| async move { item.is_ok() }).await);
        assert_eq!(form.timer.metrics().registered, 0);
    }
}

/// The first deadline counts from the call, not from the first poll
#[tokio::test(start_paused = true)]
async fn time_counts_from_the_call() {
    for form in Form::both() {
        let start = Instant::now();
        let mut items = stream::pending::<u8>().timeout_in(&form, 30 * MS);
        time::sleep(20 * MS).await;
        assert!(items.next().await.unwrap().is_err());
        assert_eq!(start.elapsed(), 30 * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_is_there_counts_however_late() {
    for form in Form::both() {
        let (sender, source) = mpsc::unbounded();
        let mut items = source.timeout_in(&form, 10 * MS);
        time::sleep(HOUR).await;
        sender.unbounded_send(1).unwrap();
        assert_eq!(items.next().await, Some(Ok(1)));
    }
}

#[tokio::test(start_paused = true)]
async fn no_time_at_all_is_an_error_where_nothing_is_there() {
    for form in Form::both() {
        let start = Instant::now();
        let source = stream::iter([1]).chain(timed([(5, 2)]));
        let got = stamped(source.timeout_in(&form, Duration::ZERO).map(Result::ok)).await;
        assert_eq!(got, [(0, Some(1)), (0, None), (5, Some(2))]);
        assert_eq!(start.elapsed(), 5 * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_time_arms_nothing() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = timed([(0, 1), (3_600_000, 2)]);
        let got = stamped(source.timeout_in(&form, Duration::MAX)).await;
        assert_eq!(got, [(0, Ok(1)), (3_600_000, Ok(2))]);
        assert_eq!(timer.metrics().registered, 0);
    }
}

/// Also when the source spends the whole budget of the task in each poll
#[tokio::test(start_paused = true)]
async fn a_source_that_spends_the_budget_does_not_keep_the_error_away() {
    for form in Form::both() {
        let spender = stream::poll_fn(|cx| {
            while let Poll::Ready(coop) = coop::poll_proceed(cx) {
                coop.made_progress();
            }
            Poll::<Option<()>>::Pending
        });
        let mut items = spender.timeout_in(&form, 10 * MS);
        yield_now().await;
        assert!(futures::poll!(items.next()).is_pending());
        time::advance(20 * MS).await;
        yield_now().await;
        assert!(matches!(futures::poll!(items.next()), Poll::Ready(Some(Err(_)))));
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_leaves_nothing_behind_and_is_final() {
    for form in Form::both() {
        let timer = &form.timer;
        // One that must not be polled after its end.
        let mut left = 2;
        let source = stream::poll_fn(move |_| {
            assert!(left > 0, "polled after its end");
            left -= 1;
            Poll::Ready((left > 0).then_some(left))
        });
        let mut items = source.timeout_in(&form, SECOND);
        assert_eq!(items.next().await, Some(Ok(1)));
        assert!(!items.is_terminated());
        assert_eq!(items.next().await, None);
        assert!(items.is_terminated());
        assert_eq!(items.next().await, None);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_while_it_waits_it_leaves_nothing_armed() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut items = task::spawn(stream::pending::<u8>().timeout_in(&form, SECOND));
        assert_pending!(items.poll_next());
        assert_eq!(timer.pending(), 1);
        drop(items);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_hint_of_its_size_counts_the_errors_that_may_come() {
    for form in Form::both() {
        let mut items =
            task::spawn(stream::iter([1, 2]).chain(timed([])).timeout_in(&form, SECOND));
        // Before each item, and before the end.
        let source = stream::iter([1, 2]).timeout_in(&form, SECOND);
        assert_eq!(Stream::size_hint(&source), (2, Some(5)));
        assert_ready_eq!(items.poll_next(), Some(Ok(1)));
        let mut silent = task::spawn(stream::pending::<u8>().timeout_in(&form, Duration::ZERO));
        assert_eq!(silent.size_hint(), (0, Some(1)));
        assert!(silent.poll_next().is_ready());
        assert_eq!(silent.size_hint(), (0, Some(0)));
        let endless = stream::repeat(1).timeout_in(&form, SECOND);
        assert_eq!(Stream::size_hint(&endless), (usize::MAX, None));
    }
}

#[tokio::test(start_paused = true)]
async fn the_source_can_be_reached() {
    for form in Form::both() {
        let mut items = stream::iter([1, 2]).timeout_in(&form, SECOND);
        assert_eq!(items.get_mut().next().await, Some(1));
        assert!(format!("{items:?}").starts_with("Timeout"));
        assert_eq!(items.into_inner().next().await, Some(2));
    }
}
