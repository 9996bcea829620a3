//! Sleeps polled once and dropped on several threads at the same time

use std::{
    hint::black_box,
    pin::pin,
    sync::{Arc, Barrier},
    thread,
};

use tickwheel_benches::poll_once;
use tokio::runtime::Runtime;

use super::{
    crowd::Crowd,
    timing::{LONG, nanos_each},
};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Threads {
    pub(crate) threads: usize,
}

impl Work for Threads {
    const MEASURES: &'static [Measure] = &[Measure::new("each, on each thread", "ns")];

    fn name(&self) -> String {
        let plural = if self.threads == 1 { "" } else { "s" };
        format!("arm + cancel on {} thread{plural}", self.threads)
    }

    fn about(&self) -> &'static str {
        "As many threads do it at the same time; the time of one operation on each of them, in \
         the mean. More threads than cores share them, which takes its time too."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.busy
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>> {
        let crowd = Crowd::armed(&peer, 0);
        Some(Box::new(move || {
            let _armed_meanwhile = &crowd;
            let together = Arc::new(Barrier::new(self.threads));
            let on_one = || {
                let _context = runtime.enter();
                let mut arm = || {
                    assert!(poll_once(pin!(peer.sleep(black_box(LONG)))).is_pending());
                };
                nanos_each(OPERATIONS / 10, &mut arm);
                together.wait();
                nanos_each(OPERATIONS, arm)
            };
            let sum: f64 = thread::scope(|scope| {
                let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(on_one)).collect();
                threads.into_iter().map(|one| one.join().expect("it does not panic")).sum()
            });
            let threads = u32::try_from(self.threads).expect("a few");
            vec![sum / f64::from(threads)]
        }))
    }
}

/// Long enough that new threads are all there for most of it
const OPERATIONS: u32 = 200_000;
