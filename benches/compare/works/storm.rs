//! Very many tasks that wait, and are due at one instant or within a second

use std::{
    iter,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tickwheel_benches::{Random, machine::cpu_time, quartiles::quantile};
use tokio::runtime::Runtime;

use super::{
    spoken,
    timing::{EARLIER, lateness, millis},
};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Storm {
    pub(crate) tasks: usize,
    pub(crate) spread: Duration,
}

impl Work for Storm {
    const MEASURES: &'static [Measure] = &[
        Measure::new("lateness p50", "ms"),
        Measure::new("lateness p99", "ms"),
        Measure::new("lateness max", "ms"),
        Measure::new("processor time", "ms"),
    ];

    fn name(&self) -> String {
        let tasks = spoken(self.tasks);
        if self.spread.is_zero() {
            format!("{tasks} due at once")
        } else {
            format!("{tasks} over {:?}", self.spread)
        }
    }

    fn about(&self) -> &'static str {
        "So many tasks on two workers each wait in a sleep, all spawned and armed before. How \
         late each runs, and the processor time of the process until all have run."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.long
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>> {
        Some(Box::new(move || {
            let came = breaks(&peer, runtime, self.tasks, self.spread, Crew::wait_for_all);
            let Some((late, cpu)) = came else { return vec![f64::NAN; 4] };
            let millis = |part| 1e3 * quantile(&late, part);
            vec![millis(0.5), millis(0.99), millis(1.0), cpu]
        }))
    }
}

/// The tasks of a storm
pub(super) struct Crew {
    pub(super) due: Instant,
    last: Instant,
    tasks: usize,
    begun: AtomicUsize,
    done: AtomicUsize,
    late: Box<[AtomicI64]>,
}

impl Crew {
    /// Whether all have run, or have had more than time enough
    pub(super) fn is_over(&self) -> bool {
        self.done.load(Ordering::Relaxed) == self.tasks || self.last.elapsed() > PATIENCE
    }

    /// Returns when all have run
    pub(super) fn wait_for_all(&self) {
        while !self.is_over() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// How late all were, sorted, in seconds; and the processor time in milliseconds
///
/// `meanwhile` is called a little before the storm breaks, and returns when it is over.
/// `None` where some never came.
pub(super) fn breaks<P: Peer>(
    peer: &P,
    runtime: &Runtime,
    tasks: usize,
    spread: Duration,
    mut meanwhile: impl FnMut(&Crew),
) -> Option<(Vec<f64>, f64)> {
    let mut lead = Duration::from_millis(300) + Duration::from_micros(3) * count(tasks);
    loop {
        let crew = spawn(peer, runtime, tasks, spread, lead);
        let time = crew.due.checked_duration_since(Instant::now() + BEFORE);
        // All of it is to be ready before the clock starts.
        let Some(time) = time.filter(|_| crew.begun.load(Ordering::Relaxed) == tasks) else {
            crew.wait_for_all();
            lead *= 2;
            assert!(lead < EARLIER, "arming takes longer than the machine has time for");
            continue;
        };
        thread::sleep(time);
        let before = cpu_time();
        meanwhile(&crew);
        let cpu = cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        if crew.done.load(Ordering::Relaxed) < tasks {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52 nanoseconds")]
        let seconds = |nanos: i64| nanos as f64 / 1e9;
        let late = crew.late.iter().map(|late| seconds(late.load(Ordering::Relaxed)));
        let mut late: Vec<_> = late.collect();
        late.sort_unstable_by(f64::total_cmp);
        return Some((late, millis(cpu)));
    }
}

/// The tasks, once all of them wait
fn spawn<P: Peer>(
    peer: &P,
    runtime: &Runtime,
    tasks: usize,
    spread: Duration,
    lead: Duration,
) -> Arc<Crew> {
    let due = Instant::now() + lead;
    let late = iter::repeat_with(|| AtomicI64::new(0)).take(tasks).collect();
    let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let crew = Arc::new(Crew { due, last: due + spread, tasks, begun, done, late });
    let mut random = Random::new(3);
    let nanos = u64::try_from(spread.as_nanos()).expect("a few seconds").max(1);
    for number in 0..tasks {
        let due = due + Duration::from_nanos(random.below(nanos));
        let (peer, crew) = (peer.clone(), Arc::clone(&crew));
        runtime.spawn(async move {
            let sleep = peer.sleep(due.saturating_duration_since(Instant::now()));
            drop(peer);
            crew.begun.fetch_add(1, Ordering::Relaxed);
            sleep.await;
            #[expect(clippy::cast_possible_truncation, reason = "nanoseconds of some seconds")]
            let late = (1e9 * lateness(due, Instant::now())) as i64;
            crew.late[number].store(late, Ordering::Relaxed);
            crew.done.fetch_add(1, Ordering::Relaxed);
        });
    }
    while crew.begun.load(Ordering::Relaxed) < tasks && Instant::now() < due {
        thread::sleep(Duration::from_millis(1));
    }
    crew
}

fn count(tasks: usize) -> u32 {
    u32::try_from(tasks).expect("a few million")
}

/// When what goes on meanwhile begins
const BEFORE: Duration = Duration::from_millis(20);
/// After this a timer is not late but lost
const PATIENCE: Duration = Duration::from_secs(20);
