use tickwheel::time;

#[path = "stories/advance.rs"]
mod advance;
#[path = "stories/api.rs"]
mod api;
#[path = "stories/cooperation.rs"]
mod cooperation;
#[path = "stories/interval.rs"]
mod interval;
#[path = "stories/sleep.rs"]
mod sleep;
#[path = "stories/timeout.rs"]
mod timeout;
