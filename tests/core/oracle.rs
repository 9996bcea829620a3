//! Random histories, each replayed on a wheel and on an ordered map
//!
//! A history that fails is printed in its shortest form. What it teaches goes
//! into a named test of its own, so none is kept in a file of seeds. More of
//! them run with `PROPTEST_CASES`.

use proptest::prelude::*;
use tickwheel_tests::{
    history::{operation, start},
    pair::Pair,
};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// W1, W3 to W14, W16: from anywhere, a wheel does what an ordered map does
    #[test]
    fn a_wheel_agrees_with_an_ordered_map(
        start in start(),
        history in prop::collection::vec(operation(), 1..80),
    ) {
        let mut pair = Pair::starting_at(start);
        for operation in history {
            pair.apply(operation);
            pair.agree();
        }
        pair.finish();
    }
}
