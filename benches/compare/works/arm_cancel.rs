//! A sleep polled once and dropped

use std::{hint::black_box, pin::pin};

use tickwheel_benches::poll_once;
use tokio::runtime::Runtime;

use super::{
    crowd::Crowd,
    spoken,
    timing::{LONG, nanos_each},
};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct ArmCancel {
    pub(crate) others: usize,
}

impl Work for ArmCancel {
    const MEASURES: &'static [Measure] = &[Measure::new("each", "ns")];

    fn name(&self) -> String {
        match self.others {
            0 => "arm + cancel".into(),
            others => format!("arm + cancel among {}", spoken(others)),
        }
    }

    fn about(&self) -> &'static str {
        "A sleep of 13 minutes is made, polled once and dropped, on one thread."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.short
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        let crowd = Crowd::armed(&peer, self.others);
        Some(Box::new(move || {
            let _armed_meanwhile = &crowd;
            vec![nanos_each(OPERATIONS, || {
                assert!(poll_once(pin!(peer.sleep(black_box(LONG)))).is_pending());
            })]
        }))
    }
}

const OPERATIONS: u32 = 10_000;
