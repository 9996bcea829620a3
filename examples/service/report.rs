//! The tables a person reads.

use std::time::Duration;

use indicatif::HumanCount;

use super::{
    clock::Clock,
    ledger::{Balance, Kind},
    progress::per_second,
    run::Outcome,
    tally::Tally,
};

pub(crate) fn print(outcome: &Outcome, tally: &Tally, clock: &Clock) {
    print_requests(outcome, tally);
    print_connections(tally);
    print_deadlines(clock);
    print_timer(clock);
    print_times(outcome);
}

fn print_requests(outcome: &Outcome, tally: &Tally) {
    let requests = &tally.requests;
    println!();
    println!(
        "requests     {} asked ({}/s): {} ok, {} timed out, {} lost",
        HumanCount(requests.asked.get()),
        HumanCount(per_second(requests.asked.get(), outcome.wall)),
        HumanCount(requests.ok.get()),
        HumanCount(requests.timed_out.get()),
        HumanCount(requests.lost.get()),
    );
    println!(
        "             {} were retries; {} given up after all retries",
        HumanCount(requests.retried.get()),
        HumanCount(requests.given_up.get()),
    );
}

fn print_connections(tally: &Tally) {
    let clients = &tally.clients;
    println!(
        "connections  {} made: {} closed, {} stalled, {} vanished, {} lost; {} refused",
        HumanCount(clients.connected.get()),
        HumanCount(clients.closed.get()),
        HumanCount(tally.stalled.all.get()),
        HumanCount(clients.vanished.get()),
        HumanCount(clients.lost.get()),
        HumanCount(clients.refused.get() + tally.server.not_accepted.get()),
    );
}

fn print_deadlines(clock: &Clock) {
    println!();
    println!("{:>99}", "lateness");
    print_row(
        "deadlines",
        &["armed", "reset", "cancelled", "fired", "at once"],
        &["p50", "p99", "max"],
    );
    for kind in Kind::ALL {
        print_balance(kind.label(), &clock.ledger().balance(kind));
    }
    print_balance("total", &clock.ledger().total());
    println!("(at once: over before it was first looked at, so never armed)");
}

fn print_balance(label: &str, balance: &Balance) {
    let counts = [balance.armed, balance.reset, balance.cancelled, balance.fired, balance.at_once];
    let lateness = [0.5, 0.99, 1.0].map(|quantile| match balance.lateness(quantile) {
        Some(lateness) => in_millis(lateness),
        None => "-".to_owned(),
    });
    print_row(label, &counts.map(|count| HumanCount(count).to_string()), &lateness);
}

fn print_row(label: &str, counts: &[impl AsRef<str>], lateness: &[impl AsRef<str>]) {
    print!("{label:<24}");
    for count in counts {
        print!("{:>11}", count.as_ref());
    }
    for late in lateness {
        print!("{:>12}", late.as_ref());
    }
    println!();
}

fn print_timer(clock: &Clock) {
    let Some(timer) = clock.tickwheel() else {
        return;
    };
    let metrics = timer.metrics();
    println!();
    println!(
        "timer        {} registered, {} reset, {} cancelled, {} fired, {} pending",
        HumanCount(metrics.registered),
        HumanCount(metrics.reset),
        HumanCount(metrics.cancelled),
        HumanCount(metrics.fired),
        metrics.pending,
    );
    println!("             {} driver wake-ups", HumanCount(metrics.driver_wakeups));
}

fn print_times(outcome: &Outcome) {
    let cpu = match outcome.cpu {
        Some(cpu) => format!("{:.2} s", cpu.as_secs_f64()),
        None => "n/a".to_owned(),
    };
    println!();
    println!("wall time    {:.2} s", outcome.wall.as_secs_f64());
    println!("CPU time     {cpu}");
    println!("hiccups      a plain thread was held up by {} at worst", in_millis(outcome.hiccup));
}

pub(crate) fn in_millis(duration: Duration) -> String {
    format!("{:.3} ms", duration.as_secs_f64() * 1e3)
}
