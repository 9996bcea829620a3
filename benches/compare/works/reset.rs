//! An armed sleep moved again and again

use std::time::Duration;

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

#[derive(Clone, Copy)]
pub(crate) enum Reset {
    Later,
    Earlier,
}

impl Work for Reset {
    const MEASURES: &'static [Measure] = &[Measure::new("each", "ns")];

    fn name(&self) -> String {
        match self {
            Self::Later => "reset to later".into(),
            Self::Earlier => "reset to earlier".into(),
        }
    }

    fn about(&self) -> &'static str {
        "An armed sleep moved by a millisecond each time, the reading of the clock included."
    }

    fn rounds(&self, scale: &Scale) -> usize {
        scale.short
    }

    fn stage<'a, P: Peer>(&'a self, peer: P, _runtime: &'a Runtime) -> Option<Round<'a>> {
        let crowd = P::RESETS.then(|| Crowd::armed(&peer, 0))?;
        let mut sleep = Box::pin(peer.sleep(LONG));
        assert!(poll_once(sleep.as_mut()).is_pending());
        let step = Duration::from_millis(1);
        Some(Box::new(move || {
            let _armed_meanwhile = &crowd;
            let mut delay = match self {
                Self::Later => LONG,
                Self::Earlier => LONG + step * OPERATIONS,
            };
            P::reset(sleep.as_mut(), delay);
            vec![nanos_each(OPERATIONS, || {
                delay = match self {
                    Self::Later => delay + step,
                    Self::Earlier => delay.saturating_sub(step),
                };
                P::reset(sleep.as_mut(), delay);
            })]
        }))
    }
}

const OPERATIONS: u32 = 10_000;
