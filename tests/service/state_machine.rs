//! Random stories of a timer on the virtual clock, beside an ordered map
//!
//! Futures of every form, callbacks, a queue, both lanes, limits, slack and small
//! budgets, in any order, with time that passes in one jump or from deadline to
//! deadline. After each operation the timer's books are what the model says, and after
//! each turn of the driver exactly those have been woken that must have been, none
//! early, none late by more than tokio's own clock, in the order that is promised.
//!
//! A story that fails is printed in its shortest form. What it teaches goes into a
//! named test of its own, so none is kept in a file of seeds. More of them run with
//! `PROPTEST_CASES`.

use std::time::Duration;

use proptest::prelude::*;
use tickwheel_tests::runtimes::within;
use tokio::task::unconstrained;

use state_machine::{
    operation::{ending, story},
    world::World,
};

mod state_machine {
    mod calls;
    mod future;
    mod log;
    mod model;
    pub(crate) mod operation;
    mod time;
    pub(crate) mod world;
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_time: 20_000, ..ProptestConfig::default() })]

    /// Contracts 1 to 8 and 12 for the service
    #[test]
    fn a_timer_does_what_an_ordered_map_does(
        (settings, operations) in story(),
        ending in ending(),
    ) {
        within(LIMIT, move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_time().start_paused(true).build().unwrap();
            runtime.block_on(unconstrained(async {
                let mut world = World::begin(settings).await;
                for operation in operations {
                    world.perform(operation).await;
                    world.check();
                }
                world.end(ending).await;
            }));
        });
    }
}

/// For what would hang
const LIMIT: Duration = Duration::from_secs(10);
