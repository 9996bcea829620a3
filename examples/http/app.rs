use axum::{BoxError, Router, error_handling::HandleErrorLayer, http::StatusCode, routing::get};
use tickwheel::{Elapsed, Timer, tower::TimeoutLayer};
use tower::ServiceBuilder;

use crate::{REPORT_ROUTE, REPORT_WORK, SLOW_ROUTE, SLOW_WORK};

/// Three routes, two of them with a deadline of their own
pub(crate) fn app(timer: &Timer) -> Router {
    let within = |duration| {
        ServiceBuilder::new()
            // An error would close the connection without an answer, so it becomes one.
            .layer(HandleErrorLayer::new(answer))
            .layer(TimeoutLayer::new(timer.clone(), duration))
    };
    let work = |duration| {
        let timer = timer.clone();
        async move || {
            timer.sleep(duration).await;
            "done"
        }
    };
    Router::new()
        .route("/", get(async || "hello"))
        .route("/slow", get(work(SLOW_WORK)).layer(within(SLOW_ROUTE)))
        .route("/report", get(work(REPORT_WORK)).layer(within(REPORT_ROUTE)))
}

async fn answer(error: BoxError) -> (StatusCode, String) {
    if error.is::<Elapsed>() {
        (StatusCode::GATEWAY_TIMEOUT, "this took too long".into())
    } else {
        // The timer was shut down while a request was waiting.
        (StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}
