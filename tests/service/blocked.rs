//! Tasks and workers that are busy, and the timers that must not wait for them

use std::{
    hint::spin_loop,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tickwheel::{Sleep, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{current_thread, in_a_task, multi_thread, within},
    waker::{ActingWaker, CountingWaker, armed, poll_with},
};
use tokio::{runtime::Runtime, task::yield_now};

/// What is late beyond this was not merely kept waiting by other work on the machine
const LIMIT: Duration = SECOND;

fn busy(duration: Duration) {
    let started = Instant::now();
    while started.elapsed() < duration {
        spin_loop();
    }
}

/// Runs this as a task, once on a runtime of each kind
fn as_a_task<F>(story: impl FnOnce(Timer) -> F + Copy + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    for runtime in [current_thread(), multi_thread(1)] {
        within(30 * LIMIT, move || {
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            runtime.block_on(runtime.spawn(story(timer))).unwrap();
        });
    }
}

/// Is busy beyond the deadline of this, and then polls it without yielding
fn poll_late(mut sleep: Sleep) {
    busy(20 * MS);
    let polling = Instant::now();
    // The budget of the task is not what keeps it from being ready.
    while poll_with(&mut sleep, Waker::noop()).is_pending() {}
    // Within a millisecond, where no other work keeps the alarm waiting.
    assert!(polling.elapsed() < LIMIT);
}

/// S2: polled once, then the thread is busy beyond the deadline and polls without yielding (real)
#[test]
fn a_task_that_never_yields_sees_its_deadline_pass() {
    as_a_task(|timer| async move { poll_late(armed(&timer, 5 * MS, Waker::noop())) });
}

/// S2: the first poll comes late, and the driver knew nothing of it before (real)
#[test]
fn a_task_that_never_yields_sees_a_deadline_pass_that_it_polls_late() {
    as_a_task(|timer| async move {
        // So that the driver is there and parked.
        timer.sleep(MS).await;
        poll_late(timer.sleep(5 * MS));
    });
}

/// S10: one of four workers is busy for two seconds without yielding (real; tokio#4730)
#[test]
fn a_blocked_worker_does_not_hold_up_the_timers_of_others() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let (started_busy, is_busy) = mpsc::channel();
    runtime.spawn(async move {
        started_busy.send(()).unwrap();
        thread::sleep(2 * LIMIT);
    });
    is_busy.recv().unwrap();
    let took = runtime.block_on(runtime.spawn(async move {
        let started = Instant::now();
        timer.sleep(100 * MS).await;
        started.elapsed()
    }));
    let took = took.unwrap();
    // 110 ms on a machine with nothing else to do.
    assert!(100 * MS <= took && took < LIMIT, "{took:?}");
    runtime.shutdown_background();
}

/// S10: the worker that armed the timer is the one that then blocks (real; tokio#4730)
#[test]
fn a_worker_that_arms_and_then_blocks_does_not_hold_up_what_it_armed() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let counter = CountingWaker::new();
    let started = Instant::now();
    {
        let counter = Arc::clone(&counter);
        runtime.spawn(async move {
            let _far = armed(&timer, HOUR, Waker::noop());
            // The driver has seen the far one, on this worker or another.
            timer.sleep(10 * MS).await;
            let _sleep = armed(&timer, 100 * MS, &counter.waker());
            thread::sleep(2 * LIMIT);
        });
    }
    let took = counter.wait_for(1) - started;
    assert!(110 * MS <= took && took < LIMIT, "{took:?}");
    runtime.shutdown_background();
}

/// S10: while the only worker is blocked, tasks that set timers fire what is due (real)
#[test]
fn a_task_that_arms_fires_what_a_blocked_driver_cannot() {
    let driver = BlockedDriver::new();
    let (counter, far) = (CountingWaker::new(), CountingWaker::new());
    let timer = driver.timer.clone();
    let _far = armed(&timer, HOUR, &far.waker());
    let mut sleep = armed(&timer, 200 * MS, &counter.waker());
    {
        let (timer, counter) = (timer.clone(), Arc::clone(&counter));
        in_a_task(move || {
            let started = Instant::now();
            while counter.wakes() == 0 {
                assert!(started.elapsed() < 10 * LIMIT, "nobody helps");
                drop(armed(&timer, HOUR, Waker::noop()));
            }
        });
    }
    assert!(timer.now() >= sleep.deadline(), "early");
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    assert_eq!((far.wakes(), timer.pending()), (0, 1));
}

/// A thread outside of all tasks, for which waking is expensive, is not burdened with others' timers (real)
#[test]
fn a_thread_without_a_task_fires_nothing_for_a_blocked_driver() {
    let driver = BlockedDriver::new();
    let counter = CountingWaker::new();
    let sleep = armed(&driver.timer, 200 * MS, &counter.waker());
    while driver.timer.now() < sleep.deadline() + 20 * MS {
        drop(armed(&driver.timer, HOUR, Waker::noop()));
    }
    assert_eq!((counter.wakes(), driver.timer.pending()), (0, 1));
    drop(driver.finish);
    counter.wait_for(1);
}

/// A timer of one shard, whose driver's only worker is blocked until `finish` is dropped
struct BlockedDriver {
    timer: Timer,
    finish: mpsc::Sender<()>,
    _runtime: Runtime,
}

impl BlockedDriver {
    fn new() -> Self {
        let runtime = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let (finish, finished) = mpsc::channel::<()>();
        let (block, blocked) = mpsc::channel();
        runtime.spawn(async move {
            block.send(()).unwrap();
            finished.recv().unwrap_err();
        });
        blocked.recv().unwrap();
        Self { timer, finish, _runtime: runtime }
    }
}

/// S10: the first task that the driver's own worker runs, in the middle of a tick, blocks it (real)
#[test]
fn a_task_that_blocks_the_drivers_worker_does_not_hold_up_the_rest_of_the_tick() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
    let (started, due) = (Instant::now(), timer.now() + 300 * MS);
    let drivers_worker = Arc::new(OnceLock::new());
    let finds_out = {
        let drivers_worker = Arc::clone(&drivers_worker);
        ActingWaker::on_wake(move || drivers_worker.set(thread::current().id()).unwrap())
    };
    let mut first = timer.sleep_until(due);
    assert_eq!(poll_with(&mut first, &finds_out), Poll::Pending);
    // Several turns of the driver.
    let count = 5_000;
    let is_blocked = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..count {
        let (timer, sleep, sender) = (timer.clone(), timer.sleep_until(due), sender.clone());
        let (drivers_worker, is_blocked) = (Arc::clone(&drivers_worker), Arc::clone(&is_blocked));
        runtime.spawn(async move {
            sleep.await;
            sender.send(started.elapsed()).unwrap();
            let is_there = drivers_worker.get() == Some(&thread::current().id());
            let is_amid = timer.metrics().fired < count;
            if is_there && is_amid && !is_blocked.swap(true, Ordering::Relaxed) {
                thread::sleep(2 * LIMIT);
            }
        });
    }
    for _ in 0..count {
        let woken = receiver.recv_timeout(3 * LIMIT).expect("all of them are woken");
        assert!(300 * MS <= woken && woken < 300 * MS + LIMIT, "{woken:?}");
    }
    runtime.shutdown_background();
}

/// S11: a current-thread runtime that is only ever entered for a moment (real; tokio#8212)
#[test]
fn a_sleep_fires_on_a_runtime_that_is_only_yielded_to() {
    let runtime = current_thread();
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let started = Instant::now();
    let task = runtime.spawn(async move {
        timer.sleep(5 * MS).await;
        started.elapsed()
    });
    while !task.is_finished() && started.elapsed() < LIMIT {
        runtime.block_on(yield_now());
    }
    assert!(task.is_finished(), "20 ms are enough on a machine with nothing else to do");
    assert!(runtime.block_on(task).unwrap() >= 5 * MS);
}
