//! How long arming one timer takes while very many fire

use std::{
    hint::black_box,
    pin::pin,
    time::{Duration, Instant},
};

use tickwheel_benches::{poll_once, quartiles::quantile};
use tokio::runtime::Runtime;

use super::{spoken, storm, timing::LONG};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Arming {
    pub(crate) tasks: usize,
    pub(crate) spread: Duration,
}

impl Work for Arming {
    const MEASURES: &'static [Measure] = &[
        Measure::new("p50", "µs"),
        Measure::new("p99.9", "µs"),
        Measure::new("p99.99", "µs"),
        Measure::without_ratio("control p99.99", "µs"),
    ];

    fn name(&self) -> String {
        let tasks = spoken(self.tasks);
        if self.spread.is_zero() {
            format!("arming while {tasks} fire")
        } else {
            format!("arming while {tasks} fire within {:?}", self.spread)
        }
    }

    fn about(&self) -> &'static str {
        "A third thread arms sleeps all the time while two workers fire so many that are due at \
         once, or move them down and fire them one tick after the other, on two cores or more: what each arming took. The control, a few readings of the \
         clock in between, arms nothing: it shows what the machine alone does to such a thread."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.long
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>> {
        Some(Box::new(move || {
            let (mut armings, mut controls) = (Vec::with_capacity(ROOM), Vec::with_capacity(ROOM));
            let fired = storm::breaks(&peer, runtime, self.tasks, self.spread, |crew| {
                while !crew.is_over() && armings.len() < ROOM {
                    let start = Instant::now();
                    let mut sleep = pin!(peer.sleep(black_box(LONG)));
                    let is_pending = poll_once(sleep.as_mut()).is_pending();
                    let armed = Instant::now();
                    assert!(is_pending);
                    let control = Instant::now();
                    for _ in 0..2 {
                        black_box(Instant::now());
                    }
                    let end = Instant::now();
                    // Before that the storm has not begun.
                    if start >= crew.due {
                        armings.push((armed - start).as_secs_f64());
                        controls.push((end - control).as_secs_f64());
                    }
                }
                crew.wait_for_all();
            });
            if fired.is_none() {
                return vec![f64::NAN; 4];
            }
            for figures in [&mut armings, &mut controls] {
                figures.sort_unstable_by(f64::total_cmp);
            }
            let micros = |figures: &[f64], part| 1e6 * quantile(figures, part);
            vec![
                micros(&armings, 0.5),
                micros(&armings, 0.999),
                micros(&armings, 0.9999),
                micros(&controls, 0.9999),
            ]
        }))
    }
}

/// For so many figures, so that keeping them does not allocate meanwhile
const ROOM: usize = 10_000_000;
