//! A page that shows the wheel at work: its five rings, what is armed, and how late it is.
//!
//! A load of simulated requests runs in this process; the page draws the timer that keeps their
//! time, and has buttons to start a storm, to stop the world for a second, and to shut down.
//! It needs nothing but a browser:
//!
//! ```text
//! cargo run --release --example dashboard
//! ```

use std::process::ExitCode;

use clap::Parser;

use dashboard::{args::Args, run};

/// The parts of the program, one noun each.
mod dashboard {
    pub(crate) mod args;
    mod assets;
    mod board;
    mod feed;
    mod frame;
    mod lateness;
    mod load;
    pub(crate) mod run;
    mod sampler;
    mod second;
    mod server;
    mod storm;
    mod verdict;
    mod world;
}

#[tokio::main]
async fn main() -> ExitCode {
    match run::run(&Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the dashboard could not run: {error}");
            ExitCode::FAILURE
        }
    }
}
