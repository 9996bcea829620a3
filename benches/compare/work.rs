//! What is done by all, and what is measured of it

use tokio::runtime::Runtime;

use crate::{peer::Peer, scale::Scale};

/// A piece of work that each peer does in each round
pub(crate) trait Work {
    /// What comes out of a round
    const MEASURES: &'static [Measure];

    /// Its name, short
    fn name(&self) -> String;

    /// What happens in a round, for a reader of the table
    fn about(&self) -> &'static str;

    /// How many rounds there are
    fn rounds(&self, scale: &Scale) -> usize;

    /// Whether timeouts that are lazy are something else here
    fn has_timeouts(&self) -> bool {
        false
    }

    /// Prepares a peer's rounds; `None` where it has no such thing
    fn stage<'a, P: Peer>(&'a self, peer: P, runtime: &'a Runtime) -> Option<Round<'a>>;
}

/// A figure for each of the work's measures; not a number where none came out
pub(crate) type Round<'a> = Box<dyn FnMut() -> Vec<f64> + 'a>;

/// Something measured
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    /// Whether its ratio says something: of what may be zero or less it does not
    pub(crate) has_ratio: bool,
}

impl Measure {
    pub(crate) const fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, has_ratio: true }
    }

    pub(crate) const fn without_ratio(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, has_ratio: false }
    }
}
