//! Deadlines on the requests of a [tower] service
//!
//! [`TimeoutLayer`] puts a [`Timeout`] around a service. What `tower::timeout` does on
//! tokio's timers this does on one of ours: in place of
//! `tower::timeout::TimeoutLayer::new(duration)` write `TimeoutLayer::new(timer, duration)`.
//!
//! A request that is not answered in time ends with the error [`Elapsed`](crate::Elapsed),
//! in a box. tower's own `Elapsed` can be made by tower alone, so code that looks for the
//! error by its type has to look for ours. A server that speaks HTTP should turn it into a
//! response, with `HandleErrorLayer` under axum, as otherwise the connection is closed
//! without one.
//!
//! # Examples
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! use std::{convert::Infallible, future::Pending, task::{Context, Poll}, time::Duration};
//! use tickwheel::{Elapsed, Timer, tower::TimeoutLayer};
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! /// Takes a request and never answers
//! struct Silent;
//!
//! impl Service<&'static str> for Silent {
//!     type Response = &'static str;
//!     type Error = Infallible;
//!     type Future = Pending<Result<&'static str, Infallible>>;
//!
//!     fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
//!         Poll::Ready(Ok(()))
//!     }
//!
//!     fn call(&mut self, _: &'static str) -> Self::Future {
//!         std::future::pending()
//!     }
//! }
//!
//! let timer = Timer::new();
//! let layer = TimeoutLayer::new(timer.clone(), Duration::from_secs(5));
//! let mut service = layer.layer(Silent);
//! let error = service.call("anybody there?").await.unwrap_err();
//! assert!(error.is::<Elapsed>());
//! # }
//! ```
//!
//! [tower]: https://docs.rs/tower

mod future;
mod layer;
mod service;

pub use future::ResponseFuture;
pub use layer::TimeoutLayer;
pub use service::Timeout;
