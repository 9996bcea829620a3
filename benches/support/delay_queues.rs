//! A delay queue as the benchmarks use it, ours and tokio-util's

use std::{
    future::poll_fn, hint::black_box, task::Context, task::Poll, task::Waker, time::Duration,
};

use tokio::runtime::{Builder, Runtime};

/// What both can do; to be made and used inside a runtime
pub trait Queue {
    /// The name of an item
    type Key;

    /// An empty queue
    fn new() -> Self;

    /// Inserts an item that is due so much later than now
    fn insert(&mut self, value: u64, delay: Duration) -> Self::Key;

    /// Takes an item out
    fn remove(&mut self, key: &Self::Key);

    /// The next item that is due; `None` when the queue is empty
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<u64>>;

    /// Polls for nobody in particular
    fn poll_once(&mut self) {
        let _ = self.poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// tickwheel's
#[derive(Debug)]
pub struct Ours(tickwheel::DelayQueue<u64>);

/// tokio-util's
#[derive(Debug)]
pub struct Theirs(tokio_util::time::DelayQueue<u64>);

impl Queue for Ours {
    type Key = tickwheel::delay_queue::Key;

    fn new() -> Self {
        Self(tickwheel::Timer::new().delay_queue())
    }

    fn insert(&mut self, value: u64, delay: Duration) -> Self::Key {
        self.0.insert(value, delay)
    }

    fn remove(&mut self, key: &Self::Key) {
        black_box(self.0.remove(key));
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<u64>> {
        self.0.poll_expired(cx).map(|item| item.map(tickwheel::delay_queue::Expired::into_inner))
    }
}

impl Queue for Theirs {
    type Key = tokio_util::time::delay_queue::Key;

    fn new() -> Self {
        Self(tokio_util::time::DelayQueue::new())
    }

    fn insert(&mut self, value: u64, delay: Duration) -> Self::Key {
        self.0.insert(value, delay)
    }

    fn remove(&mut self, key: &Self::Key) {
        black_box(self.0.remove(key));
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<u64>> {
        self.0
            .poll_expired(cx)
            .map(|item| item.map(tokio_util::time::delay_queue::Expired::into_inner))
    }
}

/// Takes out all items as they come due; says how many there were
pub async fn deliver_all(queue: &mut impl Queue) -> u32 {
    let mut delivered = 0;
    while let Some(value) = poll_fn(|cx| queue.poll(cx)).await {
        black_box(value);
        delivered += 1;
    }
    delivered
}

/// Takes out what is due by now, as one task that then waits; says how many there were
pub async fn deliver_due(queue: &mut impl Queue) -> u32 {
    poll_fn(|cx| {
        let mut delivered = 0;
        while let Poll::Ready(Some(value)) = queue.poll(cx) {
            black_box(value);
            delivered += 1;
        }
        Poll::Ready(delivered)
    })
    .await
}

/// A current-thread runtime on a paused clock
pub fn paused() -> Runtime {
    built(Builder::new_current_thread().enable_time().start_paused(true))
}

/// A current-thread runtime on the machine's clock
pub fn current_thread() -> Runtime {
    built(Builder::new_current_thread().enable_time())
}

fn built(builder: &mut Builder) -> Runtime {
    builder.build().expect("a runtime without I/O needs nothing")
}

/// Over how long items that are delivered are spread
pub const SPREAD: Duration = Duration::from_secs(10);
