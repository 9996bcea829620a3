use std::{error::Error, io, net::SocketAddr};

use axum::body::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{StatusCode, Uri};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tickwheel::Timer;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};

use crate::{HEADER, IDLE, PING, PONG, SLOW_ROUTE};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Runs into every deadline of the server, one after the other
pub(crate) async fn provoke(timer: &Timer, server: SocketAddr) -> Result<()> {
    println!("\na request: {:?}", get(timer, server, "/").await?);

    let start = timer.now();
    let (status, body) = get(timer, server, "/slow").await?;
    println!("the slow route, after {:?}: {:?}", start.elapsed(), (status, &body));
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    assert!(start.elapsed() >= SLOW_ROUTE);

    println!("\nhalf the head of a request, and no more");
    let heard = say(timer, server, b"GET / HTTP/1.1\r\nhost: ").await?;
    assert!(heard.after >= HEADER && heard.answer.is_empty());

    println!("\none connection for two requests, and no third");
    let requests = b"GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n";
    let heard = say(timer, server, requests).await?;
    assert!(heard.after >= HEADER);
    assert_eq!(heard.text().matches("200 OK").count(), 2, "it was kept alive for the second");

    println!("\nan HTTP/2 client that answers no ping");
    let heard = say(timer, server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await?;
    assert!(heard.after >= PING + PONG);

    println!("\na client that says nothing");
    let heard = say(timer, server, b"").await?;
    assert!(heard.after >= IDLE && heard.answer.is_empty());
    Ok(())
}

/// Asks for something that takes its time, and has the server stopped meanwhile
pub(crate) async fn ask_while_it_stops(
    timer: &Timer,
    server: SocketAddr,
    stop: oneshot::Sender<()>,
) -> Result<()> {
    println!("\na request under way while the server stops");
    let request = tokio::spawn({
        let timer = timer.clone();
        async move { get(&timer, server, "/report").await }
    });
    timer.sleep(crate::REPORT_WORK / 4).await;
    stop.send(()).map_err(|()| "the server is gone")?;
    let (status, body) = request.await??;
    println!("it was answered: {:?}", (status, &body));
    assert_eq!((status, body.as_str()), (StatusCode::OK, "done"));

    let refused = TcpStream::connect(server).await.map(|_| ());
    println!("and a new connection: {refused:?}");
    assert!(refused.is_err());
    Ok(())
}

async fn get(timer: &Timer, server: SocketAddr, path: &str) -> Result<(StatusCode, String)> {
    // A client waits by a timer, too: here for what lies idle in its pool.
    let client: Client<HttpConnector, Empty<Bytes>> = Client::builder(TokioExecutor::new())
        .timer(timer.clone())
        .pool_timer(timer.clone())
        .pool_idle_timeout(HEADER / 2)
        .build_http();
    let uri: Uri = format!("http://{server}{path}").parse()?;
    let response = client.get(uri).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    Ok((status, String::from_utf8(body.into())?))
}

/// What came back on a connection until the server closed it, and after how long that was
struct Heard {
    answer: Vec<u8>,
    after: std::time::Duration,
}

async fn say(timer: &Timer, server: SocketAddr, words: &[u8]) -> io::Result<Heard> {
    let start = timer.now();
    let mut socket = TcpStream::connect(server).await?;
    socket.write_all(words).await?;
    let mut answer = Vec::new();
    // Closed with something unread, a socket is reset; what came before counts.
    let ended = timer.timeout(10 * IDLE, socket.read_to_end(&mut answer)).await?;
    let heard = Heard { answer, after: start.elapsed() };
    let how = ended.map_or_else(|error| error.to_string(), |_| "closed".into());
    println!("  {how} after {:?}, and {} bytes", heard.after, heard.answer.len());
    for answer in heard.text().split("HTTP/1.1 ").skip(1) {
        println!("  {}", answer.lines().next().unwrap_or_default());
    }
    Ok(heard)
}

impl Heard {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.answer)
    }
}
