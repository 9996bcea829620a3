//! A line server and its clients on real sockets, with every wait under a deadline.
//!
//! Both sides live in this process and talk over 127.0.0.1. Some clients stall, some vanish, some
//! answers come too late, so that deadlines really fire. At the end the program prints what
//! happened, checks its own books, and exits with an error if they do not close:
//!
//! ```text
//! cargo run --release --example service
//! cargo run --release --example service -- --timer tokio
//! ```

use std::process::ExitCode;

use clap::Parser;

use service::{args::Args, run};

/// The parts of the program, one noun each.
mod service {
    pub(crate) mod args;
    mod checks;
    mod client;
    mod clock;
    mod connection;
    mod cpu;
    mod hiccup;
    mod ledger;
    mod life;
    mod patience;
    mod progress;
    mod random;
    mod report;
    pub(crate) mod run;
    mod server;
    mod settings;
    mod tally;
    mod wire;
}

#[tokio::main]
async fn main() -> ExitCode {
    match run::run(&Args::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the service could not run: {error}");
            ExitCode::FAILURE
        }
    }
}
