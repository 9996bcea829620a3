//! What is allocated, by every thread of the process
//!
//! A test that asks has `INSTRUMENTED_SYSTEM` as its global allocator.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region};

/// Runs this again and again until nothing is allocated in it
///
/// The first time warms up. Whatever the timer allocates it allocates each time;
/// only the test harness, which reports other stories meanwhile, does so now and then.
///
/// # Panics
///
/// When it allocates each time.
#[track_caller]
pub fn assert_allocates_nothing_when_warm(mut action: impl FnMut()) {
    action();
    let mut measure = || {
        let region = Region::new(&INSTRUMENTED_SYSTEM);
        action();
        let change = region.change();
        change.allocations + change.reallocations
    };
    let seen: Vec<_> = (0..5).map(|_| measure()).take_while(|&count| count > 0).collect();
    assert!(seen.len() < 5, "{seen:?} allocations");
}
