use std::future;

use tokio::runtime::Id;

use super::table;
use crate::{driver::Driver, timer::Timer};

/// A timer's place as the ambient one of a runtime, given up when this is dropped
#[derive(Debug)]
pub(super) struct Place {
    runtime: Id,
    timer: Timer,
}

impl Place {
    /// Takes the place for this timer; the one that has it, where that is taken
    pub(super) fn take(runtime: Id, timer: Timer) -> Result<Self, Timer> {
        match table::insert(runtime, &timer) {
            None => Ok(Self { runtime, timer }),
            Some(taken) => Err(taken),
        }
    }

    /// The task that keeps it, until the runtime drops its tasks
    pub(super) async fn keep(self, driver: Driver) {
        driver.await;
        // Shut down. A new timer in its place would accept what this one refuses.
        future::pending::<()>().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        table::remove(self.runtime, &self.timer);
    }
}
