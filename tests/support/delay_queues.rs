//! Delay queues polled by hand

use std::task::{Context, Poll, Waker};

use tickwheel::{DelayQueue, delay_queue::Expired};

/// Polls for nobody in particular
pub fn poll<T>(queue: &mut DelayQueue<T>) -> Poll<Option<T>> {
    let item = queue.poll_expired(&mut Context::from_waker(Waker::noop()));
    item.map(|item| item.map(Expired::into_inner))
}

/// Everything that is due
pub fn due<T>(queue: &mut DelayQueue<T>) -> Vec<T> {
    let next = || match poll(queue) {
        Poll::Ready(item) => item,
        Poll::Pending => None,
    };
    std::iter::from_fn(next).collect()
}
