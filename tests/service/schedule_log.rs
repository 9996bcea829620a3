//! What is told of schedules that had to be ended
//!
//! All of it listens: a thread that meets an event first while it has no subscriber
//! can make tracing forget about it for those that have.

use std::{
    sync::{Arc, Mutex},
    time::SystemTime,
};

use futures::stream::FusedStream;
use tickwheel::{Schedule, Timer};
use tickwheel_tests::{
    durations::{SECOND, YEAR},
    listener::Listener,
    wall::Wall,
};
use tracing::{Level, subscriber::with_default};

#[tokio::test(start_paused = true)]
async fn each_fault_is_an_error_in_the_log_that_says_whose_it_is() {
    let timer = Wall::showing(START + YEAR).timer();
    let line = line!() + 4;
    let logged = errors_logged(|| {
        // Each on a line of its own.
        let streams = [
            timer.schedule(Scripted(|_| panic!("no idea"))),
            timer.schedule(Scripted(|_| panic!("no idea, in {}", "words"))),
            timer.schedule(Scripted(|_| std::panic::panic_any(7))),
            timer.schedule(Scripted(Some)),
            timer.schedule(Scripted(|after| Some(after - SECOND))),
        ];
        assert!(streams.iter().all(FusedStream::is_terminated));
    });
    let reasons = [
        "it panicked: no idea",
        "it panicked: no idea, in words",
        "it panicked",
        "its next occurrence is 0ns before the moment it was to be later than",
        "its next occurrence is 1s before the moment it was to be later than",
    ];
    assert_eq!(logged.len(), reasons.len());
    for ((logged, reason), line) in logged.iter().zip(reasons).zip(line..) {
        assert!(logged.contains("message=a schedule has ended"), "{logged}");
        assert!(logged.contains(&format!("fault={reason};")), "{logged}");
        assert!(logged.contains(&format!("made_at={}:{line}:", file!())), "{logged}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_ends_by_itself_is_no_fault() {
    let timer = Timer::new();
    let logged = errors_logged(|| drop(timer.schedule(Scripted(|_| None))));
    assert_eq!(logged, [] as [String; 0]);
}

/// What a function answers
struct Scripted<F>(F);

impl<F: FnMut(SystemTime) -> Option<SystemTime>> Schedule for Scripted<F> {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (self.0)(after)
    }
}

/// The fields of each error that this logs, as `name=value;`
fn errors_logged(action: impl FnOnce()) -> Vec<String> {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&logged);
    let listener = Listener(move |level, fields| {
        if level == Level::ERROR {
            noted.lock().unwrap().push(fields);
        }
    });
    with_default(listener, action);
    logged.lock().unwrap().clone()
}

const START: SystemTime = SystemTime::UNIX_EPOCH;
