mod end;
mod handle;
mod id;
mod log;
mod start;
mod state;
mod task;
mod work;

pub use handle::{Callback, CallbackGuard};
pub use id::CallbackId;

pub(crate) use end::Surrender;
pub(crate) use id::Callbacks;
pub(crate) use task::Task;
pub(crate) use work::{Firing, Work};
