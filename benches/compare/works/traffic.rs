//! Connections with deadlines on everything, as a service has them

use std::{
    future::{Future, poll_fn},
    io,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use tickwheel_benches::machine::cpu_time;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    runtime::Runtime,
    task::{JoinSet, yield_now},
};

use super::{crowd::Crowd, timing::millis};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Traffic;

impl Work for Traffic {
    const MEASURES: &'static [Measure] =
        &[Measure::new("each request", "ns"), Measure::new("processor time of each", "ns")];

    fn name(&self) -> String {
        "a service's requests".into()
    }

    fn about(&self) -> &'static str {
        "A hundred connections in memory on two workers, one request after the other on each. \
         The server gives a connection a minute to send one, a second for its own work and five \
         for the response to be taken; the client waits ten for it. All of those deadlines are \
         cancelled. What is not the timer's is most of the time."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.busy
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>> {
        let crowd = Crowd::armed(&peer, 0);
        Some(Box::new(move || {
            let _armed_meanwhile = &crowd;
            let (start, before) = (Instant::now(), cpu_time());
            runtime.block_on(all_connections(&peer));
            let time = start.elapsed();
            let cpu = cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
            let requests = f64::from(CONNECTIONS * REQUESTS);
            vec![1e9 * time.as_secs_f64() / requests, 1e6 * millis(cpu) / requests]
        }))
    }
}

async fn all_connections<P: Peer>(peer: &P) {
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (ours, theirs) = duplex(64);
        tasks.spawn(serve(peer.clone(), ours));
        tasks.spawn(ask(peer.clone(), theirs));
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("it does not panic").expect("nobody hangs up or is late");
    }
}

async fn serve<P: Peer>(peer: P, mut stream: DuplexStream) -> io::Result<()> {
    let mut request = [0; 8];
    for _ in 0..REQUESTS {
        within(&peer, Duration::from_mins(1), stream.read_exact(&mut request)).await?;
        let work = async {
            yield_now().await;
            u64::from_le_bytes(request).wrapping_mul(3).to_le_bytes()
        };
        let response = within(&peer, Duration::from_secs(1), async { Ok(work.await) }).await?;
        within(&peer, Duration::from_secs(5), stream.write_all(&response)).await?;
    }
    Ok(())
}

async fn ask<P: Peer>(peer: P, mut stream: DuplexStream) -> io::Result<()> {
    let mut response = [0; 8];
    for number in 0..u64::from(REQUESTS) {
        stream.write_all(&number.to_le_bytes()).await?;
        within(&peer, Duration::from_secs(10), stream.read_exact(&mut response)).await?;
        assert_eq!(u64::from_le_bytes(response), 3 * number);
    }
    Ok(())
}

/// What a timeout does, by the one thing that all have
async fn within<P: Peer, T>(
    peer: &P,
    time: Duration,
    future: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let (mut future, mut sleep) = (pin!(future), pin!(peer.sleep(time)));
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(result) => Poll::Ready(result),
        Poll::Pending => sleep.as_mut().poll(cx).map(|_| Err(io::ErrorKind::TimedOut.into())),
    })
    .await
}

const CONNECTIONS: u32 = 100;
const REQUESTS: u32 = 200;
