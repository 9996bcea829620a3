//! Wakers are user code: they may arm, cancel, drop and panic

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Poll, Waker},
    time::Duration,
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS},
    runtimes::{self, multi_thread, others_pass_by, settle, within},
    waker::{ActingWaker, CloneWaker, CountingWaker, armed, poll_with},
};
use tokio::time;

/// For what would hang under a lock
const LIMIT: Duration = Duration::from_secs(30);

/// Runs this on a paused current-thread runtime, which a deadlock must not hang for ever
fn on_a_paused_clock<F: Future<Output = ()>>(story: impl FnOnce(Timer) -> F + Send + 'static) {
    runtimes::on_a_paused_clock(LIMIT, story);
}

/// S7: 100 timers in one tick; the waker of the first drops 50 to 99
///
/// A few wakers are taken out at a time, before the first of them is called; 50 is beyond those.
#[test]
fn timers_dropped_by_the_waker_of_an_earlier_one_do_not_fire() {
    on_a_paused_clock(|timer| async move {
        let victims = Arc::new(Mutex::new(Vec::new()));
        let counters: Vec<_> = (0..100).map(|_| CountingWaker::new()).collect();
        let killer = {
            let (victims, first) = (Arc::clone(&victims), Arc::clone(&counters[0]));
            ActingWaker::on_wake(move || {
                first.waker().wake();
                victims.lock().unwrap().clear();
            })
        };
        let mut survivors = vec![armed(&timer, 10 * MS, &killer)];
        for (number, counter) in counters.iter().enumerate().skip(1) {
            let sleep = armed(&timer, 10 * MS, &counter.waker());
            if number < 50 {
                survivors.push(sleep);
            } else {
                victims.lock().unwrap().push(sleep);
            }
        }
        drop(killer);
        time::sleep(20 * MS).await;

        assert!(victims.lock().unwrap().is_empty());
        let woken: Vec<_> = counters.iter().map(|counter| counter.wakes()).collect();
        assert_eq!(woken[..50], [1; 50]);
        assert_eq!(woken[50..], [0; 50], "a dropped timer has no waker any more");
        for survivor in &mut survivors {
            assert_eq!(poll_with(survivor, Waker::noop()), Poll::Ready(()));
        }
        let metrics = timer.metrics();
        assert_eq!((metrics.pending, metrics.fired, metrics.cancelled), (0, 50, 50));
    });
}

/// S7: the waker of one drops a timer that is due later, and the last handle
#[test]
fn a_waker_may_drop_the_last_handle_and_future() {
    on_a_paused_clock(|timer| async move {
        let counter = CountingWaker::new();
        let all = Arc::new(Mutex::new(None));
        let dropper = {
            let all = Arc::clone(&all);
            ActingWaker::on_wake(move || drop(all.lock().unwrap().take()))
        };
        let later = armed(&timer, HOUR, &counter.waker());
        let first = armed(&timer, 10 * MS, &dropper);
        *all.lock().unwrap() = Some((timer, first, later));
        drop(dropper);
        time::sleep(20 * MS).await;
        assert!(all.lock().unwrap().is_none());
        settle().await;
        assert_eq!((counter.wakes(), counter.wakers()), (0, 0));
        assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
    });
}

/// Contract 8: wakers that arm, reset and cancel others of the same tick and of later ones
#[test]
fn a_waker_may_arm_reset_and_cancel() {
    on_a_paused_clock(|timer| async move {
        let armed_within = Arc::new(Mutex::new(None));
        let other = Arc::new(Mutex::new(Some(armed(&timer, 30 * MS, Waker::noop()))));
        let (counter, moved) = (CountingWaker::new(), CountingWaker::new());
        let to_move = Arc::new(Mutex::new(armed(&timer, HOUR, &moved.waker())));
        let actor = {
            let (timer, counter) = (timer.clone(), Arc::clone(&counter));
            let (armed_within, other, to_move) =
                (Arc::clone(&armed_within), Arc::clone(&other), Arc::clone(&to_move));
            ActingWaker::on_wake(move || {
                *armed_within.lock().unwrap() = Some(armed(&timer, 10 * MS, &counter.waker()));
                drop(other.lock().unwrap().take());
                to_move.lock().unwrap().reset_after(15 * MS);
                assert_eq!(timer.pending(), 2);
            })
        };
        let _sleep = armed(&timer, 20 * MS, &actor);
        time::sleep(29 * MS).await;
        assert_eq!((counter.wakes(), moved.wakes()), (0, 0));
        time::sleep(2 * MS).await;
        assert_eq!((counter.wakes(), moved.wakes()), (1, 0));
        time::sleep(5 * MS).await;
        assert_eq!((counter.wakes(), moved.wakes()), (1, 1));
        let metrics = timer.metrics();
        assert_eq!((metrics.fired, metrics.cancelled, metrics.pending), (3, 1, 0));
    });
}

/// Contract 8: however many wakers arm, none does so within another (real)
#[test]
fn wakers_that_arm_do_not_nest() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let fired = Arc::new(AtomicUsize::new(0));
        let due = timer.now() + 1000 * MS;
        let mut sleeps: Vec<_> = (0..50_000).map(|_| timer.sleep_until(due)).collect();
        // On a machine that is too busy for all of them some are over before.
        sleeps.retain_mut(|sleep| {
            let (timer, fired) = (timer.clone(), Arc::clone(&fired));
            let waker = ActingWaker::on_wake(move || {
                drop(armed(&timer, HOUR, Waker::noop()));
                fired.fetch_add(1, Ordering::Relaxed);
            });
            poll_with(sleep, &waker).is_pending()
        });
        // The driver is called, and cannot come until the end.
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        runtime.spawn(async move { finished.recv().unwrap_err() });
        while timer.now() < due + 10 * MS {
            std::thread::sleep(MS);
        }
        others_pass_by(&timer, 500);
        drop(finish);
        while fired.load(Ordering::Relaxed) < sleeps.len() {
            std::thread::sleep(MS);
        }
        drop(sleeps);
        assert_eq!(timer.pending(), 0);
    });
}

/// Contract 8: one that panics takes nobody with it
#[test]
fn a_waker_that_panics_does_not_keep_the_others_from_firing() {
    on_a_paused_clock(|timer| async move {
        let counters: Vec<_> = (0..500).map(|_| CountingWaker::new()).collect();
        let sleeps: Vec<_> = counters
            .iter()
            .zip(0u32..)
            .map(|(counter, number)| {
                let waker = if number % 50 == 7 {
                    ActingWaker::on_wake(|| panic!("a waker's panic, as it should be"))
                } else {
                    counter.waker()
                };
                armed(&timer, (10 + number % 2) * MS, &waker)
            })
            .collect();
        let later = CountingWaker::new();
        let _later = armed(&timer, HOUR, &later.waker());
        time::sleep(20 * MS).await;
        let woken: usize = counters.iter().map(|counter| counter.wakes()).sum();
        assert_eq!((woken, timer.pending()), (490, 1));
        drop(sleeps);
        time::sleep(HOUR).await;
        assert_eq!(later.wakes(), 1);
    });
}

/// What the drop of a waker does in the stories of S8
fn arms_and_cancels(timer: &Timer, dropped: &Arc<AtomicUsize>) -> Waker {
    let (timer, dropped) = (timer.clone(), Arc::clone(dropped));
    let bystander = armed(&timer, HOUR, Waker::noop());
    ActingWaker::on_drop(move || {
        // It neither deadlocks nor miscounts when this is the thread that dropped the waker.
        drop(armed(&timer, HOUR, Waker::noop()));
        drop(bystander);
        dropped.fetch_add(1, Ordering::Relaxed);
    })
}

/// S8: a waker whose drop arms and cancels, replaced by another
#[test]
fn a_waker_that_is_replaced_may_arm_and_cancel_in_its_drop() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        let mut sleep = armed(&timer, HOUR, &arms_and_cancels(&timer, &dropped));
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (0, 2));
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (1, 1));
    });
}

/// S8: the same, cancelled
#[test]
fn a_waker_of_a_cancelled_timer_may_arm_and_cancel_in_its_drop() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        drop(armed(&timer, HOUR, &arms_and_cancels(&timer, &dropped)));
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (1, 0));
        let mut sleep = armed(&timer, HOUR, &arms_and_cancels(&timer, &dropped));
        sleep.disarm();
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (2, 0));
    });
}

/// S8: the same, reset: to later, to sooner, and to the past, which wakes and drops it
#[test]
fn a_waker_of_a_reset_timer_may_arm_and_cancel_in_its_drop() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        let mut sleep = armed(&timer, HOUR, &arms_and_cancels(&timer, &dropped));
        sleep.reset_after(2 * HOUR);
        sleep.reset_after(10 * MS);
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (0, 2));
        sleep.reset(timer.now() - MS);
        settle().await;
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (1, 0));
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    });
}

/// S8: the same, fired
#[test]
fn a_waker_that_fired_may_arm_and_cancel_in_its_drop() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        let _sleep = armed(&timer, 10 * MS, &arms_and_cancels(&timer, &dropped));
        time::sleep(20 * MS).await;
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (1, 0));
    });
}

/// S8: the same, in the hands of a timer whose runtime goes away, and refused afterwards
#[test]
fn a_waker_of_a_timer_that_is_shut_down_may_arm_and_cancel_in_its_drop() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let dropped = Arc::new(AtomicUsize::new(0));
        let drops_a_try = |timer: &Timer| {
            let (timer, dropped) = (timer.clone(), Arc::clone(&dropped));
            ActingWaker::on_drop(move || {
                let mut sleep = timer.try_sleep(HOUR);
                let _ = poll_with(&mut sleep, Waker::noop());
                dropped.fetch_add(1, Ordering::Relaxed);
            })
        };
        let _waits = armed(&timer, HOUR, &drops_a_try(&timer));
        drop(runtime);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
        let mut refused = timer.try_sleep(HOUR);
        assert!(poll_with(&mut refused, &drops_a_try(&timer)).is_ready());
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (2, 0));
    });
}

/// S8: a waker that arms and cancels while it is cloned, for a new timer and in another's place
#[test]
fn a_waker_may_arm_and_cancel_while_it_is_cloned() {
    on_a_paused_clock(|timer| async move {
        let arm_and_cancel = {
            let timer = timer.clone();
            move || drop(armed(&timer, HOUR, Waker::noop()))
        };
        let waker = CloneWaker::waker(arm_and_cancel.clone(), arm_and_cancel);
        let mut sleep = armed(&timer, HOUR, &waker);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        assert_eq!(poll_with(&mut sleep, &waker), Poll::Pending);
        assert_eq!(timer.pending(), 1);
        drop(sleep);
        assert_eq!(timer.pending(), 0);
    });
}

/// S8: the clone is not needed any more when it is made, and goes at once (real)
#[test]
fn a_waker_whose_timer_fires_while_it_is_cloned_may_arm_in_its_drop() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let until_it_fired = {
            let timer = timer.clone();
            move || {
                while timer.pending() > 0 {
                    std::thread::sleep(MS);
                }
            }
        };
        let arm_and_cancel = {
            let timer = timer.clone();
            move || drop(armed(&timer, HOUR, Waker::noop()))
        };
        let mut sleep = armed(&timer, 10 * MS, Waker::noop());
        let waker = CloneWaker::waker(until_it_fired, arm_and_cancel);
        assert_eq!(poll_with(&mut sleep, &waker), Poll::Ready(()));
        assert_eq!((timer.pending(), timer.metrics().cancelled), (0, 1));
    });
}

/// S8: a clone that is not needed, since the deadline passed or the timer is gone (real)
#[test]
fn a_waker_that_is_refused_may_arm_in_its_clones_drop() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let dropped = Arc::new(AtomicUsize::new(0));
        let waker = {
            let (timer, dropped) = (timer.clone(), Arc::clone(&dropped));
            let arm_and_cancel = move || {
                let _ = poll_with(&mut timer.try_sleep(HOUR), Waker::noop());
                dropped.fetch_add(1, Ordering::Relaxed);
            };
            CloneWaker::waker(|| (), arm_and_cancel)
        };
        // The driver comes at 10 ms, before anybody has polled what was due at 5.
        let mut passed = timer.sleep(5 * MS);
        runtime.block_on(timer.sleep(10 * MS));
        assert_eq!(poll_with(&mut passed, &waker), Poll::Ready(()));
        drop(runtime);
        let before = dropped.load(Ordering::Relaxed);
        assert!(poll_with(&mut timer.try_sleep(HOUR), &waker).is_ready());
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (before + 1, 0));
    });
}

/// S8: a waker that is itself a task's, whose future holds other timers of the same shard
#[test]
fn a_task_that_is_dropped_by_its_waker_may_hold_timers() {
    on_a_paused_clock(|timer| async move {
        let counter = CountingWaker::new();
        let task = {
            let timer = timer.clone();
            let held = armed(&timer, HOUR, &counter.waker());
            tokio::spawn(async move {
                let _held = held;
                timer.sleep(10 * MS).await;
            })
        };
        settle().await;
        assert_eq!(timer.pending(), 2);
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!((timer.pending(), counter.wakers()), (0, 0));
    });
}
