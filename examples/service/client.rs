//! One client: connects, asks, retries, and at times misbehaves.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{net::TcpStream, time::Instant};

use super::{
    clock::Clock,
    ledger::Kind,
    life::{End, Life, Work},
    patience,
    random::Random,
    settings::{
        ANSWER_TIMEOUT, CONNECT_TIMEOUT, FIRST_BACK_OFF, IDLE_SLACK, IDLE_TIMEOUT, REQUEST_TIMEOUT,
        RETRIES,
    },
    tally::{Counter, Tally},
    wire::{Ask, Reply, Wire},
};

#[derive(Debug)]
pub(crate) struct Client {
    server: SocketAddr,
    clock: Clock,
    tally: Arc<Tally>,
    stop: Arc<AtomicBool>,
    lives: Random,
    /// Apart from `lives`: how often it is drawn from depends on timing.
    jitter: Random,
    next_id: u64,
}

impl Client {
    pub(crate) fn new(
        server: SocketAddr,
        clock: Clock,
        tally: Arc<Tally>,
        stop: Arc<AtomicBool>,
        mut random: Random,
    ) -> Self {
        Self { server, clock, tally, stop, jitter: random.fork(), lives: random, next_id: 0 }
    }

    /// Lives one life after the other until told to stop
    pub(crate) async fn run(mut self) {
        let mut failures = 0;
        while !self.stopped() {
            let life = Life::draw(self.lives.fork());
            if let Some(wire) = self.connect().await {
                failures = 0;
                if self.live(wire, life).await.is_err() {
                    self.tally.clients.lost.add();
                }
            } else {
                self.tally.clients.refused.add();
                self.back_off(failures).await;
                failures += 1;
            }
        }
    }

    async fn connect(&self) -> Option<Wire> {
        let connect = TcpStream::connect(self.server);
        let stream = self.clock.timeout(Kind::Connect, CONNECT_TIMEOUT, connect).await?.ok()?;
        let wire = Wire::new(stream).ok()?;
        self.tally.clients.connected.add();
        Some(wire)
    }

    async fn live(&mut self, mut wire: Wire, mut life: Life) -> io::Result<()> {
        for _ in 0..life.bursts {
            for _ in 0..life.requests_in_burst() {
                if self.stopped() {
                    self.tally.clients.closed.add();
                    return Ok(());
                }
                self.ask(&mut wire, life.work()).await?;
            }
            self.clock.sleep(Kind::Pause, life.pause()).await;
        }
        let end = if self.stopped() { End::Close } else { life.end };
        match end {
            End::Close => self.tally.clients.closed.add(),
            End::Stall => self.stall(wire).await?,
            End::Vanish => {
                let ask = self.number(Work::None);
                wire.vanish(ask).await?;
                self.tally.clients.vanished.add();
            }
        }
        Ok(())
    }

    /// Asks once, and again after a timeout, by then without the work that made it late
    async fn ask(&mut self, wire: &mut Wire, work: Work) -> io::Result<()> {
        let mut answered = self.ask_once(wire, work).await?;
        for retry in 0..RETRIES {
            if answered {
                return Ok(());
            }
            self.back_off(retry).await;
            self.tally.requests.retried.add();
            answered = self.ask_once(wire, Work::None).await?;
        }
        if !answered {
            self.tally.requests.given_up.add();
        }
        Ok(())
    }

    /// Whether the answer came in time
    async fn ask_once(&mut self, wire: &mut Wire, work: Work) -> io::Result<bool> {
        let ask = self.number(work);
        let late = matches!(work, Work::Late(_)).then_some(&self.tally.late);
        let requests = &self.tally.requests;
        let count = |all: &Counter, late: Option<&Counter>| {
            all.add();
            late.inspect(|late| late.add());
        };

        count(&requests.asked, late.map(|late| &late.asked));
        let asked = Instant::now();
        let exchanged =
            self.clock.timeout(Kind::Request, REQUEST_TIMEOUT, exchange(wire, ask)).await;
        match exchanged {
            None => {
                count(&requests.timed_out, late.map(|late| &late.timed_out));
                Ok(false)
            }
            Some(Err(error)) => {
                count(&requests.lost, late.map(|late| &late.lost));
                Err(error)
            }
            Some(Ok(())) => {
                count(&requests.ok, late.map(|late| &late.answered));
                // Seen from outside the timer: it cannot have been faster than its delay.
                if asked.elapsed() < ask.work.min(ANSWER_TIMEOUT) {
                    requests.answered_early.add();
                }
                Ok(true)
            }
        }
    }

    /// Keeps the connection open without a word until the server drops it
    async fn stall(&mut self, mut wire: Wire) -> io::Result<()> {
        // One last answer, so that we know that the server heard us, and not before `asked`.
        let asked = Instant::now();
        if !self.ask_once(&mut wire, Work::None).await? {
            self.tally.clients.closed.add();
            return Ok(());
        }
        let silent = Instant::now();
        self.tally.stalled.all.add();
        match patience::wait(IDLE_TIMEOUT + IDLE_SLACK, closed(&mut wire)).await {
            Some(()) => self.tally.stalled.dropped.add(),
            None => self.tally.stalled.missed.add(),
        }
        self.tally.stalled.note_wait(silent.elapsed());
        if asked.elapsed() < IDLE_TIMEOUT {
            self.tally.stalled.early.add();
        }
        Ok(())
    }

    /// Waits twice as long each time, and up to as long again so that clients spread out
    async fn back_off(&mut self, failures: u32) {
        let wait = FIRST_BACK_OFF * 2_u32.pow(failures.min(LAST_DOUBLING));
        let millis = u64::try_from(wait.as_millis()).expect("a back-off is below a minute");
        let jitter = self.jitter.millis_between((0, millis));
        self.clock.sleep(Kind::BackOff, wait + jitter).await;
    }

    fn number(&mut self, work: Work) -> Ask {
        let id = self.next_id;
        self.next_id += 1;
        Ask { id, work: work.duration() }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Sends a request and reads up to its answer, past heartbeats and answers no longer waited for
async fn exchange(wire: &mut Wire, ask: Ask) -> io::Result<()> {
    wire.send(ask).await?;
    loop {
        let line = wire.next_line().await?;
        let line = line.ok_or(io::ErrorKind::UnexpectedEof)?;
        if Reply::parse(&line)?.answers(ask.id) {
            return Ok(());
        }
    }
}

/// Reads until the other side has closed or reset the connection
async fn closed(wire: &mut Wire) {
    while let Ok(Some(_)) = wire.next_line().await {}
}

const LAST_DOUBLING: u32 = 6;
