//! Random histories of a queue, beside an ordered map

use proptest::prelude::*;
use tickwheel::Timer;
use tickwheel_tests::{
    queue_history::{Story, operation},
    runtimes::settle,
};
use tokio::task::unconstrained;

proptest! {
    /// Contracts 1 to 8 for the queue
    #[test]
    fn a_queue_does_what_an_ordered_map_does(
        operations in prop::collection::vec(operation(), 1..150),
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(unconstrained(async {
            let timer = Timer::builder().shards(1).build().unwrap();
            let mut story = Story::begin(&timer, timer.now());
            for operation in operations {
                story.perform(operation).await;
                settle().await;
                story.check_contents();
                story.check_wakes();
                assert!(timer.pending() <= story.most_pending());
            }
            let wakers = story.wakers();
            drop(story);
            assert_eq!((timer.pending(), wakers()), (0, 0));
        }));
    }
}
