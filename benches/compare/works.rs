//! The works, one file each, in the order of the report

pub(crate) mod alone;
mod arm_cancel;
mod arming;
mod blocked;
mod crowd;
mod idle_lateness;
mod queue;
mod random;
mod ready_timeout;
mod reset;
mod storm;
mod threads;
mod timing;
mod traffic;

use std::time::Duration;

use crate::{arena::Arena, measure::Table};

/// Runs all that are asked for
pub(crate) fn run_all(mut arena: Arena) -> Vec<Table> {
    let scale = arena.scale;
    for &others in scale.others {
        arena.run(&arm_cancel::ArmCancel { others });
    }
    for threads in [1, 2, 4] {
        arena.run(&threads::Threads { threads });
    }
    arena.run(&ready_timeout::ReadyTimeout);
    arena.run(&reset::Reset::Later);
    arena.run(&reset::Reset::Earlier);
    for &live in scale.live {
        arena.run(&random::Random { live });
    }
    arena.run(&traffic::Traffic);
    let spreads = [Duration::ZERO, Duration::from_secs(1)];
    for spread in spreads {
        arena.run(&storm::Storm { tasks: scale.many, spread });
    }
    for spread in spreads {
        arena.run(&arming::Arming { tasks: scale.many, spread });
    }
    arena.run(&idle_lateness::IdleLateness);
    arena.run(&blocked::Blocked);
    arena.run(&alone::Alone { timers: scale.many, seconds: scale.idle_seconds });
    for &others in scale.others {
        queue::insert_remove(&mut arena, others);
    }
    queue::deliver(&mut arena);
    arena.into_tables()
}

/// A number as the names of works have it
fn spoken(number: usize) -> String {
    match number {
        1_000_000.. if number.is_multiple_of(1_000_000) => format!("{} M", number / 1_000_000),
        1_000.. if number.is_multiple_of(1_000) => format!("{} K", number / 1_000),
        _ => number.to_string(),
    }
}
