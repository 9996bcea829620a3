//! Any one of many replaced

use tokio::runtime::Runtime;

use super::{crowd::Crowd, spoken, timing::nanos_each};
use crate::{
    peer::Peer,
    scale::Scale,
    work::{Measure, Round, Work},
};

pub(crate) struct Random {
    pub(crate) live: usize,
}

impl Work for Random {
    const MEASURES: &'static [Measure] = &[Measure::new("each", "ns")];

    fn name(&self) -> String {
        format!("random cancel + arm among {}", spoken(self.live))
    }

    fn about(&self) -> &'static str {
        "Any one of so many armed sleeps is dropped, and another armed in the same place; half \
         as often before the clock starts, as the others' turns have emptied the caches."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.short
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        let mut crowd = Crowd::armed(&peer, self.live);
        Some(Box::new(move || {
            nanos_each(OPERATIONS / 2, || crowd.replace_one());
            vec![nanos_each(OPERATIONS, || crowd.replace_one())]
        }))
    }
}

const OPERATIONS: u32 = 20_000;
