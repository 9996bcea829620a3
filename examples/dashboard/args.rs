//! The command line.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use clap::Parser;

/// A page that shows a timer at work, and the load that it works for.
///
/// The page has its address from this program's first line. Nothing is fetched from elsewhere.
#[derive(Debug, Parser)]
#[command(name = "dashboard", version)]
pub(crate) struct Args {
    /// Where the page is served; 0 takes a free port
    #[arg(long, default_value_t = 7070)]
    pub(crate) port: u16,

    /// On which address; whoever reaches it may press the buttons
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(crate) address: IpAddr,

    /// When to end; 0 waits for Ctrl-C
    #[arg(long, default_value_t = 0)]
    seconds: u64,

    /// How many clients send requests, each with a timeout
    #[arg(long, default_value_t = 2000)]
    pub(crate) requests: u32,

    /// The timer's tick in milliseconds
    ///
    /// With 4 ms the near ring turns about once a second and the next one about once a minute,
    /// so that an eye can follow them.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    tick: u64,
}

impl Args {
    pub(crate) fn length(&self) -> Option<Duration> {
        (self.seconds > 0).then(|| Duration::from_secs(self.seconds))
    }

    pub(crate) fn tick(&self) -> Duration {
        Duration::from_millis(self.tick)
    }
}
