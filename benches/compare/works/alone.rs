//! What very many timers that are far away cost, in a process of their own
//!
//! Other timers' threads would be counted as well, and memory that others have used
//! before would not.

use std::{env, process::Command, thread, time::Duration};

use tickwheel_benches::{
    Random,
    machine::{cpu_time, resident_bytes, sleeps_of_threads},
    poll_once,
};
use tokio::runtime::Runtime;

use super::{spoken, timing::millis};
use crate::{
    arena::two_workers,
    entrants,
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Alone {
    pub(crate) timers: usize,
    pub(crate) seconds: u64,
}

impl Work for Alone {
    const MEASURES: &'static [Measure] = FIGURES;

    fn name(&self) -> String {
        format!("{} an hour away", spoken(self.timers))
    }

    fn about(&self) -> &'static str {
        "So many sleeps, boxed, are armed for half an hour to an hour from now, in a process \
         that does nothing else. How often its threads go to sleep again and what processor time \
         they take meanwhile; the memory that has become resident for each, and how much of that \
         is the future in its box. pingora-timeout hands timers so far away to tokio."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.long
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        let name = peer.name();
        Some(Box::new(move || {
            let output = Command::new(env::current_exe().expect("this program is a file"))
                .args(["--alone", &name])
                .args(["--timers", &self.timers.to_string()])
                .args(["--seconds", &self.seconds.to_string()])
                .output()
                .expect("this program runs");
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} by itself ended with: {text}");
            let figures = String::from_utf8_lossy(&output.stdout);
            let figures: Vec<_> =
                figures.split_whitespace().map(|figure| figure.parse().expect("numbers")).collect();
            assert_eq!(figures.len(), FIGURES.len());
            figures
        }))
    }
}

/// Measures one in this process, and prints what [`Alone`] reads
pub(crate) fn tell(name: &str, timers: usize, seconds: u64) {
    let runtime = two_workers();
    let _context = runtime.enter();
    let work = InHere { timers, seconds };
    let mut staged = entrants::staged(&work, &runtime, Some(name));
    let (_, round) = staged.first_mut().expect("the name was one of the field's");
    for figure in round() {
        println!("{figure}");
    }
}

struct InHere {
    timers: usize,
    seconds: u64,
}

impl Work for InHere {
    const MEASURES: &'static [Measure] = FIGURES;

    fn name(&self) -> String {
        "in here".into()
    }

    fn about(&self) -> &'static str {
        ""
    }

    fn rounds(&self, _scale: &Scale) -> usize {
        1
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        Some(Box::new(move || {
            let mut random = Random::new(9);
            let mut sleeps = Vec::with_capacity(self.timers);
            let before = resident_bytes();
            for _ in 0..self.timers {
                let delay = Duration::from_millis(1_800_000 + random.below(1_800_000));
                let mut sleep = Box::pin(peer.sleep(delay));
                assert!(poll_once(sleep.as_mut()).is_pending());
                sleeps.push(sleep);
            }
            let after = resident_bytes();
            // What arming has set off is over then.
            thread::sleep(Duration::from_millis(500));
            let (slept, cpu) = (sleeps_of_threads(), cpu_time());
            thread::sleep(Duration::from_secs(self.seconds));
            let cpu = cpu_time().zip(cpu).map(|(after, before)| after.saturating_sub(before));
            let slept =
                sleeps_of_threads().zip(slept).map(|(after, before)| after.saturating_sub(before));
            let each = |whole: Option<u64>, parts: u64| {
                #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                whole.map_or(f64::NAN, |whole| whole as f64 / parts as f64)
            };
            let bytes = after.zip(before).map(|(after, before)| after.saturating_sub(before));
            vec![
                // Less the one sleep of this thread.
                each(slept.map(|slept| slept.saturating_sub(1)), self.seconds),
                millis(cpu) / each(Some(self.seconds), 1),
                // The list of boxes was allocated before, and becomes resident meanwhile.
                each(bytes, self.timers as u64) - each(Some(size_of::<usize>() as u64), 1),
                each(Some(size_of::<P::Sleep>() as u64), 1),
            ]
        }))
    }
}

const FIGURES: &[Measure] = &[
    Measure::without_ratio("wake-ups a second", ""),
    Measure::without_ratio("processor time a second", "ms"),
    Measure::new("memory of each", "bytes"),
    Measure::without_ratio("of which the future", "bytes"),
];
