use std::task::Waker;

use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// How the driver is called to its shards
///
/// Whoever arms a timer earlier than the driver's next visit rings, at once or
/// through the alarm; the driver answers with a visit to every shard.
#[derive(Debug)]
pub(crate) struct Bell {
    /// Set while a ring waits for its answer, and while the clock is virtual:
    /// futures then look at the clock themselves.
    unanswered: AtomicBool,
    driver: Mutex<Option<Waker>>,
    answers: AtomicU64,
    cut_short: AtomicU64,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Self {
            unanswered: AtomicBool::new(true),
            driver: Mutex::new(None),
            answers: AtomicU64::new(0),
            cut_short: AtomicU64::new(0),
        }
    }

    /// Calls the driver now
    pub(crate) fn ring(&self) {
        self.unanswered.store(true, Ordering::Release);
        let driver = self.driver.lock().clone();
        if let Some(driver) = driver {
            driver.wake();
        }
    }

    /// The driver is here, and will look at every shard after this
    ///
    /// Or back, after it left with work undone: that is no answer.
    pub(crate) fn answer(&self, driver: &Waker, is_back: bool) {
        {
            let mut known = self.driver.lock();
            if !known.as_ref().is_some_and(|known| known.will_wake(driver)) {
                *known = Some(driver.clone());
            }
        }
        self.answers.fetch_add(u64::from(!is_back), Ordering::Relaxed);
        // A ring after this wakes the driver again; one before it is answered by the visit.
        self.unanswered.store(false, Ordering::Release);
    }

    /// The driver's budget has ended its turn
    pub(crate) fn is_cut_short(&self) {
        self.cut_short.fetch_add(1, Ordering::Relaxed);
    }

    /// The driver leaves with work undone, or cannot be told when time passes
    pub(crate) fn keep_watching(&self) {
        self.unanswered.store(true, Ordering::Release);
    }

    /// Whether a future should look at the clock rather than trust that it will be woken in time
    pub(crate) fn is_unanswered(&self) -> bool {
        self.unanswered.load(Ordering::Acquire)
    }

    /// How often the driver has come
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// How often its budget has ended a turn
    pub(crate) fn cuts(&self) -> u64 {
        self.cut_short.load(Ordering::Relaxed)
    }

    /// The driver is gone for good
    pub(crate) fn remove(&self) {
        self.unanswered.store(true, Ordering::Release);
        let driver = self.driver.lock().take();
        drop(driver);
    }
}
