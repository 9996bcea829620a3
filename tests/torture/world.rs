//! What all threads of a run share

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use tickwheel::Metrics;

use crate::{
    books::Books,
    faults::Faults,
    tally::Tally,
    verdict::{Failure, Verdict},
    watchdog::Watchdog,
};

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) verdict: Arc<Verdict>,
    pub(crate) watchdog: Arc<Watchdog>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) books: Arc<Books>,
    pub(crate) tally: Tally,
    is_over: AtomicBool,
}

impl World {
    pub(crate) fn begin(seed: u64) -> Arc<Self> {
        let world = Arc::new(Self {
            seed,
            verdict: Verdict::begin(seed),
            watchdog: Watchdog::begin(seed),
            faults: Arc::default(),
            books: Arc::default(),
            tally: Tally::default(),
            is_over: AtomicBool::new(false),
        });
        let watching = Arc::clone(&world);
        thread::spawn(move || {
            while !watching.is_over() {
                for (scene, metrics) in watching.books.look() {
                    watching.balances(scene, &metrics);
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        world
    }

    /// No more is to be begun
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.verdict.has_failed()
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// A check that fails unless `is_so`
    pub(crate) fn holds(
        &self,
        is_so: bool,
        check: &str,
        scene: &str,
        timer: &dyn fmt::Display,
        expected: &dyn fmt::Display,
        observed: &dyn fmt::Display,
    ) {
        if !is_so {
            self.verdict.fail(&Failure { check, scene, timer, expected, observed });
        }
    }

    /// `registered` is what has become of them
    pub(crate) fn balances(&self, scene: &str, metrics: &Metrics) {
        let Metrics { registered, fired, cancelled, pending, .. } = metrics;
        let sum = fired + cancelled + *pending as u64;
        self.holds(
            *registered == sum,
            "books balance",
            scene,
            &"all",
            &format_args!("registered {registered}"),
            &format_args!("fired {fired} + cancelled {cancelled} + pending {pending} = {sum}"),
        );
    }
}
