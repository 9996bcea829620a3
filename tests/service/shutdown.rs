//! The end of a timer that is told to end

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use futures::{FutureExt, StreamExt};
use tickwheel::{Every, Shutdown, TimeoutError, Timer, TimerError, delay_queue::Expired};
use tickwheel_tests::{
    callbacks::{Calls, OnDrop, captured, is_alive, keeping, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::settle,
    waker::{ActingWaker, CountingWaker, armed, poll_with},
};
use tokio::time;

/// L2: five callbacks and five sleeps
#[test]
fn what_was_armed_is_given_back() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let armed_at = timer.now();
        let callbacks: Vec<_> = [5, 1, 4, 2, 3]
            .map(|seconds| timer.call_later(seconds * SECOND, calls.noting("call")))
            .into();
        let counter = CountingWaker::new();
        let sleeps: Vec<_> = (1..=5).map(|n| armed(&timer, n * SECOND, &counter.waker())).collect();

        let unfired = timer.shutdown().await;

        assert!(timer.is_shutdown());
        assert_eq!((unfired.sleeps(), counter.wakes(), timer.pending()), (5, 5, 0));
        let deadlines: Vec<_> = unfired.callbacks().collect();
        assert_eq!(deadlines, [1, 2, 3, 4, 5].map(|seconds| armed_at + seconds * SECOND));
        for callback in &callbacks {
            assert!(callback.is_finished() && !callback.is_running());
            assert!(!callback.start() && !callback.cancel() && !callback.stop());
            assert_eq!(callback.deadline(), None);
        }
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.cancelled, metrics.fired), (10, 10, 0));

        let again = timer.shutdown().await;
        assert_eq!((again.sleeps(), again.callbacks().len()), (0, 0));
        time::sleep(10 * SECOND).await;
        assert_eq!(calls.count(), 0, "nothing begins after a shutdown");
        assert_eq!(counter.wakes(), 5);
        drop(sleeps);
    });
}

/// L2: each may be run or dropped by who is given it
#[test]
fn what_is_given_back_can_be_run_or_dropped() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let (value, alive) = captured();
        timer.call_later(SECOND, calls.noting("once"));
        timer.call_every(2 * SECOND, calls.noting("repeating"));
        timer.call_on(Every::new(HOUR).unwrap(), calls.noting("scheduled"));
        timer.call_later(2 * HOUR, keeping(value));
        let unfired = timer.shutdown().await;
        assert!(is_alive(&alive));
        let mut all = unfired.into_callbacks();
        for _ in 0..3 {
            all.next().unwrap().run();
        }
        assert_eq!(calls.names(), ["once", "repeating", "scheduled"]);
        assert!(is_alive(&alive));
        drop(all);
        assert!(!is_alive(&alive));
    });
}

/// It takes effect at the call; nobody need await it
#[test]
fn a_shutdown_that_nobody_awaits_is_one() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let (value, alive) = captured();
        let counter = CountingWaker::new();
        timer.call_later(MS, calls.noting("call"));
        let _stopped = timer.new_callback_once(HOUR, keeping(value));
        let _sleep = armed(&timer, HOUR, &counter.waker());
        drop(timer.shutdown());
        assert!(timer.is_shutdown());
        let refused = timer.try_call_later(MS, calls.noting("refused")).unwrap_err();
        assert_eq!(refused.error, TimerError::ShutDown);
        time::sleep(SECOND).await;
        assert_eq!((calls.count(), counter.wakes(), timer.pending()), (0, 1, 0));
        assert!(!is_alive(&alive), "a callback that was not armed can never run either");
    });
}

/// Contract 11: with the line that made the sleep
#[test]
fn a_sleep_that_was_pending_panics_and_a_try_sleep_says_why() {
    on_a_paused_clock(|timer| async move {
        let line = line!() + 1;
        let mut sleep = timer.sleep(HOUR);
        let mut try_sleep = timer.try_sleep(HOUR);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        assert_eq!(poll_with(&mut try_sleep, Waker::noop()), Poll::Pending);
        let timeout = timer.try_timeout(HOUR, pending::<()>());
        let mut interval = timer.interval_at(timer.now() + HOUR, HOUR);
        let mut stream = timer.schedule(Every::new(HOUR).unwrap());
        assert_eq!(timer.shutdown().await.sleeps(), 2);
        let panicked = panic_of(|| assert!(poll_with(&mut sleep, Waker::noop()).is_ready()));
        let place = format!("{}:{line}:", file!());
        assert!(panicked.message.contains("was shut down"), "{}", panicked.message);
        assert!(panicked.message.contains(&place), "{}", panicked.message);
        assert_eq!(try_sleep.await, Err(TimerError::ShutDown));
        assert_eq!(timeout.await, Err(TimeoutError::Timer(TimerError::ShutDown)));
        for panics in [
            catch_unwind(AssertUnwindSafe(|| interval.tick().now_or_never().is_some())),
            catch_unwind(AssertUnwindSafe(|| stream.next().now_or_never().is_some())),
        ] {
            assert!(panics.is_err());
        }
    });
}

/// What is past is past
#[test]
fn a_deadline_that_had_passed_is_ready_after_a_shutdown() {
    on_a_paused_clock(|timer| async move {
        let mut sleep = armed(&timer, MS, Waker::noop());
        let mut fresh = timer.sleep(MS);
        time::advance(SECOND).await;
        drop(timer.shutdown());
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
        assert_eq!(poll_with(&mut fresh, Waker::noop()), Poll::Ready(()));
        assert_eq!(timer.timeout(HOUR, async { 1 }).await, Ok(1), "ready wins");
    });
}

/// The items are still there
#[test]
fn a_delay_queue_can_be_emptied_after_a_shutdown() {
    on_a_paused_clock(|timer| async move {
        let mut queue = timer.delay_queue();
        queue.insert("soon", MS);
        queue.insert("not due", HOUR);
        let counter = CountingWaker::new();
        let mut cx = Context::from_waker(Waker::noop());
        let waker = counter.waker();
        assert!(queue.poll_expired(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(timer.shutdown().await.sleeps(), 1, "the queue is one");
        assert_eq!(counter.wakes(), 1);
        time::advance(2 * MS).await;
        let Poll::Ready(Some(due)) = queue.poll_expired(&mut cx) else { panic!("it is due") };
        assert_eq!(due.into_inner(), "soon");
        let waits = catch_unwind(AssertUnwindSafe(|| queue.poll_expired(&mut cx).is_pending()));
        assert!(waits.is_err(), "it would wait in vain");
        let left: Vec<_> = queue.drain().map(Expired::into_inner).collect();
        assert_eq!(left, ["not due"]);
    });
}

/// C4: from a callback, awaited elsewhere, for it waits for that callback
#[test]
fn a_callback_may_shut_its_timer_down() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let shutdown: Arc<Mutex<Option<Shutdown>>> = Arc::default();
        let within = {
            let (timer, shutdown, calls) = (timer.clone(), Arc::clone(&shutdown), calls.clone());
            let mut count = 0;
            timer.clone().call_every(MS, move || {
                count += 1;
                calls.note("first");
                if count == 3 {
                    *shutdown.lock().unwrap() = Some(timer.shutdown());
                    assert!(timer.is_shutdown());
                    assert!(timer.try_call_later(MS, || ()).is_err());
                }
            })
        };
        timer.call_every(MS, calls.noting("second"));
        timer.call_later(HOUR, calls.noting("never"));
        time::sleep(10 * MS).await;
        assert_eq!(calls.names(), ["first", "second", "first", "second", "first"]);
        let shutdown = shutdown.lock().unwrap().take().unwrap();
        let unfired = shutdown.await;
        // The one that was due but had not begun, and the one that was not due.
        assert_eq!(unfired.callbacks().len(), 2);
        assert!(within.is_finished());
        time::sleep(HOUR).await;
        assert_eq!(calls.count(), 5);
    });
}

/// No hang: from two tasks, twice in one, and for one that was dropped
#[test]
fn all_of_several_shutdowns_resolve_and_the_first_has_what_was_armed() {
    on_a_paused_clock(|timer| async move {
        timer.call_later(HOUR, || ());
        let _sleep = armed(&timer, HOUR, Waker::noop());
        let first = timer.shutdown();
        let second = tokio::spawn(timer.shutdown());
        let third = timer.shutdown();
        let dropped = timer.shutdown();
        drop(dropped);
        let second = second.await.unwrap();
        let third = third.await;
        let first = first.await;
        let given = [&first, &second, &third].map(|all| (all.sleeps(), all.callbacks().len()));
        assert_eq!(given, [(1, 1), (0, 0), (0, 0)]);
    });
}

/// Nobody is left who could want it
#[test]
fn what_a_dropped_shutdown_was_to_give_back_is_dropped() {
    on_a_paused_clock(|timer| async move {
        let (early, early_alive) = captured();
        let (late, late_alive) = captured();
        timer.call_later(HOUR, keeping(early));
        timer.call_later(HOUR, keeping(late));
        let mut shutdown = Box::pin(timer.shutdown());
        // Something is running, so it does not resolve at once.
        let polled = poll_with(&mut shutdown, Waker::noop());
        drop(polled);
        drop(shutdown);
        settle().await;
        assert!(!is_alive(&early_alive) && !is_alive(&late_alive));
    });
}

/// No cycle keeps anything alive
#[test]
fn after_a_shutdown_and_a_drop_nothing_is_left() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let every = timer.call_every(MS, keeping(Arc::clone(&value)));
        let stopped = timer.new_callback_every(MS, keeping(Arc::clone(&value)));
        timer.call_later(365 * 24 * HOUR, keeping(Arc::clone(&value)));
        timer.call_on(Every::new(HOUR).unwrap(), keeping(Arc::clone(&value)));
        let dynamic = timer.call_every(HOUR, || ());
        let kept = keeping(value);
        dynamic
            .set_next(move || {
                let _ = &kept;
                Some(HOUR)
            })
            .unwrap();
        drop(timer.shutdown().await);
        assert!(!is_alive(&alive), "the handles that are left keep nothing");
        drop((every, stopped, dynamic));
    });
}

/// Contract 8: what runs in a shutdown may do anything, and panic
#[test]
fn a_shutdown_bears_with_wakers_and_drops_that_panic() {
    on_a_paused_clock(|timer| async move {
        let ran = Arc::new(AtomicUsize::new(0));
        let note = |ran: &Arc<AtomicUsize>| {
            let ran = Arc::clone(ran);
            move || {
                ran.fetch_add(1, Ordering::Relaxed);
                panic!("on purpose");
            }
        };
        let waker = ActingWaker::on_wake(note(&ran));
        let _panicking = armed(&timer, HOUR, &waker);
        let counter = CountingWaker::new();
        let _next = armed(&timer, HOUR, &counter.waker());
        for _ in 0..2 {
            let on_drop = OnDrop::new(note(&ran));
            timer.call_later(HOUR, move || on_drop.keep());
            let on_drop = OnDrop::new(note(&ran));
            drop(timer.new_callback_once(HOUR, || ()));
            let kept = timer.new_callback_once(HOUR, move || on_drop.keep());
            // Held until after the shutdown.
            timer.call_later(2 * HOUR, move || drop(kept.clone()));
        }
        let (again, other) = (timer.clone(), timer.clone());
        let nested = ActingWaker::on_wake(move || drop((again.shutdown(), again.try_sleep(MS))));
        let _nested = armed(&timer, HOUR, &nested);
        let unfired = other.shutdown().await;
        assert_eq!((unfired.sleeps(), unfired.callbacks().len(), counter.wakes()), (3, 4, 1));
        drop(unfired);
        settle().await;
        assert_eq!(ran.load(Ordering::Relaxed), 5);
    });
}

/// More than a turn may fire: in pieces, with other tasks in between
#[test]
fn very_many_timers_are_taken_out_in_pieces() {
    on_a_paused_clock(|timer| async move {
        const COUNT: usize = 20_000;
        let sleeps: Vec<_> = (0..COUNT).map(|_| armed(&timer, HOUR, Waker::noop())).collect();
        let turns = Arc::new(AtomicUsize::new(0));
        let neighbour = {
            let (timer, turns) = (timer.clone(), Arc::clone(&turns));
            tokio::spawn(async move {
                while !timer.is_shutdown() || timer.pending() > 0 {
                    turns.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
            })
        };
        settle().await;
        turns.store(0, Ordering::Relaxed);
        assert_eq!(timer.shutdown().await.sleeps(), COUNT);
        neighbour.await.unwrap();
        let turns = turns.load(Ordering::Relaxed);
        assert!(turns >= COUNT / 256 / 4, "{turns} turns");
        drop(sleeps);
    });
}

/// The plain forms panic, at the caller's line
#[test]
fn the_plain_forms_refuse_loudly() {
    on_a_paused_clock(|timer| async move {
        drop(timer.shutdown());
        let line = line!() + 1;
        let panicked = panic_of(|| timer.call_later(HOUR, || ()));
        assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
        assert!(panicked.message.contains("was shut down"), "{}", panicked.message);
        assert!(timer.metrics().refused >= 1);
        assert!(!Timer::new().is_shutdown(), "another one is another one");
    });
}
