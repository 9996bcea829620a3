//! Runtimes, and a limit for what may hang

use std::{
    panic::resume_unwind,
    sync::mpsc::{RecvTimeoutError, channel},
    task::Waker,
    thread,
    time::Duration,
};

use tickwheel::Timer;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::oneshot,
    task::yield_now,
};

use crate::{durations::HOUR, waker::armed};

/// With time, on the machine's clock
pub fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Without tokio's own time
pub fn multi_thread(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().unwrap()
}

/// One of each, on the machine's clock
pub fn both_flavours() -> [Runtime; 2] {
    [current_thread(), multi_thread(2)]
}

/// Does this as a task, of a runtime where nothing else goes on
///
/// # Panics
///
/// When it does.
pub fn in_a_task<R: Send + 'static>(action: impl FnOnce() -> R + Send + 'static) -> R {
    let runtime = multi_thread(1);
    let done = runtime.block_on(runtime.spawn(async move { action() }));
    done.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// A task of another runtime sets timers so many times, and so helps a driver that is late
pub fn others_pass_by(timer: &Timer, often: usize) {
    let timer = timer.clone();
    in_a_task(move || (0..often).for_each(|_| drop(armed(&timer, HOUR, Waker::noop()))));
}

/// Lets the tasks of this runtime run until they wait: the driver is parked then
pub async fn settle() {
    for _ in 0..16 {
        yield_now().await;
    }
}

/// Fails, instead of hanging, when this is not through in time
///
/// # Panics
///
/// When it is not, or when it does itself.
#[track_caller]
pub fn within<R: Send + 'static>(
    limit: Duration,
    action: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (done, is_done) = channel();
    let thread = thread::spawn(move || {
        let result = action();
        // The test that waited may have given up.
        let _ = done.send(());
        result
    });
    let waited = is_done.recv_timeout(limit);
    assert_ne!(waited, Err(RecvTimeoutError::Timeout), "a deadlock, or a lost wake-up");
    thread.join().unwrap_or_else(|payload| resume_unwind(payload))
}

/// Runs this on a paused current-thread runtime, [within](within) a limit
///
/// The timer has one shard, so that what is armed there fires in order.
#[track_caller]
pub fn on_a_paused_clock<F: Future<Output = ()>>(
    limit: Duration,
    story: impl FnOnce(Timer) -> F + Send + 'static,
) {
    within(limit, move || {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.unwrap();
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        runtime.block_on(story(timer));
    });
}

/// A current-thread runtime that a thread of its own runs until this is dropped
#[derive(Debug)]
pub struct Background {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Background {
    pub fn start(runtime: Runtime) -> Self {
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            // An error means that this is dropped.
            runtime.block_on(async { drop(stopped.await) });
        });
        Self { handle, stop: Some(stop), thread: Some(thread) }
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What panicked there was reported there.
            let _ = thread.join();
        }
    }
}
