//! Every peer and tickwheel on the same works, in one process
//!
//! ```text
//! cargo run --release -p tickwheel-benches --bin compare
//! ```
//!
//! The timers take turns round by round, so that whatever else the machine does slows
//! all of them, and what counts is the median of the ratios of one and the same round.
//! `docs/performance.md` says what each work is. It fails when something crashes,
//! never on a number.

use std::process::ExitCode;

use clap::Parser;

mod arena;
mod args;
mod entrants;
mod measure;
mod peer;
mod peers;
mod report;
mod scale;
mod work;
mod works;

fn main() -> ExitCode {
    let args = args::Args::parse();
    if let Some(name) = &args.alone {
        works::alone::tell(name, args.timers, args.seconds);
        return ExitCode::SUCCESS;
    }
    let tables = works::run_all(arena::Arena::new(&args));
    if tables.is_empty() {
        eprintln!("no work has such a name");
        return ExitCode::FAILURE;
    }
    match report::write(&args.out, &tables) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", args.out.display());
            ExitCode::FAILURE
        }
    }
}
