//! A line server and its clients, in which whoever waits for the other side has a deadline.

use std::{io, net::SocketAddr, time::Duration};

use tokio::time;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// Lets clients ask, until the server has dropped the last of them for its silence
///
/// Says how many answers came in time.
pub(crate) async fn run() -> io::Result<usize> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(serve(listener));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        clients.spawn(ask(address));
    }
    let mut answers = 0;
    while let Some(client) = clients.join_next().await {
        match client? {
            Ok(in_time) => answers += in_time,
            Err(error) => println!("  a client was lost: {error}"),
        }
    }
    server.await??;
    Ok(answers)
}

async fn serve(listener: TcpListener) -> io::Result<()> {
    let mut connections = JoinSet::new();
    for _ in 0..CLIENTS {
        let (stream, _) = listener.accept().await?;
        connections.spawn(converse(stream));
    }
    while let Some(connection) = connections.join_next().await {
        if let Err(error) = connection? {
            println!("  a connection broke: {error}");
        }
    }
    Ok(())
}

/// Answers one client, with a sign of life now and then, until it has been silent for too long
async fn converse(stream: TcpStream) -> io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let mut heartbeat = time::interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    let idle = time::sleep(IDLE);
    tokio::pin!(idle);
    loop {
        let reply = tokio::select! {
            // A client that has written in time is not silent, however late we look.
            biased;
            line = lines.next_line() => {
                let Some(line) = line? else { return Ok(()) };
                let reply = answer(&line).await;
                idle.as_mut().reset(time::Instant::now() + IDLE);
                reply
            }
            _ = heartbeat.tick() => "alive".to_owned(),
            () = &mut idle => return Ok(()),
        };
        send(&mut lines, &reply).await?;
    }
}

/// Works as many milliseconds as it was asked to, unless that is too long
async fn answer(question: &str) -> String {
    let millis = question.parse().unwrap_or(0);
    let work = time::sleep(Duration::from_millis(millis));
    match time::timeout(WORK, work).await {
        Ok(()) => format!("done {question}"),
        Err(_) => format!("gave up {question}"),
    }
}

async fn ask(server: SocketAddr) -> io::Result<usize> {
    let stream = time::timeout(PATIENCE, TcpStream::connect(server)).await??;
    let mut lines = BufReader::new(stream).lines();
    let mut answers = 0;
    for question in ["1", "5", "20", "60000", "2"] {
        send(&mut lines, question).await?;
        match time::timeout(REQUEST, wait_for(question, &mut lines)).await {
            Ok(answered) => answers += usize::from(answered?),
            Err(elapsed) => println!("  no answer to {question}: {elapsed}"),
        }
        time::sleep(PAUSE).await;
    }
    // From here on it is silent, and so it is dropped.
    time::timeout(PATIENCE, end_of(&mut lines)).await??;
    Ok(answers)
}

/// Whether it was done
async fn wait_for(question: &str, lines: &mut Lines<BufReader<TcpStream>>) -> io::Result<bool> {
    while let Some(line) = lines.next_line().await? {
        if line.ends_with(&format!(" {question}")) {
            return Ok(line.starts_with("done"));
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

async fn end_of(lines: &mut Lines<BufReader<TcpStream>>) -> io::Result<()> {
    while lines.next_line().await?.is_some() {}
    Ok(())
}

async fn send(lines: &mut Lines<BufReader<TcpStream>>, line: &str) -> io::Result<()> {
    lines.get_mut().write_all(format!("{line}\n").as_bytes()).await
}

const CLIENTS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(10);
const REQUEST: Duration = Duration::from_millis(300);
const WORK: Duration = Duration::from_millis(400);
const HEARTBEAT: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);
