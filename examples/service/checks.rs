//! The questions a run must answer well, or it has failed.

use super::{
    clock::Clock,
    ledger::{Balance, Kind},
    report::in_millis,
    run::{Outcome, TasksEnded},
    settings::LATE_BY,
    tally::Tally,
};

/// Prints one line per check; whether all passed
pub(crate) fn print(outcome: &Outcome, tally: &Tally, clock: &Clock) -> bool {
    let mut checks = vec![
        tasks(outcome),
        books(clock),
        requests(tally),
        connections(tally),
        never_early(tally, clock),
        stalled(tally),
        idle_drops(tally, clock),
        late_answers(tally, clock),
    ];
    checks.extend(timers_books(clock));

    println!();
    for check in &checks {
        let verdict = if check.passed { "ok" } else { "FAILED" };
        println!("{verdict:<8}{}", check.line);
    }
    checks.iter().all(|check| check.passed)
}

struct Check {
    passed: bool,
    line: String,
}

fn tasks(outcome: &Outcome) -> Check {
    Check {
        passed: matches!(outcome.tasks_ended, TasksEnded::Well),
        line: match outcome.tasks_ended {
            TasksEnded::Well => "every task ended".to_owned(),
            TasksEnded::Panicked(tasks) => format!("every task ended, but {tasks} panicked"),
            TasksEnded::NotAll => "some tasks were still waiting after the grace".to_owned(),
        },
    }
}

fn books(clock: &Clock) -> Check {
    let total = clock.ledger().total();
    Check {
        passed: Kind::ALL.into_iter().all(|kind| clock.ledger().balance(kind).closes()),
        line: format!(
            "armed = fired + cancelled, of every kind ({} = {} + {} in total)",
            total.armed, total.fired, total.cancelled,
        ),
    }
}

fn requests(tally: &Tally) -> Check {
    let requests = &tally.requests;
    let (asked, ok) = (requests.asked.get(), requests.ok.get());
    let (timed_out, lost) = (requests.timed_out.get(), requests.lost.get());
    Check {
        passed: asked == ok + timed_out + lost && asked > 0,
        line: format!(
            "every request ended ({asked} = {ok} ok + {timed_out} timed out + {lost} lost)"
        ),
    }
}

/// Each side counts for itself; a client may be gone before the server has accepted it
fn connections(tally: &Tally) -> Check {
    let Tally { clients, stalled, server, .. } = tally;
    let left = clients.closed.get() + clients.vanished.get() + clients.lost.get();
    let ended = server.closed.get() + server.dropped_idle.get();
    let (made, accepted) = (clients.connected.get(), server.accepted.get());
    Check {
        passed: made == left + stalled.all.get() && accepted == ended,
        line: format!("every connection ended ({made} of clients, {accepted} of the server)"),
    }
}

fn never_early(tally: &Tally, clock: &Clock) -> Check {
    let fired = clock.ledger().total().early;
    let answers = tally.requests.answered_early.get();
    let drops = tally.stalled.early.get();
    Check {
        passed: fired + answers + drops == 0,
        line: format!(
            "nothing was early (deadlines {fired}; seen by clients: answers {answers}, drops {drops})"
        ),
    }
}

fn stalled(tally: &Tally) -> Check {
    let (all, dropped) = (tally.stalled.all.get(), tally.stalled.dropped.get());
    let missed = tally.stalled.missed.get();
    Check {
        passed: missed == 0 && dropped == all,
        line: format!(
            "every stalled client was dropped ({dropped} of {all}, the slowest after {})",
            in_millis(tally.stalled.slowest()),
        ),
    }
}

/// The server counts connections, the ledger counts deadlines
fn idle_drops(tally: &Tally, clock: &Clock) -> Check {
    let Balance { fired, at_once, .. } = clock.ledger().balance(Kind::Idle);
    let (drops, stalled) = (tally.server.dropped_idle.get(), tally.stalled.dropped.get());
    Check {
        passed: drops == fired + at_once && drops >= stalled,
        line: format!(
            "each idle deadline that fired dropped one connection ({drops}, {stalled} stalled)"
        ),
    }
}

/// An answer which is there when the deadline is looked at counts, by the contract of a timeout.
/// So one is excused if the tasks of this run came to look as late as that answer was.
fn late_answers(tally: &Tally, clock: &Clock) -> Check {
    let late = &tally.late;
    let (asked, timed_out) = (late.asked.get(), late.timed_out.get());
    let (answered, lost) = (late.answered.get(), late.lost.get());
    let latest = clock.ledger().total().lateness(1.0).unwrap_or_default();
    let excused = latest >= LATE_BY;
    let excuse = if answered > 0 && excused {
        format!(" as tasks ran up to {} late", in_millis(latest))
    } else {
        String::new()
    };
    Check {
        passed: asked == timed_out + answered + lost && (answered == 0 || excused),
        line: format!(
            "every late answer was a timeout ({timed_out} of {asked}; {answered} taken{excuse}, {lost} lost)"
        ),
    }
}

/// A timer that keeps books of its own has to agree with ours
fn timers_books(clock: &Clock) -> Vec<Check> {
    let Some(timer) = clock.tickwheel() else {
        return Vec::new();
    };
    let metrics = timer.metrics();
    let settled = metrics.fired + metrics.cancelled + metrics.pending as u64;
    let armed = clock.ledger().total().armed;
    vec![
        Check {
            passed: timer.pending() == 0,
            line: format!("the timer has nothing left ({} pending)", timer.pending()),
        },
        Check {
            passed: metrics.registered == settled,
            line: format!(
                "the timer's registered = fired + cancelled + pending ({} = {} + {} + {})",
                metrics.registered, metrics.fired, metrics.cancelled, metrics.pending,
            ),
        },
        // More: a sleep that fires and is reset before we look registers again, and to us it was
        // one deadline moved.
        Check {
            passed: metrics.registered >= armed,
            line: format!(
                "the timer registered each deadline armed ({} >= {armed})",
                metrics.registered,
            ),
        },
    ]
}
