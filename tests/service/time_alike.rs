//! What `tokio::time` and `tickwheel::time` have in common: the same stories on both
//!
//! Each file in `stories/` is compiled twice, with another module by the name of
//! `time`. It compiles because all names, types and bounds are there; it passes because
//! they mean the same.

#[path = "time_alike/on_tickwheel.rs"]
mod on_tickwheel;
#[path = "time_alike/on_tokio.rs"]
mod on_tokio;
