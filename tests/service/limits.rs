//! No more timers than there may be

use std::{
    future::pending,
    sync::{Arc, Barrier},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use tickwheel::{Callback, Every, Sleep, TimeoutError, Timer, TimerError, TrySleep};
use tickwheel_tests::{
    callbacks::{captured, is_alive, keeping},
    durations::{HOUR, MS},
    runtimes::{multi_thread, settle},
    waker::{armed, poll_with},
};
use tokio::time;

fn limited(max: usize) -> Timer {
    Timer::builder().max_pending(max).build().unwrap()
}

fn poll(sleep: &mut TrySleep) -> Poll<Result<(), TimerError>> {
    poll_with(sleep, Waker::noop())
}

const REFUSED: Poll<Result<(), TimerError>> = Poll::Ready(Err(TimerError::AtCapacity));

/// L1: the third is refused, and taken at once when one of the two is gone
#[tokio::test(start_paused = true)]
async fn only_as_many_sleeps_are_armed_as_may_be() {
    let timer = limited(2);
    let mut sleeps: Vec<_> = (0..3).map(|_| timer.try_sleep(HOUR)).collect();
    assert_eq!([0, 1].map(|n| poll(&mut sleeps[n])), [Poll::Pending; 2]);
    for _ in 0..3 {
        assert_eq!(poll(&mut sleeps[2]), REFUSED);
    }
    assert_eq!((timer.pending(), timer.metrics().refused), (2, 3));
    drop(sleeps.remove(0));
    assert_eq!(poll(&mut sleeps[1]), Poll::Pending, "there is room again");
    assert_eq!(poll(&mut timer.try_sleep(HOUR)), REFUSED);
    time::advance(HOUR).await;
    settle().await;
    assert_eq!(timer.pending(), 0);
    assert_eq!(sleeps.iter_mut().map(poll).collect::<Vec<_>>(), [Poll::Ready(Ok(())); 2]);
}

/// L1: each way to give up a place
#[tokio::test(start_paused = true)]
async fn a_place_is_free_at_once_however_it_was_given_up() {
    let ways: [(&str, fn(&mut Sleep)); 4] = [
        ("dropped", |sleep| drop(std::mem::replace(sleep, unarmed(sleep)))),
        ("disarmed", |sleep| sleep.disarm()),
        ("reset to the past", |sleep| sleep.reset(sleep.deadline() - 2 * HOUR)),
        ("reset in place, which keeps it", |sleep| sleep.reset(sleep.deadline() + HOUR)),
    ];
    for (way, give_up) in ways {
        let timer = limited(1);
        time::advance(3 * HOUR).await;
        let mut sleep = armed(&timer, HOUR, Waker::noop());
        give_up(&mut sleep);
        let is_free = poll(&mut timer.try_sleep(HOUR)).is_pending();
        assert_eq!(is_free, timer.pending() == 0, "{way}");
        assert_eq!(is_free, !way.starts_with("reset in place"), "{way}");
    }
}

fn unarmed(like: &Sleep) -> Sleep {
    let timer = Timer::new();
    timer.sleep_until(like.deadline())
}

/// L1: what has fired has given up its place before anybody is woken
#[tokio::test(start_paused = true)]
async fn a_timer_that_fires_leaves_its_place_to_the_next() {
    let timer = limited(1);
    for _ in 0..100 {
        let mut sleep = timer.try_sleep(5 * MS);
        assert_eq!(poll(&mut sleep), Poll::Pending);
        time::sleep(6 * MS).await;
        assert_eq!(poll(&mut sleep), Poll::Ready(Ok(())));
    }
}

/// L1: they count, so that there may be more than the limit says
#[tokio::test(start_paused = true)]
async fn plain_forms_count_and_are_never_refused() {
    let timer = limited(2);
    let _sleeps = [(); 3].map(|()| armed(&timer, HOUR, Waker::noop()));
    let mut timeout = Box::pin(timer.timeout(HOUR, pending::<()>()));
    assert_eq!(poll_with(&mut timeout, Waker::noop()), Poll::Pending);
    let callback = timer.call_every(HOUR, || ());
    assert_eq!(timer.pending(), 5);
    assert_eq!(poll(&mut timer.try_sleep(HOUR)), REFUSED);
    callback.cancel();
    assert_eq!(poll(&mut timer.try_sleep(HOUR)), REFUSED, "four are left");
    assert_eq!(timer.metrics().refused, 2);
}

/// L1: what was refused comes back
#[tokio::test(start_paused = true)]
async fn a_refused_callback_gives_back_its_function() {
    let timer = limited(1);
    let _armed = armed(&timer, HOUR, Waker::noop());
    let attempts: [(&str, Try); 4] = [
        ("later", |timer, call| given_back(timer.try_call_later(HOUR, call))),
        ("at", |timer, call| given_back(timer.try_call_at(timer.now() + HOUR, call))),
        ("every", |timer, call| given_back(timer.try_call_every(HOUR, call))),
        ("on", |timer, call| given_back(timer.try_call_on(Every::new(HOUR).unwrap(), call))),
    ];
    for (name, attempt) in attempts {
        let (value, alive) = captured();
        let call = Box::new(keeping(value));
        assert_eq!(attempt(&timer, call).unwrap_err(), TimerError::AtCapacity, "{name}");
        assert!(!is_alive(&alive), "{name}: it was given back, and has been dropped with that");
    }
    assert_eq!((timer.pending(), timer.metrics().refused), (1, 4));
}

type Try = fn(&Timer, Box<dyn FnMut() + Send>) -> Result<Callback, TimerError>;

/// Runs what was refused, which is how it shows to be the whole of it
fn given_back<F: FnMut()>(
    result: Result<Callback, tickwheel::Refused<F>>,
) -> Result<Callback, TimerError> {
    result.map_err(|mut refused| {
        (refused.value)();
        refused.error
    })
}

/// L1: a callback that was let in goes on though there is no room any more
#[tokio::test(start_paused = true)]
async fn a_repeating_callback_keeps_its_place() {
    let timer = limited(1);
    let every = timer.try_call_every(10 * MS, || ()).unwrap();
    let on = timer.call_on(Every::new(HOUR).unwrap(), || ());
    time::sleep(100 * MS).await;
    assert!(every.is_running() && on.is_running());
    assert_eq!(timer.pending(), 2);
    assert!(timer.try_call_later(HOUR, || ()).is_err());
    assert!(every.cancel() && on.cancel());
    let one = timer.try_call_on(Every::new(HOUR).unwrap(), || ()).unwrap();
    assert!(timer.try_call_later(HOUR, || ()).is_err());
    assert!(one.cancel() && timer.try_call_later(HOUR, || ()).is_ok());
}

/// L1: `into_inner` gives the future back
#[tokio::test(start_paused = true)]
async fn a_refused_timeout_still_has_its_future() {
    let timer = limited(1);
    let armed = armed(&timer, HOUR, Waker::noop());
    let answer = async {
        time::sleep(MS).await;
        42
    };
    let mut timeout = timer.try_timeout(HOUR, Box::pin(answer));
    let error = (&mut timeout).await.unwrap_err();
    assert_eq!(error, TimeoutError::Timer(TimerError::AtCapacity));
    assert_eq!(error.to_string(), "the timer holds as many timers as it may");
    drop(armed);
    assert_eq!(timeout.into_inner().await, 42);
}

/// L1: a future that is ready at once needs no place
#[tokio::test(start_paused = true)]
async fn what_is_not_armed_is_not_refused() {
    let timer = limited(1);
    let _armed = armed(&timer, HOUR, Waker::noop());
    assert_eq!(timer.try_timeout(HOUR, async { 1 }).await, Ok(1));
    assert_eq!(timer.try_sleep(Duration::ZERO).await, Ok(()));
    assert_eq!(timer.try_timeout(Duration::MAX, async { 2 }).await, Ok(2));
    assert_eq!(timer.metrics().refused, 0);
}

/// What is due by the time that it is asked is ready, and in the books as nothing else
#[tokio::test(start_paused = true)]
async fn what_is_due_is_not_counted_as_refused() {
    let timer = limited(1);
    // For ever, so that the driver has nothing to come for and nobody looks at the clock.
    let _taken = armed(&timer, Duration::MAX, Waker::noop());
    settle().await;
    let mut sleep = timer.try_sleep(2 * MS);
    let mut late = timer.try_sleep(2 * MS);
    assert_eq!(poll(&mut sleep), REFUSED);
    time::advance(2 * MS).await;
    assert_eq!([poll(&mut sleep), poll(&mut late)], [Poll::Ready(Ok(())); 2]);
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.refused), (1, 1));
    // The same once nothing is taken any more.
    let mut late = timer.try_sleep(2 * MS);
    time::advance(2 * MS).await;
    drop(timer.shutdown().await);
    assert_eq!(poll(&mut late), Poll::Ready(Ok(())));
    assert_eq!(timer.metrics().refused, 1);
}

/// What a shutdown refuses has no place either
#[tokio::test(start_paused = true)]
async fn shutting_down_gives_up_all_places() {
    let timer = limited(3);
    let _sleeps = [(); 2].map(|()| armed(&timer, HOUR, Waker::noop()));
    timer.call_later(HOUR, || ());
    assert_eq!(poll(&mut timer.try_sleep(HOUR)), REFUSED);
    let unfired = timer.shutdown().await;
    assert_eq!((unfired.sleeps(), unfired.callbacks().len(), timer.pending()), (2, 1, 0));
    let shut_down = Poll::Ready(Err(TimerError::ShutDown));
    assert_eq!(poll(&mut timer.try_sleep(HOUR)), shut_down);
}

/// L1: from all threads at once (real)
#[test]
fn threads_that_race_for_places_get_exactly_as_many_as_there_are() {
    const THREADS: usize = 8;
    let runtime = multi_thread(1);
    let timer = Timer::builder().max_pending(100).build_on(runtime.handle()).unwrap();
    let start = Arc::new(Barrier::new(THREADS));
    for round in 0..20 {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (timer, start) = (timer.clone(), Arc::clone(&start));
                thread::spawn(move || {
                    start.wait();
                    let sleeps = (0..50).map(|_| timer.try_sleep(HOUR));
                    sleeps
                        .filter_map(|mut sleep| poll(&mut sleep).is_pending().then_some(sleep))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let armed: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!((armed.len(), timer.pending()), (100, 100), "round {round}");
    }
    assert_eq!(timer.pending(), 0);
}
