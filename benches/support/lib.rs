//! What the benchmarks share
