//! What the fuzz targets do with their bytes
//!
//! It is here so that the replay of what they found needs no fuzzer.

mod builder;
mod cron;
mod wheel;

pub use builder::builder;
pub use cron::cron;
pub use wheel::wheel;
