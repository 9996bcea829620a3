//! hyper's servers wait by our timer: for the head of a request, and for an answer to a ping

use std::{convert::Infallible, error::Error, io, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Request, Response,
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tickwheel::Timer;
use tickwheel_interop::Counted;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

const PATIENCE: Duration = Duration::from_millis(200);

async fn hello(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("hello")))
}

async fn sockets() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let connecting = TcpStream::connect(listener.local_addr()?);
    let (client, (server, _)) = tokio::try_join!(connecting, listener.accept())?;
    Ok((client, server))
}

/// What the server has to say until it closes the connection, which it does in time
async fn heard(timer: &Timer, mut client: TcpStream) -> Vec<u8> {
    let mut heard = Vec::new();
    let closed = timer.timeout(Duration::from_secs(20), client.read_to_end(&mut heard)).await;
    closed.expect("it is closed").expect("in good order");
    heard
}

/// A client of a server that waits for a head as long as its patience lasts
async fn served(timer: &Timer) -> io::Result<(TcpStream, JoinHandle<hyper::Result<()>>)> {
    let (client, server) = sockets().await?;
    let serving = http1::Builder::new()
        .timer(timer.clone())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(server), service_fn(hello));
    Ok((client, tokio::spawn(serving)))
}

#[tokio::test]
async fn half_a_head_is_waited_for_until_the_header_timeout() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let (mut client, serving) = served(&timer).await?;

    let start = timer.now();
    client.write_all(b"GET / HTTP/1.1\r\nhost: ").await?;
    assert_eq!(heard(&timer, client).await, b"", "there is nothing to answer");
    assert!(timer.now() - start >= PATIENCE);
    assert!(serving.await?.unwrap_err().is_timeout());
    before.assert_moved(&timer);
    assert_eq!(timer.pending(), 0);
    Ok(())
}

/// The second head is waited for by a sleep that is moved and not made anew
#[tokio::test]
async fn a_connection_that_is_kept_alive_ends_at_the_header_timeout() -> Result<(), Box<dyn Error>>
{
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let (mut client, serving) = served(&timer).await?;

    client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await?;
    timer.sleep(PATIENCE / 2).await;
    let start = timer.now();
    client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await?;
    let heard = String::from_utf8(heard(&timer, client).await)?;
    assert_eq!(heard.matches("hello").count(), 2);
    assert!(timer.now() - start >= PATIENCE);
    drop(serving.await?);
    before.assert_moved(&timer);
    Ok(())
}

#[tokio::test]
async fn a_peer_that_answers_no_ping_is_dropped() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let (mut client, server) = sockets().await?;
    let serving = http2::Builder::new(TokioExecutor::new())
        .timer(timer.clone())
        .keep_alive_interval(PATIENCE)
        .keep_alive_timeout(PATIENCE)
        .serve_connection(TokioIo::new(server), service_fn(hello));
    let serving = tokio::spawn(serving);

    let start = timer.now();
    // The preface and empty settings, and then not a word.
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await?;
    heard(&timer, client).await;
    assert!(timer.now() - start >= 2 * PATIENCE);
    let error = serving.await?.unwrap_err();
    assert!(format!("{error:?}").contains("KeepAliveTimedOut"), "{error:?}");
    before.assert_moved(&timer);
    assert_eq!(timer.pending(), 0);
    Ok(())
}
