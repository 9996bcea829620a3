//! Sleeps that somebody waits for, each with a waker of its own

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Poll, Wake, Waker},
    time::{Duration, Instant},
};

use tickwheel::{Timer, TimerError, TrySleep};
use tickwheel_tests::{durations::HOUR, waker::poll_with};

use crate::{scene::Scene, verdict::planned};

/// Armed sleeps
#[derive(Debug, Default)]
pub(crate) struct Crowd(Vec<Member>);

#[derive(Debug)]
pub(crate) struct Member {
    sleep: TrySleep,
    probe: Arc<Probe>,
}

/// Notes when it is woken, and then does what wakers may do
#[derive(Debug)]
pub(crate) struct Probe {
    woken: Mutex<Option<Instant>>,
    is_woken: Condvar,
    timer: Option<Timer>,
    panics: bool,
}

/// How a crowd came to its end
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    pub(crate) fired: usize,
    pub(crate) shut_down: usize,
}

impl Crowd {
    /// So many, the last one due after `longest`
    pub(crate) fn arm(
        scene: &mut Scene<'_>,
        timer: &Timer,
        count: usize,
        longest: Duration,
    ) -> Self {
        let mut crowd = Self::default();
        for _ in 0..count {
            let delay = scene.micros(0, u64::try_from(longest.as_micros()).unwrap_or(u64::MAX));
            let probing = scene.is_one_in(8).then(|| timer.clone());
            crowd.add(scene, timer, delay, Probe::new(probing, false));
        }
        crowd
    }

    pub(crate) fn add(
        &mut self,
        scene: &mut Scene<'_>,
        timer: &Timer,
        delay: Duration,
        probe: Arc<Probe>,
    ) {
        let timer = if scene.is_one_in(8) { timer.critical() } else { timer.clone() };
        let mut member = Member { sleep: timer.try_sleep(delay), probe };
        // One that is ready at once, or refused, is asked again in the end.
        if member.poll().is_ready() {
            member.probe.note();
        }
        self.0.push(member);
    }

    /// Drops each so many-th
    pub(crate) fn cancel_some(&mut self, scene: &mut Scene<'_>) {
        let often = scene.between(2, 5);
        self.0.retain(|_| scene.random.below(often) > 0);
    }

    /// Waits for all of them: none is early, none is lost
    pub(crate) fn finish(self, scene: &Scene<'_>, timer: &Timer) -> Ends {
        let mut ends = Ends::default();
        for Member { mut sleep, probe } in self.0 {
            let deadline = sleep.deadline().into_std();
            let woken = {
                let late = Instant::now().saturating_duration_since(deadline);
                let _wait =
                    scene.wait(format_args!("a sleep, due {late:?} ago when it was waited for"));
                probe.wait()
            };
            match poll_with(&mut sleep, Waker::noop()) {
                Poll::Ready(Ok(())) => {
                    ends.fired += 1;
                    // The end of its timer may wake one before its time, which comes until it is asked.
                    let seen = if timer.is_shutdown() { Instant::now() } else { woken };
                    scene.holds(
                        deadline <= seen,
                        "never early",
                        &"sleep",
                        &"ready at its deadline",
                        &format_args!("{:?} before", deadline.saturating_duration_since(seen)),
                    );
                }
                Poll::Ready(Err(TimerError::ShutDown)) => ends.shut_down += 1,
                other => scene.holds(
                    false,
                    "never lost",
                    &"sleep",
                    &"ready when it is woken",
                    &format_args!("{other:?}"),
                ),
            }
        }
        ends
    }
}

impl Member {
    fn poll(&mut self) -> Poll<Result<(), TimerError>> {
        let waker = Waker::from(Arc::clone(&self.probe));
        poll_with(&mut self.sleep, &waker)
    }
}

impl Probe {
    /// One that asks this timer something when it is woken or dropped; a lock would be in its way
    pub(crate) fn new(timer: Option<Timer>, panics: bool) -> Arc<Self> {
        Arc::new(Self { woken: Mutex::default(), is_woken: Condvar::new(), timer, panics })
    }

    fn note(&self) {
        self.lock().get_or_insert_with(Instant::now);
        self.is_woken.notify_all();
    }

    fn wait(&self) -> Instant {
        let woken = self.is_woken.wait_while(self.lock(), |woken| woken.is_none());
        woken.unwrap_or_else(PoisonError::into_inner).expect("it was waited for")
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn use_timer(&self) {
        if let Some(timer) = &self.timer {
            let _ = timer.pending();
            let mut sleep = timer.try_sleep(HOUR);
            let _ = poll_with(&mut sleep, Waker::noop());
        }
    }
}

impl Wake for Probe {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.note();
        self.use_timer();
        if self.panics {
            planned();
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.use_timer();
    }
}
