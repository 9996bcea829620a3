//! hyper-util's client lets go of connections that lie idle in its pool

use std::{error::Error, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tickwheel::Timer;
use tickwheel_interop::Counted;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const IDLE: Duration = Duration::from_millis(200);

#[tokio::test]
async fn an_idle_connection_is_closed_by_the_pool() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let uri: hyper::Uri = format!("http://{}/", listener.local_addr()?).parse()?;

    // Answers whatever comes, keeps the connection open, and sees when the client closes it.
    let clock = timer.clone();
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await?;
        let mut answered_at = clock.now();
        let mut requests = 0;
        while socket.read(&mut [0; 4096]).await? > 0 {
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await?;
            answered_at = clock.now();
            requests += 1;
        }
        std::io::Result::Ok((requests, clock.now() - answered_at))
    });

    let client: Client<HttpConnector, Empty<Bytes>> = Client::builder(TokioExecutor::new())
        .timer(timer.clone())
        .pool_timer(timer.clone())
        .pool_idle_timeout(IDLE)
        .build_http();
    for _ in 0..2 {
        let response = client.get(uri.clone()).await?;
        assert_eq!(response.into_body().collect().await?.to_bytes(), "hello");
    }
    let (requests, idle) = timer.timeout(Duration::from_secs(20), server).await???;
    assert_eq!(requests, 2, "the connection was used again");
    assert!(idle >= IDLE / 2, "and closed only when it had been idle: {idle:?}");
    before.assert_moved(&timer);
    drop(client);
    Ok(())
}
