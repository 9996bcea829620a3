//! L3: a process that was stopped, and goes on (real)
//!
//! This program starts itself anew as the process that is stopped.
#![cfg(unix)]

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tickwheel::{MissedTickBehavior, Timer};
use tickwheel_tests::{durations::MS, runtimes::multi_thread};

/// Several of them are missed
const STOPPED: Duration = Duration::from_millis(1_050);
const PERIOD: Duration = Duration::from_millis(100);

#[test]
fn burst_makes_up_for_each_missed_tick() {
    let ticks = ticks_of_a_stopped_process("burst");
    let gaps = gaps(&ticks);
    let pause = longest(&gaps);
    let at_once = gaps[pause + 1..].iter().take_while(|&&gap| gap < 50 * MS).count();
    assert!((8..=12).contains(&at_once), "{at_once} more at once: {ticks:?}");
    assert_in_phase(&ticks, ticks.len() - 1);
}

#[test]
fn skip_ticks_once_and_then_in_phase() {
    let ticks = ticks_of_a_stopped_process("skip");
    let gaps = gaps(&ticks);
    let pause = longest(&gaps);
    assert!(gaps[pause + 1] > 3 * MS, "{ticks:?}");
    assert_in_phase(&ticks, pause + 2);
}

#[test]
fn delay_begins_anew_from_the_late_tick() {
    let ticks = ticks_of_a_stopped_process("delay");
    let gaps = gaps(&ticks);
    let after = gaps[longest(&gaps) + 1];
    assert!((99 * MS..160 * MS).contains(&after), "{after:?}: {ticks:?}");
}

/// Never before its phase, and not long after
fn assert_in_phase(ticks: &[Duration], number: usize) {
    let off = ticks[number].saturating_sub(ticks[0]).as_micros() % PERIOD.as_micros();
    assert!(!(60_000..=99_000).contains(&off), "{off} us off: {ticks:?}");
}

fn gaps(ticks: &[Duration]) -> Vec<Duration> {
    ticks.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect()
}

/// The one in which the process was stopped
fn longest(gaps: &[Duration]) -> usize {
    let (number, &gap) = gaps.iter().enumerate().max_by_key(|&(_, gap)| gap).unwrap();
    assert!(gap >= 1_000 * MS, "it was never stopped: {gaps:?}");
    number
}

/// When a process ticked that was stopped in between, since it began
fn ticks_of_a_stopped_process(behavior: &str) -> Vec<Duration> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_process_that_is_stopped", "--ignored", "--nocapture"])
        .env(BEHAVIOR, behavior)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    // After a few ticks.
    let mut seen = String::new();
    while seen.matches(TICK).count() < 4 {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "it ended early");
        seen.push_str(&line);
    }
    signal(&child, "STOP");
    thread::sleep(STOPPED);
    signal(&child, "CONT");
    output.read_to_string(&mut seen).unwrap();
    assert!(child.wait().unwrap().success());
    seen.lines()
        .filter_map(|line| line.split_once(TICK))
        .map(|(_, micros)| Duration::from_micros(micros.trim().parse().unwrap()))
        .collect()
}

fn signal(child: &Child, signal: &str) {
    let status =
        Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
    assert!(status.unwrap().success());
}

/// Run by the others
#[test]
#[ignore = "it is the process that is stopped, and nothing by itself"]
fn the_process_that_is_stopped() {
    let behavior = match env::var(BEHAVIOR).as_deref() {
        Ok("skip") => MissedTickBehavior::Skip,
        Ok("delay") => MissedTickBehavior::Delay,
        Ok("burst") => MissedTickBehavior::Burst,
        _ => return,
    };
    multi_thread(1).block_on(async {
        let timer = Timer::new();
        let mut interval = timer.interval(PERIOD);
        interval.set_missed_tick_behavior(behavior);
        let start = Instant::now();
        while start.elapsed() < STOPPED + 12 * PERIOD {
            interval.tick().await;
            println!("{TICK}{}", start.elapsed().as_micros());
        }
    });
}

const BEHAVIOR: &str = "TICKWHEEL_TEST_BEHAVIOR";
const TICK: &str = "tick at ";
