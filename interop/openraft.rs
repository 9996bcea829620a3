//! openraft's runtime trait, and its own tests of it

use std::{
    future::Future,
    time::{Duration, Instant},
};

use openraft_rt::{AsyncRuntime, OptionalSend, testing::Suite};
use openraft_rt_tokio::TokioRuntime;
use tickwheel::{Elapsed, Sleep, Timeout};
use tickwheel_interop::{Counted, shared};

/// tokio's tasks and channels, our timer
#[derive(Debug)]
struct OnTimer(TokioRuntime);

impl AsyncRuntime for OnTimer {
    type JoinError = <TokioRuntime as AsyncRuntime>::JoinError;
    type JoinHandle<T: OptionalSend + 'static> = <TokioRuntime as AsyncRuntime>::JoinHandle<T>;
    type Sleep = Sleep;
    type Instant = Instant;
    type TimeoutError = Elapsed;
    type Timeout<R, T: Future<Output = R> + OptionalSend> = Timeout<T>;
    type ThreadLocalRng = <TokioRuntime as AsyncRuntime>::ThreadLocalRng;
    type Mpsc = <TokioRuntime as AsyncRuntime>::Mpsc;
    type Watch = <TokioRuntime as AsyncRuntime>::Watch;
    type Oneshot = <TokioRuntime as AsyncRuntime>::Oneshot;
    type Mutex<T: OptionalSend + 'static> = <TokioRuntime as AsyncRuntime>::Mutex<T>;

    fn spawn<T>(future: T) -> Self::JoinHandle<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        TokioRuntime::spawn(future)
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        shared().sleep(duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        shared().sleep_until(deadline.into())
    }

    fn timeout<R, F>(duration: Duration, future: F) -> Self::Timeout<R, F>
    where
        F: Future<Output = R> + OptionalSend,
    {
        shared().timeout(duration, future)
    }

    fn timeout_at<R, F>(deadline: Self::Instant, future: F) -> Self::Timeout<R, F>
    where
        F: Future<Output = R> + OptionalSend,
    {
        shared().timeout_at(deadline.into(), future)
    }

    fn is_panic(error: &Self::JoinError) -> bool {
        TokioRuntime::is_panic(error)
    }

    fn thread_rng() -> Self::ThreadLocalRng {
        TokioRuntime::thread_rng()
    }

    fn new(threads: usize) -> Self {
        Self(TokioRuntime::new(threads))
    }

    fn block_on<F, T>(&mut self, future: F) -> T
    where
        F: Future<Output = T>,
    {
        self.0.block_on(future)
    }
}

#[test]
fn its_own_tests_of_a_runtime_pass() {
    let before = Counted::now(shared());
    Suite::<OnTimer>::test_all();
    before.assert_moved(shared());
    assert_eq!(shared().pending(), 0);
}
