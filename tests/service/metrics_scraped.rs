//! What Prometheus is given by an endpoint on the loopback interface (real)

use std::{
    collections::HashMap,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use axum::{Router, routing::get};
use metrics_exporter_prometheus::PrometheusBuilder;
use tickwheel::Timer;
use tickwheel_tests::durations::{HOUR, MS, SECOND};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

async fn scrape(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, page) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    page.to_owned()
}

/// Each line that is no comment: what is left of the last space, and the number right of it
fn values(page: &str) -> HashMap<&str, f64> {
    let lines = page.lines().filter_map(|line| line.rsplit_once(' '));
    lines.filter_map(|(name, value)| Some((name, value.parse().ok()?))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "they are few")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_says_what_the_timer_says() {
    let timer = Timer::builder().name("orders").build().unwrap();
    // After the timer was built, and with the suffixes that Prometheus recommends.
    let builder = PrometheusBuilder::new().with_recommended_naming(true);
    let buckets = [0.001, 0.01, 0.1, 1.0, 10.0];
    let page = builder.set_buckets(&buckets).unwrap().install_recorder().unwrap();
    let asked = timer.clone();
    let answer = move || async move {
        asked.publish_metrics();
        page.render()
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = Router::new().route("/metrics", get(answer));
    tokio::spawn(async move { axum::serve(listener, service).await });

    let started = Instant::now();
    let sleeps: Vec<_> = (0..500).map(|n| timer.sleep((10 + n % 50) * MS)).collect();
    futures::future::join_all(sleeps).await;
    timer.call_later(MS, || thread::sleep(Duration::from_millis(12)));
    timer.call_later(MS, || panic!("on purpose"));
    timer.call_later(HOUR, || ()).cancel();
    timer.call_later(HOUR, || ());
    timer.sleep(50 * MS).await;
    let mut moved = timer.sleep(HOUR);
    assert!(futures::poll!(&mut moved).is_pending());
    moved.reset_after(2 * HOUR);

    let (page, metrics) = loop {
        let (before, page) = (timer.metrics(), scrape(address).await);
        // The driver may have come by meanwhile, to move down what is far away, or be in the
        // middle of telling something itself.
        let lag_count = format!("\norders_fire_lag_seconds_count {}\n", before.lateness.count());
        if before == timer.metrics() && page.contains(&lag_count) {
            break (page, before);
        }
        assert!(started.elapsed() < 10 * SECOND, "{before} in {page}");
    };
    let values = values(&page);
    let right = [
        ("gauge", "orders_timers_active", metrics.pending as u64),
        ("counter", "orders_timers_registered_total", metrics.registered),
        ("counter", "orders_timers_fired_total", metrics.fired),
        ("counter", "orders_timers_cancelled_total", metrics.cancelled),
        ("counter", "orders_timers_reset_total", metrics.reset),
        ("counter", "orders_timers_refused_total", metrics.refused),
        ("counter", "orders_driver_wakeups_total", metrics.driver_wakeups),
        ("counter", "orders_turns_cut_short_total", metrics.turns_cut_short),
        ("counter", "orders_cascades_total", metrics.cascaded),
        ("counter", "orders_callback_panics_total", metrics.callback_panics),
        ("counter", "orders_slow_callbacks_total", metrics.slow_callbacks),
        ("gauge", "orders_max_due_in_tick", metrics.max_due_in_tick),
    ];
    for (kind, name, value) in right {
        assert!(page.contains(&format!("# TYPE {name} {kind}\n")), "{kind} {name} in {page}");
        assert!(page.contains(&format!("# HELP {name} ")), "{name}");
        assert_eq!(values.get(name), Some(&(value as f64)), "{name}");
    }
    assert_eq!((metrics.pending, metrics.callback_panics), (2, 1));
    // To print the backtrace of the one that panics can take long, too.
    assert!((1..=2).contains(&metrics.slow_callbacks), "{metrics}");
    for (name, histogram) in [
        ("orders_fire_lag_seconds", &metrics.lateness),
        ("orders_callback_seconds", &metrics.callback_time),
    ] {
        assert!(page.contains(&format!("# TYPE {name} histogram\n")), "{name} in {page}");
        let of = |rest: &str| values[format!("{name}{rest}").as_str()];
        for total in ["_count", "_bucket{le=\"+Inf\"}"] {
            let line = format!("\n{name}{total} {}\n", histogram.count());
            assert!(page.contains(&line), "{line} in {page}");
        }
        // A length may be told on the other side of a bound that is very near to it.
        for &bound in &buckets {
            let told = of(&format!("_bucket{{le=\"{bound}\"}}"));
            let at_least = (0..=1000)
                .map(|n| f64::from(n) / 1000.0)
                .take_while(|&part| histogram.quantile(part).as_secs_f64() <= bound * 0.93)
                .last();
            let at_least = at_least.map_or(0.0, |part| (part * histogram.count() as f64).floor());
            assert!(told >= at_least, "{name} up to {bound}: {told} of {at_least} or more");
        }
        let most = histogram.max().as_secs_f64() * histogram.count() as f64;
        assert!(of("_sum") <= most * 33.0 / 32.0, "{name}");
    }
    drop(moved);
}
