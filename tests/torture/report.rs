//! What a person reads

use std::time::Duration;

use crate::{stage::Memory, world::World};

/// One line each second
pub(crate) fn line(world: &World, time: Duration, memory: &Memory) {
    let tally = &world.tally;
    let scenes: u64 = tally.scenes().values().sum();
    println!(
        "{:>5} s  {scenes} scenes, {} runtimes killed, {} stops, {} fired, {} cancelled, RSS {}",
        time.as_secs(),
        tally.runtimes_killed.get(),
        tally.stops.get(),
        tally.fired.get(),
        tally.cancelled.get(),
        mebibytes(memory.now),
    );
}

/// At the end
pub(crate) fn table(world: &World, time: Duration, memory: &Memory, is_well: bool) {
    let tally = &world.tally;
    println!("\nseed {}, {:.1} s", world.seed, time.as_secs_f64());
    for (scene, times) in tally.scenes() {
        row(scene, &times.to_string());
    }
    println!();
    row("runtimes killed", &tally.runtimes_killed.get().to_string());
    row("stops of a process", &tally.stops.get().to_string());
    row("timers registered", &tally.registered.get().to_string());
    row("timers fired", &tally.fired.get().to_string());
    row("timers cancelled", &tally.cancelled.get().to_string());
    row("timers refused", &tally.refused.get().to_string());
    row("callbacks called", &tally.calls.get().to_string());
    row("callbacks that panicked", &tally.callback_panics.get().to_string());
    row("wakers that panicked", &tally.waker_panics.get().to_string());
    println!();
    let percentiles = [("p50", 50), ("p99", 99), ("max", 100)];
    for (name, percent) in percentiles {
        let late = tally.lateness.percentile(percent);
        let late =
            late.map_or("-".to_owned(), |late| format!("{:.2} ms", late.as_secs_f64() * 1e3));
        row(&format!("lateness outside of faults, {name}"), &late);
    }
    row("    of so many sleeps", &tally.lateness.count().to_string());
    for (name, bytes) in [("start", memory.start), ("max", memory.most), ("end", memory.now)] {
        row(&format!("RSS, {name}"), &mebibytes(bytes));
    }
    println!("\n{}", if is_well { "everything held" } else { "FAILED, see above" });
}

fn row(name: &str, value: &str) {
    println!("{name:<36}{value:>14}");
}

fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{} MiB", bytes >> 20))
}
