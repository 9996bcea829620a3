//! A small service under load whose timer Prometheus can look at
//!
//! `curl http://127.0.0.1:9464/metrics` shows the page. At its end, after `--seconds`
//! or a Ctrl-C, it fetches the page from itself, checks that it says what the timer
//! says, and prints what answers the question whether timers were late, and why.
//! `--trouble` gives a reason: the guide explains what each looks like.

use std::{
    error::Error,
    net::{Ipv4Addr, SocketAddr},
    thread,
    time::Duration,
};

use axum::{Router, routing::get};
use clap::{Parser, ValueEnum};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tickwheel::{Metrics, Timer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A service under load, with an endpoint for Prometheus
#[derive(Debug, Parser)]
struct Args {
    /// How long it runs; until Ctrl-C unless given
    #[arg(long)]
    seconds: Option<u64>,
    /// Where the page is; 0 takes any free port
    #[arg(long, default_value_t = 9464)]
    port: u16,
    /// How many requests are under way at a time
    #[arg(long, default_value_t = 200)]
    requests: u32,
    /// What goes wrong
    #[arg(long, value_enum, default_value_t = Trouble::None)]
    trouble: Trouble,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Trouble {
    None,
    /// Ten times a second a callback takes 30 ms
    SlowCallback,
    /// Every two seconds 200 000 timers are due in one tick
    Storm,
    /// Twice a second every worker thread of the runtime sleeps for 200 ms
    BlockedWorkers,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let timer = Timer::builder().name("orders").build()?;
    let page = PrometheusBuilder::new()
        .with_recommended_naming(true)
        .set_buckets(&LAG_BOUNDS)?
        .install_recorder()?;
    let address = serve(args.port, timer.clone(), page.clone()).await?;
    println!("http://{address}/metrics");

    let mut load = JoinSet::new();
    for number in 0..args.requests {
        load.spawn(requests(timer.clone(), u64::from(number)));
    }
    load.spawn(keep_up(timer.clone(), page));
    make_trouble(args.trouble, &timer, &mut load);
    match args.seconds {
        Some(seconds) => timer.sleep(Duration::from_secs(seconds)).await,
        None => tokio::signal::ctrl_c().await?,
    }

    // Once nothing changes any more, the page and the timer must agree.
    load.shutdown().await;
    let _ = timer.shutdown().await;
    let metrics = timer.metrics();
    let mut page = fetch(address).await?;
    for _ in 0..100 {
        if agree(&page, &metrics) {
            break;
        }
        // The driver is in the middle of its last words.
        tokio::time::sleep(Duration::from_millis(10)).await;
        page = fetch(address).await?;
    }
    println!("\nThe page says, among other things:\n");
    show(&page);
    println!("\nThe timer itself says:\n\n{metrics}");
    if agree(&page, &metrics) { Ok(()) } else { Err("the page says something else".into()) }
}

/// Whether the page says what the timer says
fn agree(page: &str, metrics: &Metrics) -> bool {
    let lines = [
        ("orders_timers_registered_total", metrics.registered),
        ("orders_timers_fired_total", metrics.fired),
        ("orders_fire_lag_seconds_count", metrics.lateness.count()),
        ("orders_callback_seconds_count", metrics.callback_time.count()),
    ];
    lines.iter().all(|(name, value)| page.contains(&format!("\n{name} {value}\n")))
}

/// One client after the other, each of whom waits no longer than 40 ms
async fn requests(timer: Timer, number: u64) {
    for round in number.. {
        let work = timer.sleep(Duration::from_millis(1 + round * 7 % 50));
        // Some are late: that is no trouble of the timer's.
        let _ = timer.timeout(Duration::from_millis(40), work).await;
    }
}

fn make_trouble(trouble: Trouble, timer: &Timer, load: &mut JoinSet<()>) {
    match trouble {
        Trouble::None => {}
        Trouble::SlowCallback => {
            timer.call_every(Duration::from_millis(100), || {
                thread::sleep(Duration::from_millis(30));
            });
        }
        Trouble::Storm => {
            let timer = timer.clone();
            load.spawn(async move {
                loop {
                    let at = timer.now() + Duration::from_secs(1);
                    for _ in 0..200_000 {
                        timer.call_at(at, || ());
                    }
                    timer.sleep(Duration::from_secs(2)).await;
                }
            });
        }
        Trouble::BlockedWorkers => {
            let workers = tokio::runtime::Handle::current().metrics().num_workers();
            for _ in 0..workers {
                let timer = timer.clone();
                load.spawn(async move {
                    let mut interval = timer.interval(Duration::from_millis(500));
                    loop {
                        interval.tick().await;
                        thread::sleep(Duration::from_millis(200));
                    }
                });
            }
        }
    }
}

/// Serves the page, made anew for whoever asks
async fn serve(
    port: u16,
    timer: Timer,
    page: PrometheusHandle,
) -> Result<SocketAddr, Box<dyn Error>> {
    let answer = move || async move {
        // The timer tells by itself only when it has something to do anyway.
        timer.publish_metrics();
        page.render()
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let service = Router::new().route("/metrics", get(answer));
    tokio::spawn(async move { axum::serve(listener, service).await });
    Ok(address)
}

/// The exporter keeps each sample of a histogram until somebody asks, or does this
async fn keep_up(timer: Timer, page: PrometheusHandle) {
    let mut interval = timer.interval(Duration::from_secs(5));
    loop {
        interval.tick().await;
        page.run_upkeep();
    }
}

/// Asks as Prometheus does
async fn fetch(address: SocketAddr) -> Result<String, Box<dyn Error>> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, page) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(head.into());
    }
    Ok(page.to_owned())
}

/// Prints the lines that tell whether timers were late, in the order of the question
fn show(page: &str) {
    for name in [
        "orders_fire_lag_seconds",
        "orders_max_due_in_tick",
        "orders_turns_cut_short_total",
        "orders_slow_callbacks_total",
    ] {
        let of_it = |line: &&str| line.starts_with(name) && !line.contains("_sum");
        page.lines().filter(of_it).for_each(|line| println!("{line}"));
    }
}

/// Buckets of what is kept on the page, in seconds
const LAG_BOUNDS: [f64; 6] = [0.001, 0.002, 0.005, 0.02, 0.1, 0.5];
