//! Callbacks run on the driver's task, one after the other, also when others help it (real)

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Waker,
    thread,
    time::Duration,
};

use tickwheel::Timer;
use tickwheel_tests::{
    callbacks::{LIMIT, OnDrop},
    durations::{HOUR, MS},
    runtimes::{multi_thread, others_pass_by, within},
    waker::{ActingWaker, armed},
};

/// Enough for each of two shards to have some
const THREADS: usize = 4;

/// Whether it came to be so within a few seconds
fn comes_true(is_so: impl Fn() -> bool) -> bool {
    for _ in 0..3000 {
        if is_so() {
            return true;
        }
        thread::sleep(MS);
    }
    is_so()
}

/// Contract 2: who helps a driver that is late takes a callback out, and is held up before it is
/// handed over; meanwhile the driver comes, finds nothing and goes
#[test]
fn a_callback_that_a_slow_helper_has_taken_out_is_not_lost() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let (is_free, is_called) =
            (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let due = timer.now() + 50 * MS;
        let holds_up = {
            let (timer, is_free) = (timer.clone(), Arc::clone(&is_free));
            let before = timer.metrics().driver_wakeups;
            ActingWaker::on_wake(move || {
                is_free.store(true, Ordering::SeqCst);
                assert!(comes_true(|| timer.metrics().driver_wakeups > before + 1));
                thread::sleep(50 * MS);
            })
        };
        // The only worker is busy, so that the driver can not come when it is called.
        let busy = Arc::clone(&is_free);
        runtime.spawn(async move {
            assert!(comes_true(|| busy.load(Ordering::SeqCst)));
        });
        thread::sleep(10 * MS);
        let mut held_up = timer.sleep_until(due);
        assert!(tickwheel_tests::waker::poll_with(&mut held_up, &holds_up).is_pending());
        let called = Arc::clone(&is_called);
        timer.call_at(due, move || called.store(true, Ordering::SeqCst));
        thread::sleep(100 * MS);
        others_pass_by(&timer, 100);
        assert!(is_free.load(Ordering::SeqCst), "nobody helped: this shows nothing");
        assert!(comes_true(|| is_called.load(Ordering::SeqCst)), "the callback was lost");
    });
}

/// A callback that sets a timer while the driver is called again runs no others within itself
#[test]
fn callbacks_that_set_timers_do_not_nest() {
    within(LIMIT, || {
        for moment in 1..=THREADS {
            set_timers_within_slow_callbacks(moment);
        }
    });
}

/// Two slow callbacks in each of two shards; when so many have begun, more come due in both
fn set_timers_within_slow_callbacks(moment: usize) {
    let runtime = multi_thread(1);
    let timer = Timer::builder().shards(2).build_on(runtime.handle()).unwrap();
    let is_in_call = Arc::new(AtomicBool::new(false));
    let [begun, nested, ran] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let due = timer.now() + 50 * MS;
    in_every_shard(&|| {
        let (setter, is_in_call) = (timer.clone(), Arc::clone(&is_in_call));
        let begun = Arc::clone(&begun);
        timer.call_at(due, move || {
            is_in_call.store(true, Ordering::SeqCst);
            begun.fetch_add(1, Ordering::SeqCst);
            thread::sleep(40 * MS);
            drop(armed(&setter, HOUR, Waker::noop()));
            is_in_call.store(false, Ordering::SeqCst);
        });
    });
    assert!(comes_true(|| begun.load(Ordering::SeqCst) >= moment));
    in_every_shard(&|| {
        let (is_in_call, nested) = (Arc::clone(&is_in_call), Arc::clone(&nested));
        let ran = Arc::clone(&ran);
        timer.call_later(2 * MS, move || {
            nested.fetch_add(usize::from(is_in_call.load(Ordering::SeqCst)), Ordering::SeqCst);
            ran.fetch_add(1, Ordering::SeqCst);
        });
    });
    assert!(comes_true(|| ran.load(Ordering::SeqCst) == THREADS));
    assert_eq!(nested.load(Ordering::SeqCst), 0, "one after the other");
}

/// Threads that live at the same time have shards in turn
fn in_every_shard(act: &(dyn Fn() + Sync)) {
    let all_live = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                act();
                all_live.wait();
            });
        }
    });
}

/// S10 for callbacks: they run as soon as a worker is free, and not in the hands of who sets timers
#[test]
fn callbacks_run_on_the_drivers_runtime_alone() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let here = thread::current().id();
        let (ran, elsewhere) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        runtime.spawn(async { thread::sleep(200 * MS) });
        thread::sleep(10 * MS);
        for number in 0..100_u32 {
            let (ran, elsewhere) = (Arc::clone(&ran), Arc::clone(&elsewhere));
            timer.call_later(MS * (number / 10), move || {
                elsewhere.fetch_add(usize::from(thread::current().id() != here), Ordering::SeqCst);
                ran.fetch_add(1, Ordering::SeqCst);
            });
        }
        thread::sleep(50 * MS);
        others_pass_by(&timer, 100);
        assert_eq!(ran.load(Ordering::SeqCst), 0, "its only worker is busy");
        assert!(comes_true(|| ran.load(Ordering::SeqCst) == 100));
        assert_eq!(elsewhere.load(Ordering::SeqCst), 100);
        assert_eq!(timer.pending(), 0);
        let metrics = timer.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
    });
}

/// Those that were taken out for a driver that never came again: cancelled or dropped
#[test]
fn callbacks_left_for_a_driver_can_be_cancelled_and_go_with_its_runtime() {
    within(LIMIT, || {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let (ran, owned) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
        let is_over = Arc::new(AtomicBool::new(false));
        let busy = Arc::clone(&is_over);
        runtime.spawn(async move {
            while !busy.load(Ordering::SeqCst) {
                thread::sleep(MS);
            }
        });
        // Also when something below fails: the runtime waits for its worker.
        let free = OnDrop::new(move || is_over.store(true, Ordering::SeqCst));
        thread::sleep(10 * MS);
        let all: Vec<_> = (0..100)
            .map(|_| {
                let (ran, owned) = (Arc::clone(&ran), Arc::clone(&owned));
                timer.call_later(MS, move || {
                    drop(owned);
                    ran.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        thread::sleep(20 * MS);
        others_pass_by(&timer, 100);
        assert_eq!(timer.pending(), 0, "taken out, and left for the driver");
        assert!(all[..50].iter().all(tickwheel::Callback::cancel));
        assert_eq!(Arc::strong_count(&owned), 51);
        drop(free);
        runtime.shutdown_timeout(Duration::from_secs(5));
        assert!(comes_true(|| Arc::strong_count(&owned) == 1));
        assert!(all.iter().all(tickwheel::Callback::is_finished));
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.pending), (200, 0));
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert!(ran.load(Ordering::SeqCst) <= 50 && metrics.cancelled >= 150, "{metrics}");
    });
}
