//! What came out, and what it says

mod quartiles;
mod table;

pub(crate) use quartiles::{Quartiles, quantile};
pub(crate) use table::{Row, Table};
