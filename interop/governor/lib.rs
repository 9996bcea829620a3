//! Only tests; see `governor.rs`
