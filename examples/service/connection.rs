//! The server's side of one connection.

use std::{io, sync::Arc};

use futures::{StreamExt, stream::FuturesUnordered};
use tokio::net::TcpStream;

use super::{
    clock::Clock,
    ledger::Kind,
    settings::{ANSWER_TIMEOUT, HEARTBEAT, IDLE_TIMEOUT},
    tally::Tally,
    wire::{Ask, Reply, Wire},
};

/// Serves one client until it leaves or has been silent for too long
pub(crate) async fn serve(stream: TcpStream, clock: Clock, tally: Arc<Tally>) {
    // A connection that breaks is the client's to notice.
    match converse(stream, &clock).await {
        Ok(Ending::Idle) => tally.server.dropped_idle.add(),
        Ok(Ending::Closed) | Err(_) => tally.server.closed.add(),
    }
}

enum Ending {
    Closed,
    Idle,
}

async fn converse(stream: TcpStream, clock: &Clock) -> io::Result<Ending> {
    let mut wire = Wire::new(stream)?;
    let mut idle = clock.kept_sleep(Kind::Idle, IDLE_TIMEOUT);
    let mut heartbeat = clock.interval(Kind::Heartbeat, HEARTBEAT);
    // Answers overtake each other: a late one must not hold up the retry that follows it.
    let mut answers = FuturesUnordered::new();
    loop {
        let reply = tokio::select! {
            // Messages first: a client that has written in time is not idle, however late we look.
            biased;
            line = wire.next_line() => {
                let Some(line) = line? else {
                    return Ok(Ending::Closed);
                };
                idle.reset(IDLE_TIMEOUT);
                answers.push(answer(clock, Ask::parse(&line)?));
                continue;
            }
            Some(reply) = answers.next() => reply,
            () = &mut idle => return Ok(Ending::Idle),
            () = heartbeat.tick() => Reply::Beat,
        };
        wire.send(reply).await?;
    }
}

async fn answer(clock: &Clock, ask: Ask) -> Reply {
    let work = async {
        if !ask.work.is_zero() {
            clock.sleep(Kind::Work, ask.work).await;
        }
    };
    match clock.timeout(Kind::Answer, ANSWER_TIMEOUT, work).await {
        Some(()) => Reply::Done(ask.id),
        None => Reply::GaveUp(ask.id),
    }
}
