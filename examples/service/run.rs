//! One run from the first connection to the closed books.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    signal,
    sync::oneshot,
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use super::{
    args::Args, checks, client::Client, clock::Clock, cpu, hiccup::HiccupWatch, patience, progress,
    random::Random, report, server, settings::GRACE, tally::Tally,
};

/// Runs the service and reports; whether all checks passed
pub(crate) async fn run(args: &Args) -> io::Result<bool> {
    let seed = args.seed();
    println!(
        "{} connections for {} s, timer {}, seed {seed}",
        args.connections, args.seconds, args.timer,
    );
    let started = Instant::now();
    let hiccups = HiccupWatch::start();
    let clock = Clock::new(args.timer);
    let tally = Arc::new(Tally::default());

    let tasks = Tasks::spawn(args.connections, seed, &clock, &tally)?;
    tokio::select! {
        () = progress::show(Duration::from_secs(args.seconds), &tally, &clock) => {}
        _ = signal::ctrl_c() => println!("interrupted: the report is of a shorter run"),
    }
    let tasks_ended = tasks.end().await;

    let outcome = Outcome {
        wall: started.elapsed(),
        cpu: cpu::time(),
        hiccup: hiccups.finish(),
        tasks_ended,
    };
    report::print(&outcome, &tally, &clock);
    Ok(checks::print(&outcome, &tally, &clock))
}

/// What is known about a run beside its tally and its ledger
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) wall: Duration,
    pub(crate) cpu: Option<Duration>,
    pub(crate) hiccup: Duration,
    pub(crate) tasks_ended: TasksEnded,
}

/// How the tasks of a run ended
#[derive(Debug, Clone, Copy)]
pub(crate) enum TasksEnded {
    Well,
    Panicked(usize),
    /// Some were still waiting when the grace was over
    NotAll,
}

struct Tasks {
    clients: JoinSet<()>,
    server: JoinHandle<usize>,
    stop_clients: Arc<AtomicBool>,
    stop_server: oneshot::Sender<()>,
}

impl Tasks {
    fn spawn(connections: u32, seed: u64, clock: &Clock, tally: &Arc<Tally>) -> io::Result<Self> {
        let listener = server::listen(connections)?;
        let address = listener.local_addr()?;
        let (stop_server, server_stopped) = oneshot::channel();
        let serve = server::serve(listener, clock.clone(), tally.clone(), server_stopped);
        let server = tokio::spawn(serve);

        let stop_clients = Arc::new(AtomicBool::new(false));
        let mut random = Random::new(seed);
        let mut clients = JoinSet::new();
        for _ in 0..connections {
            let client = Client::new(
                address,
                clock.clone(),
                tally.clone(),
                stop_clients.clone(),
                random.fork(),
            );
            clients.spawn(client.run());
        }
        Ok(Self { clients, server, stop_clients, stop_server })
    }

    /// Clients end their requests, stalled ones are dropped, then the server's side follows
    async fn end(self) -> TasksEnded {
        // A deadline that the timer under test lost must not hang the run.
        patience::wait(GRACE, self.join()).await.unwrap_or(TasksEnded::NotAll)
    }

    async fn join(mut self) -> TasksEnded {
        self.stop_clients.store(true, Ordering::Relaxed);
        let mut panicked = 0;
        while let Some(ended) = self.clients.join_next().await {
            panicked += usize::from(ended.is_err());
        }
        // The server has not gone before us: if it panicked, awaiting it tells.
        let _ = self.stop_server.send(());
        panicked += self.server.await.unwrap_or(1);
        match panicked {
            0 => TasksEnded::Well,
            panicked => TasksEnded::Panicked(panicked),
        }
    }
}
