//! Callbacks between threads: each runs or is cancelled, never both and never neither (real)

use std::{
    hint::spin_loop,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use tickwheel::{Callback, Every, Timer};
use tickwheel_tests::{
    callbacks::LIMIT,
    durations::{MS, SECOND},
    random::Random,
    runtimes::{multi_thread, within},
};

const TICK: Duration = Duration::from_micros(100);
const THREADS: u64 = 8;

fn rounds(release: u64) -> u64 {
    if cfg!(debug_assertions) { release / 20 } else { release }
}

fn timer_on(runtime: &tokio::runtime::Runtime, shards: usize) -> Timer {
    Timer::builder().tick(TICK).shards(shards).build_on(runtime.handle()).unwrap()
}

/// What must hold when nothing is armed and nothing runs any more
#[track_caller]
fn assert_settled(timer: &Timer) {
    let metrics = timer.metrics();
    assert_eq!((metrics.pending, metrics.callback_panics), (0, 0), "{metrics}");
    assert_eq!(metrics.registered, metrics.fired + metrics.cancelled, "{metrics}");
}

fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

/// Cancel against fire, a million times from 8 threads
#[test]
fn each_callback_runs_or_is_cancelled_never_both_and_never_neither() {
    within(5 * LIMIT, || {
        let runtime = multi_thread(2);
        let timer = timer_on(&runtime, 2);
        let (ran_in_all, cancelled_in_all) =
            (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| {
                let timer = timer.clone();
                let (ran_in_all, cancelled_in_all) =
                    (Arc::clone(&ran_in_all), Arc::clone(&cancelled_in_all));
                thread::spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..rounds(1_000_000) / THREADS / 50 {
                        let (ran, cancelled) = cancel_some(&timer, &mut random);
                        ran_in_all.fetch_add(ran, Ordering::Relaxed);
                        cancelled_in_all.fetch_add(cancelled, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("each did one or the other");
        }
        assert_settled(&timer);
        let (ran, cancelled) =
            (ran_in_all.load(Ordering::Relaxed), cancelled_in_all.load(Ordering::Relaxed));
        assert_eq!(ran + cancelled, rounds(1_000_000) / THREADS / 50 * 50 * THREADS);
        let metrics = timer.metrics();
        assert_eq!((metrics.fired, metrics.cancelled), (ran, cancelled));
        assert!(ran > 0 && cancelled > 0, "{ran} ran, {cancelled} were cancelled");
    });
}

/// Fifty at about the same time; how many ran and how many were cancelled
fn cancel_some(timer: &Timer, random: &mut Random) -> (u64, u64) {
    let due = timer.now() + Duration::from_micros(random.below(300));
    let mut callbacks: Vec<(Callback, Arc<AtomicUsize>)> = Vec::with_capacity(50);
    for number in 0..50 {
        let runs = Arc::new(AtomicUsize::new(0));
        let count = {
            let runs = Arc::clone(&runs);
            move || {
                runs.fetch_add(1, Ordering::SeqCst);
            }
        };
        let callback = if number % 2 == 0 {
            timer.call_at(due, count)
        } else {
            let callback = timer.new_callback_once(due - timer.now(), count);
            assert!(callback.start());
            callback
        };
        callbacks.push((callback, runs));
    }
    for _ in 0..random.below(20_000) {
        spin_loop();
    }
    let mut outcome = (0, 0);
    for (number, (callback, runs)) in callbacks.iter().enumerate() {
        let by_name = number % 3 == 0;
        let is_cancelled = if by_name { timer.cancel(callback.id()) } else { callback.cancel() };
        if is_cancelled {
            outcome.1 += 1;
        } else {
            // It has begun: now it must come to its end.
            until(|| runs.load(Ordering::SeqCst) > 0);
            outcome.0 += 1;
        }
    }
    until(|| callbacks.iter().all(|(callback, _)| !callback.is_running()));
    let runs: usize = callbacks.iter().map(|(_, runs)| runs.load(Ordering::SeqCst)).sum();
    assert_eq!(u64::try_from(runs).unwrap(), outcome.0, "what was cancelled ran, or ran twice");
    outcome
}

/// From the moment a one-shot is called it is too late, also right after its call
#[test]
fn a_one_shot_that_was_called_is_not_cancelled_stopped_or_restarted_any_more() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = timer_on(&runtime, 1);
        let mut random = Random::new(3);
        for round in 0..rounds(200_000) {
            let called = Arc::new(AtomicBool::new(false));
            let call = {
                let called = Arc::clone(&called);
                move || called.store(true, Ordering::SeqCst)
            };
            let spent = round % 4 < 2;
            let callback = if spent {
                timer.call_later(Duration::ZERO, call)
            } else {
                let callback = timer.new_callback_once(Duration::ZERO, call);
                assert!(callback.start());
                callback
            };
            until_called(&called);
            for _ in 0..random.below(100) {
                spin_loop();
            }
            let kept_from_running = match round % 4 {
                0 => callback.start() || callback.cancel(),
                1 | 3 => callback.stop(),
                _ => callback.cancel(),
            };
            assert!(!kept_from_running, "it was called, in round {round}");
        }
        until(|| timer.pending() == 0);
        assert_settled(&timer);
    });
}

fn until_called(called: &AtomicBool) {
    while !called.load(Ordering::SeqCst) {
        spin_loop();
    }
}

/// `stop` that says true has stopped it: nothing runs then, and nothing runs later
#[test]
fn a_repeating_callback_that_is_stopped_by_another_thread_stays_stopped() {
    within(LIMIT, || {
        let runtime = multi_thread(2);
        let timer = timer_on(&runtime, 1);
        let (calls, is_in_call) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let callback = {
            let (calls, is_in_call) = (Arc::clone(&calls), Arc::clone(&is_in_call));
            timer.new_callback_every(TICK, move || {
                is_in_call.store(true, Ordering::SeqCst);
                calls.fetch_add(1, Ordering::SeqCst);
                is_in_call.store(false, Ordering::SeqCst);
            })
        };
        let mut random = Random::new(7);
        for round in 0..rounds(20_000) {
            assert!(callback.start());
            for _ in 0..random.below(60_000) {
                spin_loop();
            }
            if callback.stop() {
                assert!(!is_in_call.load(Ordering::SeqCst), "it had begun");
            }
            until(|| !callback.is_running());
            let before = calls.load(Ordering::SeqCst);
            if round % 16 == 0 {
                thread::sleep(3 * TICK);
            }
            assert_eq!(calls.load(Ordering::SeqCst), before, "stopped in round {round}");
            assert_eq!((timer.pending(), callback.is_finished()), (0, false));
        }
        assert!(calls.load(Ordering::SeqCst) > 0);
        assert_settled(&timer);
    });
}

/// All of it at once, on the same callbacks: at the end it runs as often as the last start says
#[test]
fn threads_that_start_stop_and_move_one_callback_leave_it_whole() {
    within(LIMIT, || {
        let runtime = multi_thread(2);
        let timer = timer_on(&runtime, 1);
        let (calls, nested) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let call = || {
            let (calls, nested) = (Arc::clone(&calls), Arc::clone(&nested));
            let is_in_call = AtomicBool::new(false);
            move || {
                if is_in_call.swap(true, Ordering::SeqCst) {
                    nested.store(true, Ordering::SeqCst);
                }
                calls.fetch_add(1, Ordering::SeqCst);
                is_in_call.store(false, Ordering::SeqCst);
            }
        };
        let callbacks = [
            timer.new_callback_every(TICK, call()),
            timer.new_callback_once(TICK, call()),
            timer.new_callback_on(Every::new(TICK).unwrap(), call()),
        ];
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                let callbacks = callbacks.clone();
                thread::spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..rounds(200_000) {
                        let callback = &callbacks[usize::try_from(random.below(3)).unwrap()];
                        match random.below(6) {
                            0 | 1 => assert!(callback.start()),
                            2 => drop(callback.stop()),
                            // A schedule is not to be moved.
                            3 => drop(callback.set_next(|| Some(2 * TICK))),
                            4 => callback.clear_next(),
                            _ => drop((callback.deadline(), callback.is_finished())),
                        }
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("nothing panics");
        }
        assert!(!nested.load(Ordering::SeqCst), "one call at a time");
        for callback in &callbacks {
            callback.stop();
            until(|| !callback.is_running());
        }
        assert_settled(&timer);
        let before = calls.load(Ordering::SeqCst);
        thread::sleep(3 * MS);
        assert_eq!(calls.load(Ordering::SeqCst), before);
        assert!(callbacks[1].start(), "it is as good as new");
        until(|| callbacks[1].is_finished());
        assert_eq!(calls.load(Ordering::SeqCst), before + 1);
        assert_settled(&timer);
    });
}

/// C7: 11 callbacks due at 200 ms; the first runs for a second, the others are cancelled meanwhile
#[test]
fn callbacks_cancelled_while_an_earlier_one_runs_leave_nothing_behind() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let begun = Arc::new(Barrier::new(2));
        let ran = Arc::new(AtomicUsize::new(0));
        let due = timer.now() + 200 * MS;
        let first = {
            let begun = Arc::clone(&begun);
            timer.call_at(due, move || {
                begun.wait();
                thread::sleep(SECOND);
            })
        };
        let others: Vec<_> = (0..10)
            .map(|_| {
                let ran = Arc::clone(&ran);
                timer.call_at(due, move || {
                    ran.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        begun.wait();
        assert!(!first.cancel() && first.is_running(), "it is being called");
        assert_eq!(others.iter().filter(|callback| callback.cancel()).count(), 10);
        let metrics = timer.metrics();
        assert_eq!((metrics.pending, metrics.cancelled, metrics.fired), (0, 10, 1));
        until(|| first.is_finished());
        thread::sleep(5 * MS);
        assert_eq!((ran.load(Ordering::SeqCst), timer.pending()), (0, 0));
        assert_eq!(timer.metrics().slow_callbacks, 1);
        assert_settled(&timer);
    });
}

/// The runtime may go while others arm, start and cancel: each runs, is cancelled or is dropped
#[test]
fn a_runtime_that_goes_while_callbacks_are_started_drops_them_all() {
    within(2 * LIMIT, || {
        for _ in 0..rounds(600) {
            let runtime = multi_thread(1);
            let timer = timer_on(&runtime, 1);
            let owned = Arc::new(());
            let restarted = {
                let owned = Arc::clone(&owned);
                timer.new_callback_every(TICK, move || drop(Arc::clone(&owned)))
            };
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let (timer, owned) = (timer.clone(), Arc::clone(&owned));
                    let restarted = restarted.clone();
                    thread::spawn(move || {
                        loop {
                            restarted.start();
                            let owned = Arc::clone(&owned);
                            let call = move || drop(owned);
                            if timer.try_call_later(2 * TICK, call).is_err() {
                                break;
                            }
                        }
                    })
                })
                .collect();
            thread::sleep(MS);
            drop(runtime);
            for thread in threads {
                thread.join().expect("nothing panics");
            }
            assert_eq!(Arc::strong_count(&owned), 1, "all closures are gone");
            assert!(restarted.is_finished() && !restarted.start());
            assert_settled(&timer);
        }
    });
}
