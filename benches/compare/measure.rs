//! What came out, and what it says

mod table;

pub(crate) use table::{Row, Table};
