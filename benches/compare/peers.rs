//! Those who take part, one file each

pub(crate) mod async_io;
pub(crate) mod futures_timer;
pub(crate) mod kestrel;
pub(crate) mod pingora;
pub(crate) mod tickwheel;
pub(crate) mod tokio;
