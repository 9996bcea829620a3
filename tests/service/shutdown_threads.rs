//! A shutdown amid what other threads do (real)

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::Poll,
    thread,
    time::Duration,
};

use tickwheel::{Timer, TimerError};
use tickwheel_tests::{
    callbacks::LIMIT,
    durations::{HOUR, MS},
    runtimes::{Background, current_thread, multi_thread, within},
    waker::{CountingWaker, poll_with},
};

/// Fired, returned and refused are all there is
#[test]
fn timers_armed_by_eight_threads_during_a_shutdown_are_all_accounted_for() {
    within(5 * LIMIT, || {
        const THREADS: usize = 8;
        let rounds = if cfg!(debug_assertions) { 2_000 } else { 10_000 };
        let runtime = multi_thread(2);
        for round in 0..rounds {
            let timer = Timer::builder().shards(2).build_on(runtime.handle()).unwrap();
            let start = Arc::new(Barrier::new(THREADS + 1));
            let called = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..THREADS)
                .map(|number| {
                    let (timer, start) = (timer.clone(), Arc::clone(&start));
                    let called = Arc::clone(&called);
                    thread::spawn(move || {
                        start.wait();
                        arm_some(&timer, number, &called)
                    })
                })
                .collect();
            start.wait();
            let unfired = runtime.block_on(timer.shutdown());
            let called_by_then = called.load(Ordering::SeqCst);
            let mut sum = Armed::default();
            for thread in threads {
                let armed = thread.join().unwrap();
                sum.callbacks += armed.callbacks;
                sum.sleeps += armed.sleeps;
                sum.refused += armed.refused;
            }
            assert_eq!(called.load(Ordering::SeqCst), called_by_then, "nothing begins after it");
            assert_eq!(called_by_then + unfired.callbacks().len(), sum.callbacks, "{round}");
            let metrics = timer.metrics();
            let attempts = THREADS * (SLEEPS + CALLBACKS);
            assert_eq!(sum.callbacks + sum.sleeps + sum.refused, attempts, "{round}");
            assert_eq!(metrics.refused, sum.refused as u64, "{round}");
            assert_eq!(metrics.registered, metrics.fired + metrics.cancelled, "{round}");
            assert_eq!(metrics.pending, 0, "{round}");
        }
    });
}

const SLEEPS: usize = 4;
const CALLBACKS: usize = 4;

#[derive(Default)]
struct Armed {
    sleeps: usize,
    callbacks: usize,
    refused: usize,
}

fn arm_some(timer: &Timer, number: usize, called: &Arc<AtomicUsize>) -> Armed {
    let mut armed = Armed::default();
    let delay = if number.is_multiple_of(2) { Duration::ZERO } else { HOUR };
    for _ in 0..CALLBACKS {
        let called = Arc::clone(called);
        let call = move || {
            called.fetch_add(1, Ordering::SeqCst);
        };
        match timer.try_call_later(delay, call) {
            Ok(_) => armed.callbacks += 1,
            Err(refused) => {
                assert_eq!(refused.error, TimerError::ShutDown);
                armed.refused += 1;
            }
        }
    }
    let counter = CountingWaker::new();
    let waker = counter.waker();
    for _ in 0..SLEEPS {
        let mut sleep = timer.try_sleep(HOUR);
        match poll_with(&mut sleep, &waker) {
            Poll::Pending => {
                armed.sleeps += 1;
                if !number.is_multiple_of(3) {
                    // It is woken, and told.
                    counter.wait_for(armed.sleeps);
                    assert_eq!(
                        poll_with(&mut sleep, &waker),
                        Poll::Ready(Err(TimerError::ShutDown))
                    );
                }
            }
            Poll::Ready(result) => {
                assert_eq!(result, Err(TimerError::ShutDown));
                armed.refused += 1;
            }
        }
    }
    armed
}

/// It resolves once a callback that was running has returned, and what that owned is gone
#[test]
fn a_shutdown_waits_for_the_callback_that_is_running() {
    within(LIMIT, || {
        let runtime = multi_thread(2);
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        for is_repeating in [false, true] {
            let timer = if is_repeating {
                timer.clone()
            } else {
                Timer::builder().build_on(runtime.handle()).unwrap()
            };
            let (begun, has_begun) = mpsc::channel();
            let (go_on, may_go_on) = mpsc::channel::<()>();
            let owned = Arc::new(());
            let alive = Arc::downgrade(&owned);
            let has_returned = Arc::new(AtomicBool::new(false));
            let call = {
                let has_returned = Arc::clone(&has_returned);
                move || {
                    assert_eq!(Arc::strong_count(&owned), 1);
                    begun.send(()).unwrap();
                    may_go_on.recv().unwrap();
                    has_returned.store(true, Ordering::SeqCst);
                }
            };
            let callback =
                if is_repeating { timer.call_every(MS, call) } else { timer.call_later(MS, call) };
            has_begun.recv().unwrap();
            let shutdown = timer.shutdown();
            let waiting = thread::spawn(move || {
                // On a runtime of its own: the other one's workers may be busy.
                let unfired = current_thread().block_on(shutdown);
                (unfired.callbacks().len(), has_returned.load(Ordering::SeqCst), alive.upgrade())
            });
            thread::sleep(50 * MS);
            assert!(!waiting.is_finished(), "the callback is still running");
            assert!(!callback.cancel(), "and not to be called back");
            go_on.send(()).unwrap();
            assert_eq!(waiting.join().unwrap(), (0, true, None));
        }
    });
}

/// Nobody runs the driver's runtime, and it resolves all the same
#[test]
fn a_shutdown_needs_no_help_of_the_drivers_runtime() {
    within(LIMIT, || {
        let idle = current_thread();
        let timer = Timer::builder().build_on(idle.handle()).unwrap();
        timer.call_later(HOUR, || ());
        let unfired = current_thread().block_on(timer.shutdown());
        assert_eq!(unfired.callbacks().len(), 1);
    });
}

/// After the runtime is gone, and while it goes
#[test]
fn a_shutdown_beside_the_end_of_the_runtime_resolves() {
    within(LIMIT, || {
        for round in 0..200 {
            let runtime = Background::start(current_thread());
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            timer.call_later(HOUR, || ());
            let shutting_down = thread::spawn({
                let timer = timer.clone();
                move || current_thread().block_on(timer.shutdown()).callbacks().len()
            });
            drop(runtime);
            assert!(shutting_down.join().unwrap() <= 1, "{round}");
            let late = current_thread().block_on(timer.shutdown());
            assert_eq!((late.sleeps(), late.callbacks().len(), timer.pending()), (0, 0, 0));
            assert!(timer.is_shutdown());
        }
    });
}

/// In a storm: everything is fired or returned, and it does not take long
#[test]
fn a_shutdown_in_a_storm_ends_it() {
    within(LIMIT, || {
        const COUNT: usize = 50_000;
        let runtime = multi_thread(2);
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        let called = Arc::new(AtomicUsize::new(0));
        for _ in 0..COUNT {
            let called = Arc::clone(&called);
            timer.call_later(20 * MS, move || {
                called.fetch_add(1, Ordering::SeqCst);
            });
        }
        while called.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        let unfired = runtime.block_on(timer.shutdown());
        let called = called.load(Ordering::SeqCst);
        assert_eq!(called + unfired.callbacks().len(), COUNT);
        assert_eq!(timer.metrics().cancelled, unfired.callbacks().len() as u64);
    });
}
