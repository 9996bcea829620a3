//! What the stories share

pub mod allocations;
pub mod ambient;
pub mod callbacks;
pub mod delay_queues;
pub mod drive;
pub mod durations;
pub mod edges;
pub mod forms;
pub mod fuzz;
pub mod history;
pub mod listener;
pub mod oracle;
pub mod pair;
pub mod panics;
pub mod queue_history;
pub mod random;
pub mod runtimes;
pub mod sources;
pub mod waker;
pub mod wall;
