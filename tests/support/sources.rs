//! Streams to put time around, and what came out of them when

use std::time::Duration;

use futures::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};
use tokio::time::{self, Instant};

/// Items that come so many milliseconds from now; it ends with the last
pub fn timed<T: Send + 'static>(
    items: impl IntoIterator<Item = (u64, T), IntoIter: Send + 'static>,
) -> BoxStream<'static, T> {
    let start = Instant::now();
    stream::iter(items)
        .then(move |(millis, item)| async move {
            time::sleep_until(start + Duration::from_millis(millis)).await;
            item
        })
        .boxed()
}

/// All that comes, and after how many milliseconds
pub async fn stamped<S: Stream>(stream: S) -> Vec<(u128, S::Item)> {
    let start = Instant::now();
    stream.map(|item| (start.elapsed().as_millis(), item)).collect().await
}
