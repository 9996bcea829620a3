//! The layer in a stack of tower's, under axum

use std::{error::Error, time::Duration};

use axum::{
    BoxError, Router,
    body::Body,
    error_handling::HandleErrorLayer,
    http::{Request, StatusCode},
    routing::get,
};
use http_body_util::BodyExt;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tickwheel::{Elapsed, Timer, tower::TimeoutLayer};
use tickwheel_interop::Counted;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tower::{ServiceBuilder, ServiceExt};

const LIMIT: Duration = Duration::from_millis(100);

async fn answer(error: BoxError) -> (StatusCode, &'static str) {
    if error.is::<Elapsed>() {
        (StatusCode::GATEWAY_TIMEOUT, "too late")
    } else {
        (StatusCode::INTERNAL_SERVER_ERROR, "something else")
    }
}

fn app(timer: &Timer) -> Router {
    let stack = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(answer))
        .layer(TimeoutLayer::new(timer.clone(), LIMIT));
    Router::new()
        .route("/quick", get(async || "quick"))
        .route("/never", get(std::future::pending::<&str>))
        .layer(stack)
}

#[tokio::test]
async fn a_late_response_becomes_a_status() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let mut answers = Vec::new();
    let start = timer.now();
    for path in ["/quick", "/never"] {
        let response = app(&timer).oneshot(Request::get(path).body(Body::empty())?).await?;
        let status = response.status().as_u16();
        answers.push((status, response.into_body().collect().await?.to_bytes()));
    }
    assert_eq!(answers, [(200, "quick".into()), (504, "too late".into())]);
    assert!(timer.now() - start >= LIMIT);
    before.assert_moved(&timer);
    assert_eq!(timer.pending(), 0);
    Ok(())
}

/// As a client sees it, through hyper-util's server
#[tokio::test]
async fn the_connection_outlives_a_late_response() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let connecting = TcpStream::connect(listener.local_addr()?);
    let (mut client, (socket, _)) = tokio::try_join!(connecting, listener.accept())?;

    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(timer.clone()).header_read_timeout(2 * LIMIT);
    let service = TowerToHyperService::new(app(&timer));
    let connection = server.serve_connection(TokioIo::new(socket), service).into_owned();
    let serving = tokio::spawn(connection);

    client
        .write_all(b"GET /never HTTP/1.1\r\nhost: a\r\n\r\nGET /quick HTTP/1.1\r\nhost: a\r\n\r\n")
        .await?;
    let mut heard = String::new();
    timer.timeout(Duration::from_secs(20), client.read_to_string(&mut heard)).await??;
    let statuses: Vec<_> = heard.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
    assert_eq!(statuses, ["504", "200"]);
    drop(serving.await?);
    before.assert_moved(&timer);
    Ok(())
}
