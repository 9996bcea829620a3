use std::sync::{Arc, Weak};

use tickwheel_core::Tick;

use super::log::Log;
#[cfg(feature = "metrics")]
use super::publishing::Publishing;
use crate::{
    at_work::AtWork,
    bell::Bell,
    budget::Budget,
    clock::{Clock, Now},
    lane::Lane,
    shard::{PIECE, Shard},
};

/// One look at all shards after the other, again and again
#[derive(Debug)]
pub(super) struct Turns {
    shards: Vec<Weak<Shard>>,
    /// Those that somebody uses, for the time of a turn
    here: Vec<Arc<Shard>>,
    clock: Clock,
    bell: Arc<Bell>,
    budget: Budget,
    /// Where to look first: past the one visited last, or a storm in one shard would keep the
    /// driver from all others
    begin_at: usize,
    log: Log,
    #[cfg(feature = "metrics")]
    publishing: Publishing,
}

/// How a turn ended
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The budget is used up; there is more to do
    CutShort {
        /// Whether there are tasks that wait for their turn
        has_woken: bool,
    },
    /// All is fired that is due; a turn is wanted then
    Done(Option<Tick>),
    /// Nobody is left to serve
    Over,
}

impl Turns {
    pub(super) fn new(
        shards: &[Arc<Shard>],
        clock: Clock,
        budget: Budget,
        bell: Arc<Bell>,
        name: &str,
    ) -> Self {
        Self {
            shards: shards.iter().map(Arc::downgrade).collect(),
            here: Vec::with_capacity(shards.len()),
            clock,
            bell,
            budget,
            begin_at: 0,
            log: Log::begin(name.into()),
            #[cfg(feature = "metrics")]
            publishing: Publishing::new(shards.len(), budget),
        }
    }

    /// Fires what is due, within the budget
    pub(super) fn turn(&mut self) -> Turn {
        self.here.extend(self.shards.iter().filter_map(Weak::upgrade));
        let turn = self.turn_over_those_here();
        self.here.clear();
        turn
    }

    fn turn_over_those_here(&mut self) -> Turn {
        let Some(first) = self.here.first() else { return Turn::Over };
        let closing = &first.service.closing;
        let mut now = self.now();
        let mut rest = self.budget.begin(now.instant);
        let _at_work = AtWork::begin(&self.bell, now.instant, rest.until);
        if closing.has_begun() {
            while closing.drain_some(&self.here) {
                rest.timers = rest.timers.saturating_sub(PIECE);
                if rest.is_used_up(self.clock.now()) {
                    return Turn::CutShort { has_woken: true };
                }
            }
            return Turn::Over;
        }
        let (mut latest, mut fired) = (0, 0);
        let turn = loop {
            let Some(place) = self.next_due(now.tick) else {
                let next = self.here.iter().map(|shard| shard.visit_by()).min();
                break Turn::Done(next.filter(|&next| next != Tick::MAX));
            };
            if rest.is_used_up(now.instant) {
                break Turn::CutShort { has_woken: fired > AtWork::callbacks() };
            }
            let visit = self.here[place].visit(now, rest.timers);
            self.begin_at = place + 1;
            latest = latest.max(visit.latest);
            fired += visit.fired;
            rest.timers -= visit.steps;
            now = self.now();
            AtWork::goes_on(now.instant);
        };
        self.log.turn(matches!(turn, Turn::CutShort { .. }), latest, now.instant);
        #[cfg(feature = "metrics")]
        self.publishing.turn(&self.here, now.instant);
        turn
    }

    /// A shard that wants to be visited by now: one of the critical lane if there is any
    fn next_due(&self, now: Tick) -> Option<usize> {
        let is_due = |&place: &usize| self.here[place].visit_by() <= now;
        let normal = self.here.partition_point(|shard| shard.lane == Lane::Critical);
        let begin_at = self.begin_at.min(self.here.len());
        let [mut critical, mut others] = [0..normal, normal..self.here.len()].map(|lane| {
            let middle = begin_at.clamp(lane.start, lane.end);
            (middle..lane.end).chain(lane.start..middle)
        });
        critical.find(is_due).or_else(|| others.find(is_due))
    }

    fn now(&self) -> Now {
        self.clock.read(self.clock.now())
    }

    /// The last of all turns: ends whatever is armed
    pub(super) fn end(&mut self) {
        self.here.extend(self.shards.iter().filter_map(Weak::upgrade));
        if let Some(first) = self.here.first() {
            let closing = &first.service.closing;
            closing.begin(false, &self.here);
            while closing.drain_some(&self.here) {}
        }
        #[cfg(feature = "metrics")]
        self.publishing.end(&self.here);
        self.here.clear();
        self.log.end();
    }
}
