//! Schedules that panic, or answer what they should not

use std::{
    fmt::Debug,
    panic::panic_any,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use futures::{StreamExt, stream::FusedStream};
use tickwheel::{Every, Schedule};
use tickwheel_tests::{
    callbacks::OnDrop,
    durations::{HOUR, SECOND, YEAR},
    wall::Wall,
};

#[tokio::test(start_paused = true)]
async fn a_panic_ends_the_schedule_after_the_occurrence_before() {
    let timer = Wall::showing(START).timer();
    let is_dropped = Arc::new(AtomicBool::new(false));
    let guard = SetOnDrop(Arc::clone(&is_dropped));
    let mut calls = 0;
    let mut stream = timer.schedule(Scripted(move |after| {
        calls += 1;
        assert!(calls < 3, "call {calls}, with {guard:?}");
        Some(after + SECOND)
    }));
    let seen: Vec<_> = stream.by_ref().collect().await;
    assert_eq!(seen, [START + SECOND, START + 2 * SECOND]);
    assert!(stream.is_terminated());
    assert_eq!(stream.next().await, None);
    assert_eq!(timer.pending(), 0);
    assert!(is_dropped.load(Ordering::Relaxed), "it is of no use any more");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_later_ends_the_schedule() {
    for early in [Duration::ZERO, Duration::from_nanos(1), HOUR] {
        let timer = Wall::showing(START + YEAR).timer();
        let mut answers = 0;
        let mut stream = timer.schedule(Scripted(move |after| {
            answers += 1;
            Some(if answers == 1 { after + SECOND } else { after - early })
        }));
        let seen: Vec<_> = stream.by_ref().collect().await;
        assert_eq!(seen, [START + YEAR + SECOND], "{early:?} early");
        assert_eq!(stream.next().await, None);
        assert_eq!(timer.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_answer_that_panics_or_is_not_later_makes_an_empty_stream() {
    let timer = Wall::showing(START).timer();
    let panicking = timer.schedule(Scripted(|_| panic!("at once")));
    let late = timer.schedule(Scripted(Some));
    for mut stream in [panicking, late] {
        assert!(stream.is_terminated());
        assert_eq!(stream.next().await, None);
    }
    assert_eq!(timer.metrics().registered, 0);
}

/// However it ends, the occurrence that has come is not lost for what its end throws
#[tokio::test(start_paused = true)]
async fn a_panic_in_the_drop_of_a_schedule_takes_no_occurrence_along() {
    let ends: [fn(SystemTime) -> Option<SystemTime>; 4] = [
        |_| None,
        Some,
        |_| panic!("on purpose"),
        |_| panic_any(OnDrop::new(|| panic!("on purpose, in a payload's drop"))),
    ];
    for end in ends {
        let scripted = || {
            let bomb = OnDrop::new(|| panic!("on purpose, in a drop"));
            let mut answers = 0;
            Scripted(move |after| {
                bomb.keep();
                answers += 1;
                if answers == 1 { Some(after + SECOND) } else { end(after) }
            })
        };
        let timer = Wall::showing(START).timer();
        let calls = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&calls);
        let callback = timer.call_on(scripted(), move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let seen: Vec<_> = timer.schedule(scripted()).collect().await;
        assert_eq!(seen, [START + SECOND]);
        timer.sleep(SECOND).await;
        assert_eq!((calls.load(Ordering::Relaxed), callback.is_finished()), (1, true));
        assert_eq!((timer.pending(), timer.metrics().callback_panics), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn others_go_on_when_one_has_ended_with_a_panic() {
    let timer = Wall::showing(START).timer();
    let mut good = timer.schedule(Every::new(SECOND).unwrap());
    let mut bad = timer.schedule(Scripted(|after| {
        assert!(after == START, "the second call");
        Some(after + SECOND)
    }));
    let both = futures::future::join(good.next(), bad.next()).await;
    assert_eq!(both, (Some(START + SECOND), Some(START + SECOND)));
    assert_eq!(bad.next().await, None);
    assert_eq!(good.next().await, Some(START + 2 * SECOND));
}

/// What a function answers
struct Scripted<F>(F);

impl<F: FnMut(SystemTime) -> Option<SystemTime>> Schedule for Scripted<F> {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (self.0)(after)
    }
}

#[derive(Debug)]
struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

const START: SystemTime = SystemTime::UNIX_EPOCH;
