//! A process under load that is stopped, and goes on

use std::{
    env,
    io::{self, Read},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use tickwheel_tests::random::Random;

use crate::{
    load,
    verdict::{Failure, Verdict},
    world::World,
};

/// Is that process: a load until there is no parent, or it has had enough
pub(crate) fn run(seed: u64) -> bool {
    let world = World::begin(seed);
    let watching = Arc::clone(&world);
    thread::spawn(move || {
        // Ends when the parent closes its side, or is gone.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        watching.end();
    });
    load::run(&world, seed);
    !world.verdict.has_failed()
}

/// Runs one after the other until the world is over, and stops and continues them
pub(crate) fn torment(world: &Arc<World>, seed: u64) {
    let mut random = Random::new(seed);
    while !world.is_over() {
        let seed = random.below(1_000_000);
        match start(seed) {
            Ok(child) => torment_one(world, child, seed, &mut random),
            Err(error) => return fail(&world.verdict, "a process that starts", &error.to_string()),
        }
    }
}

fn start(seed: u64) -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(["--child", "--seed", &seed.to_string()])
        .stdin(Stdio::piped())
        .spawn()
}

fn torment_one(world: &World, mut child: Child, seed: u64, random: &mut Random) {
    for _ in 0..5 {
        if world.is_over() {
            break;
        }
        thread::sleep(Duration::from_millis(50 + random.below(300)));
        signal::stop(&child);
        thread::sleep(Duration::from_millis(random.below(700)));
        signal::go_on(&child);
        world.tally.stops.add(1);
    }
    drop(child.stdin.take());
    // Longer than its own watchdog takes.
    for _ in 0..600 {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(100)),
            Ok(Some(status)) if status.success() => return,
            other => {
                let observed = format!("{other:?} of the process with seed {seed}");
                return fail(&world.verdict, "success", &observed);
            }
        }
    }
    // It hangs, and is not to outlive this program.
    let _ = child.kill();
    fail(&world.verdict, "an end", "none within a minute");
}

fn fail(verdict: &Verdict, expected: &str, observed: &str) {
    verdict.fail(&Failure {
        check: "a process that is stopped goes on",
        scene: "stopped process",
        timer: &"all of that process",
        expected: &expected,
        observed: &observed,
    });
}

#[cfg(unix)]
mod signal {
    use std::process::Child;

    use rustix::process::{Pid, Signal, kill_process};

    pub(super) fn stop(child: &Child) {
        send(child, Signal::STOP);
    }

    pub(super) fn go_on(child: &Child) {
        send(child, Signal::CONT);
    }

    fn send(child: &Child, signal: Signal) {
        // One that has ended in the meantime is not signalled, and found out later.
        let _ = kill_process(Pid::from_child(child), signal);
    }
}

#[cfg(not(unix))]
mod signal {
    use std::process::Child;

    pub(super) fn stop(_: &Child) {}

    pub(super) fn go_on(_: &Child) {}
}
