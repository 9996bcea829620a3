//! The command line

use std::path::PathBuf;

use clap::Parser;

/// tickwheel and its peers on the same works, side by side: tables, plots and figures.
#[derive(Debug, Parser)]
#[command(name = "compare", version)]
pub(crate) struct Args {
    /// Fewer rounds and smaller crowds, to see that it runs: under two minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Only the works with this in their names
    #[arg(long)]
    pub(crate) only: Option<String>,

    /// Where the tables, the plots and the figures are written to
    #[arg(long, default_value = "target/compare")]
    pub(crate) out: PathBuf,

    /// Measures one timer in a process of its own, as this program itself asks for
    #[arg(long, hide = true)]
    pub(crate) alone: Option<String>,

    /// How many are armed then
    #[arg(long, hide = true, default_value_t = 0)]
    pub(crate) timers: usize,

    /// And for how long it is watched
    #[arg(long, hide = true, default_value_t = 1)]
    pub(crate) seconds: u64,
}
