//! What goes wrong with time
//!
//! [`Error`] is tokio's own. No function in here returns it, as none of tokio's does.

pub use crate::error::Elapsed;
#[doc(no_inline)]
pub use tokio::time::error::Error;
