//! A timeout around what is ready at once

use std::hint::black_box;

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

pub(crate) struct ReadyTimeout;

impl Work for ReadyTimeout {
    const MEASURES: &'static [Measure] = &[Measure::new("each", "ns")];

    fn name(&self) -> String {
        "ready timeout".into()
    }

    fn about(&self) -> &'static str {
        "A timeout of 13 minutes around a future that is ready at its first poll."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.short
    }

    fn has_timeouts(&self) -> bool {
        true
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        let crowd = P::TIMES_OUT.then(|| Crowd::armed(&peer, 0))?;
        Some(Box::new(move || {
            let _armed_meanwhile = &crowd;
            vec![nanos_each(OPERATIONS, || assert!(peer.ready_timeout(black_box(LONG))))]
        }))
    }
}

const OPERATIONS: u32 = 20_000;
