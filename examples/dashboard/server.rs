//! The routes: the page, what it is told, and its buttons.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    middleware::{self, Next},
    response::{IntoResponse, Response, Sse, sse::Event},
    routing::{get, post},
};
use futures::Stream;

use super::{assets::ASSETS, board::Board, storm};

pub(crate) fn router(board: &Arc<Board>) -> Router {
    let buttons = Router::new()
        .route("/storm", post(start_storm))
        .route("/stop", post(stop_world))
        .route("/shutdown", post(shut_down))
        .layer(middleware::from_fn(only_our_page));
    let page = ASSETS.iter().fold(Router::new(), |router, asset| {
        router.route(asset.path, get(async || asset.response()))
    });
    page.route("/events", get(events)).merge(buttons).with_state(Arc::clone(board))
}

async fn events(
    State(board): State<Arc<Board>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(board.feed.subscribe())
}

async fn start_storm(State(board): State<Arc<Board>>) -> (StatusCode, String) {
    if board.timer.is_shutdown() {
        return refused("The timer is shut down: no storm any more.");
    }
    tokio::spawn(storm::rage(board.timer.clone()));
    done(format!("A storm of {} thousand timers, due within two seconds.", storm::TIMERS / 1000))
}

async fn stop_world(State(board): State<Arc<Board>>) -> (StatusCode, String) {
    if complete(async move { board.world.stop(STOP).await }).await {
        done(String::from("Every worker was blocked for a second. See the lateness."))
    } else {
        refused("The world stands still already.")
    }
}

async fn shut_down(State(board): State<Arc<Board>>) -> (StatusCode, String) {
    let verdict = complete(async move { board.shut_down().await }).await;
    done(format!("The timer was {verdict}."))
}

/// In a task of its own, which comes to its end also when the page has gone
async fn complete<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(work).await.expect("it does not panic, and nobody aborts it")
}

fn done(what: String) -> (StatusCode, String) {
    (StatusCode::OK, what)
}

fn refused(why: &str) -> (StatusCode, String) {
    (StatusCode::CONFLICT, why.into())
}

/// A page from elsewhere cannot send this header: its browser asks first, and is not answered
async fn only_our_page(request: Request, next: Next) -> Response {
    if request.headers().contains_key("x-dashboard") {
        next.run(request).await
    } else {
        StatusCode::FORBIDDEN.into_response()
    }
}

const STOP: Duration = Duration::from_secs(1);
