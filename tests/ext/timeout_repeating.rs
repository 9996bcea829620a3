//! Streams that say again and again that nothing comes

use std::time::Duration;

use futures::{Stream, StreamExt, stream};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    forms::{Form, InForm},
    panics::panic_of,
    sources::{stamped, timed},
};
use tokio::time;
use tokio_test::{assert_pending, task};

#[tokio::test(start_paused = true)]
async fn there_is_an_error_after_each_period_without_an_item() {
    for form in Form::both() {
        let timer = &form.timer;
        let source = timed([(0, 'a'), (35, 'b'), (44, 'c')]);
        let got = stamped(source.timeout_repeating_in(&form, 10 * MS).map(Result::ok)).await;
        let expected =
            [(0, Some('a')), (10, None), (20, None), (30, None), (35, Some('b')), (44, Some('c'))];
        assert_eq!(got, expected);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_has_errors_in_step() {
    for form in Form::both() {
        let errors = stream::pending::<u8>().timeout_repeating_in(&form, 7 * MS).take(100);
        let got = stamped(errors).await;
        assert!(got.iter().all(|(_, item)| item.is_err()));
        let when: Vec<_> = got.iter().map(|(millis, _)| *millis).collect();
        assert_eq!(when, (1..=100).map(|n| 7 * n).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn periods_in_which_nobody_polls_are_not_made_up_for() {
    for form in Form::both() {
        let mut items = task::spawn(stream::pending::<u8>().timeout_repeating_in(&form, SECOND));
        assert_pending!(items.poll_next());
        time::sleep(HOUR).await;
        assert!(items.poll_next().is_ready());
        assert_pending!(items.poll_next());
        time::sleep(SECOND).await;
        assert!(items.poll_next().is_ready());
    }
}

#[tokio::test(start_paused = true)]
async fn a_period_of_zero_panics_where_it_is_asked_for() {
    for form in Form::both() {
        let silent = stream::pending::<u8>();
        let panicked = panic_of(|| silent.timeout_repeating_in(&form, Duration::ZERO));
        assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line!() - 1));
        assert!(panicked.message.contains("longer than zero"), "{}", panicked.message);
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_period_does_not_come() {
    for form in Form::both() {
        let source = timed([(0, 1), (3_600_000, 2)]);
        let got = stamped(source.timeout_repeating_in(&form, Duration::MAX)).await;
        assert_eq!(got, [(0, Ok(1)), (3_600_000, Ok(2))]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_always_ready_has_no_errors() {
    for form in Form::both() {
        let timer = &form.timer;
        let items = stream::repeat(1).timeout_repeating_in(&form, MS);
        assert_eq!(items.size_hint(), (usize::MAX, None));
        assert!(items.take(1000).all(|item| async move { item.is_ok() }).await);
        assert_eq!(timer.metrics().registered, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_is_final_and_dropping_it_leaves_nothing() {
    for form in Form::both() {
        let timer = &form.timer;
        let mut ended = stream::empty::<u8>().timeout_repeating_in(&form, SECOND);
        assert_eq!(ended.size_hint(), (0, None));
        assert_eq!(ended.next().await, None);
        assert_eq!(ended.size_hint(), (0, Some(0)));
        let mut items = task::spawn(stream::pending::<u8>().timeout_repeating_in(&form, SECOND));
        assert_pending!(items.poll_next());
        assert_eq!(timer.pending(), 1);
        drop(items);
        assert_eq!(timer.pending(), 0);
    }
}
