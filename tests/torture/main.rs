//! All faults at once, on the machine's clock and real threads
//!
//! ```text
//! cargo run --release -p tickwheel-tests --bin torture -- --seconds 60
//! ```
//!
//! Threads play scenes that the seed chooses: runtimes that go away under armed timers,
//! blocked workers, panics in wakers, callbacks and drops, storms of threads, timers at
//! their limit, wheels that grow and shrink, a wall clock that is set, shutdowns. A steady
//! load goes on beside them, and another in a process that is stopped and goes on. What
//! the timer promises is checked all the time, but for the virtual clock, of which
//! `service/state_machine.rs` tells. The program ends with 1 when something
//! did not hold, or hangs, and says what, in which scene, with which seed.

use std::process::ExitCode;

use clap::Parser;

use args::Args;

mod args;
mod books;
mod child;
mod faults;
mod load;
mod memory;
mod report;
mod scene;
mod scenes;
mod stage;
mod tally;
mod verdict;
mod watchdog;
mod world;

fn main() -> ExitCode {
    let args = Args::parse();
    let is_well = if args.is_child { child::run(args.seed()) } else { stage::run(&args) };
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
