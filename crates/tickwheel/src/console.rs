//! What [tokio-console](https://docs.rs/console-subscriber) is shown of a timer
//!
//! It knows resources by the names and fields of spans and events, which are those
//! of tokio's own sleeps. Without the feature there is nothing of this: no field that
//! takes room, and no code.

#[cfg(not(feature = "console"))]
mod off;
#[cfg(feature = "console")]
mod on;

#[cfg(not(feature = "console"))]
pub(crate) use off::Shown;
#[cfg(feature = "console")]
pub(crate) use on::Shown;
