//! Whether everything held so far

use std::{
    any::Any,
    fmt,
    panic::{self, panic_any},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Reports what did not hold, and remembers that something did not
#[derive(Debug)]
pub(crate) struct Verdict {
    seed: u64,
    has_failed: AtomicBool,
}

/// What did not hold
pub(crate) struct Failure<'a> {
    pub(crate) check: &'a str,
    pub(crate) scene: &'a str,
    pub(crate) timer: &'a dyn fmt::Display,
    pub(crate) expected: &'a dyn fmt::Display,
    pub(crate) observed: &'a dyn fmt::Display,
}

impl Verdict {
    /// From now on any panic that is not [`planned`] is a failure, too
    pub(crate) fn begin(seed: u64) -> Arc<Self> {
        let verdict = Arc::new(Self { seed, has_failed: AtomicBool::new(false) });
        let (watching, before) = (Arc::clone(&verdict), panic::take_hook());
        panic::set_hook(Box::new(move |info| {
            if !is_planned(info.payload()) {
                before(info);
                watching.fail(&Failure {
                    check: "nothing panics by itself",
                    scene: "see above",
                    timer: &"unknown",
                    expected: &"no panic",
                    observed: &info,
                });
            }
        }));
        verdict
    }

    pub(crate) fn fail(&self, failure: &Failure<'_>) {
        let Failure { check, scene, timer, expected, observed } = failure;
        self.has_failed.store(true, Ordering::SeqCst);
        eprintln!(
            "\nFAILED    {check}\n  seed     {}\n  scene    {scene}\n  timer    {timer}\n  \
             expected {expected}\n  observed {observed}",
            self.seed
        );
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }
}

/// A panic that belongs to a scene
pub(crate) fn planned() -> ! {
    panic_any(Planned)
}

pub(crate) fn is_planned(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Planned>()
}

struct Planned;
