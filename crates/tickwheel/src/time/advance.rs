use std::time::Duration;

/// Moves a paused clock forward by so much
///
/// As tokio's, but it lets other tasks run once more before it returns: a timer's driver
/// is a task too, and what came due has been woken by then.
///
/// # Panics
///
/// Outside a runtime, and when its clock is not paused.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use tickwheel::time::{self, Duration, Instant};
///
/// time::pause();
/// let started = Instant::now();
/// time::advance(Duration::from_secs(60)).await;
/// assert_eq!(started.elapsed(), Duration::from_secs(60));
/// # }
/// ```
pub async fn advance(duration: Duration) {
    tokio::time::advance(duration).await;
    tokio::task::yield_now().await;
}
