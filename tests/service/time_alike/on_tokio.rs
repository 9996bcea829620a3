use tokio::time;

#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/advance.rs"]
mod advance;
#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/api.rs"]
mod api;
#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/cooperation.rs"]
mod cooperation;
#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/interval.rs"]
mod interval;
#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/sleep.rs"]
mod sleep;
#[expect(clippy::duplicate_mod, reason = "the same stories are told of two modules")]
#[path = "stories/timeout.rs"]
mod timeout;
