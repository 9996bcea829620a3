//! tickwheel
