//! Time passes, the driver has its turns, and what came of it is compared

use std::time::Duration;

use tickwheel::Lane;
use tickwheel_tests::{
    callbacks::pass,
    durations::{MS, YEAR},
    queue_history::Story,
    runtimes::settle,
};
use tokio::time::{self, Instant};

use super::World;
use crate::state_machine::{
    calls::Standing, log::Event, model::Name, operation::Ending, time::next_tick,
};

impl World {
    /// The driver does all there is to do now
    pub(super) async fn turn(&mut self) {
        let began = Instant::now();
        for _ in 0..ENOUGH {
            settle().await;
            self.replay(began);
            if self.overdue().is_empty() {
                break;
            }
        }
        assert_eq!(self.overdue(), [], "these are lost");
        if let Some(queue) = &self.queue {
            queue.check_wakes();
        }
    }

    pub(super) async fn idle(&mut self, duration: Duration) {
        self.turn().await;
        let began = Instant::now();
        time::sleep(duration).await;
        self.replay(began);
        self.turn().await;
    }

    /// Goes to so many quarters of a millisecond beside this moment, when it is ahead
    pub(super) fn pass_to_about(&self, moment: Instant, beside: i64) {
        let quarters = MS / 4 * u32::try_from(beside.unsigned_abs()).unwrap();
        let until = moment.saturating_duration_since(Instant::now());
        let duration = if beside < 0 {
            until.saturating_sub(quarters)
        } else {
            until.saturating_add(quarters)
        };
        pass(self.not_too_far(duration));
    }

    /// Less, when that would be years, or too many calls of one function
    pub(super) fn not_too_far(&self, duration: Duration) -> Duration {
        let repeating = self.calls.values().filter(|called| called.missed.is_some());
        let shortest = repeating.map(|called| called.delay).min();
        let most = shortest.map_or(YEAR, |period| period.saturating_mul(100));
        duration.min(most).min(YEAR)
    }

    /// Compares what happened since `began` to what had to
    fn replay(&mut self, began: Instant) {
        // Within one moment nothing critical comes after others.
        let mut others_at = None;
        for (at, event) in self.log.take() {
            match event {
                Event::Woken(name, number) => {
                    let waiting = self.futures.get(&name).expect("a dropped future was woken");
                    assert_eq!(number, waiting.waker.number(), "an old waker of {name} was woken");
                    self.fired(name, at, began, &mut others_at);
                }
                Event::Called(name) => {
                    self.fired(name, at, began, &mut others_at);
                }
                Event::Cancelled(name, answer) => self.cancelled(name, answer),
                Event::Armed(name, deadline) => self.armed(name, deadline, at),
                Event::Returned(name) => self.returned(name, at),
                Event::Panics(name) => {
                    self.model.books.callback_panics += 1;
                    self.calls.get_mut(&name).unwrap().standing = Standing::Ended;
                }
            }
        }
    }

    fn fired(&mut self, name: Name, at: Instant, began: Instant, others_at: &mut Option<Instant>) {
        let (lane, tick) = self.model.fire(name, self.timeline.tick_at(at));
        // What tokio's clock had of a millisecond it keeps while it goes from one to the next.
        let latest = self.timeline.latest(tick).expect("it has come");
        let latest = began.max(latest + self.timeline.part_of_a_millisecond(began));
        assert!(at <= latest, "{name} fired {:?} late", at - latest);
        match lane {
            Lane::Normal => *others_at = Some(at),
            Lane::Critical => assert_ne!(*others_at, Some(at), "{name} came after the others"),
        }
    }

    fn returned(&mut self, name: Name, at: Instant) {
        let called = self.calls.get_mut(&name).unwrap();
        let Standing::Armed(scheduled) = called.standing else { return };
        match called.missed {
            Some(missed) => {
                let next = next_tick(missed, scheduled, at, called.delay);
                self.armed(name, next, at);
            }
            None => called.standing = Standing::Ended,
        }
    }

    /// Those that must have fired by now
    fn overdue(&self) -> Vec<Name> {
        let now = Instant::now();
        self.model.due(|tick| self.timeline.has_come(tick, now))
    }

    /// The books are what the model says, whether or not the driver had a turn
    pub(crate) fn check(&self) {
        let metrics = self.timer.metrics();
        let done = metrics.fired + metrics.cancelled;
        assert_eq!(metrics.registered, done + metrics.pending as u64, "the books do not balance");
        assert_eq!(metrics.pending, self.timer.pending());
        for waiting in self.futures.values() {
            assert!(waiting.future.deadline().is_none_or(|deadline| deadline == waiting.deadline));
        }
        if let Some(queue) = &self.queue {
            queue.check_contents();
            let pending = self.model.pending();
            assert!((pending..=pending + queue.most_pending()).contains(&metrics.pending));
            return;
        }
        assert_eq!(metrics.pending, self.model.pending());
        self.model.books.assert_are(&metrics);
        let inspection = self.timer.inspect();
        for shard in inspection.shards() {
            assert_eq!(shard.pending(), self.model.pending_in(shard.lane()), "{:?}", shard.lane());
        }
        for (&name, called) in &self.calls {
            let Some(callback) = self.handles.get(name) else { continue };
            let is_finished = called.standing == Standing::Ended;
            assert_eq!(callback.deadline(), called.standing.deadline());
            assert_eq!(callback.is_finished(), is_finished);
        }
    }

    /// Nothing is left, whichever way it ends
    pub(crate) async fn end(mut self, ending: Ending) {
        match ending {
            Ending::Drop => {}
            Ending::Shutdown => self.shut_down().await,
            Ending::RunOut => {
                let repeating = self.calls.iter().filter(|(_, called)| called.missed.is_some());
                let repeating: Vec<_> = repeating.map(|(&name, _)| name).collect();
                for name in repeating {
                    self.cancel(name);
                }
                self.idle(2 * YEAR).await;
                self.check();
            }
        }
        let wakers = self.queue.as_ref().map(Story::wakers);
        drop(self.queue.take());
        let names: Vec<_> = self.futures.keys().copied().collect();
        for name in names {
            self.drop_future(name);
        }
        let names: Vec<_> = self.calls.keys().copied().collect();
        for name in names {
            if let Some(callback) = self.handles.get(name) {
                callback.cancel();
            }
        }
        self.handles.clear();
        settle().await;
        let metrics = self.timer.metrics();
        assert_eq!((metrics.pending, metrics.registered), (0, metrics.fired + metrics.cancelled));
        assert!(wakers.is_none_or(|wakers| wakers() == 0));
    }

    /// What is armed is given back, and nothing comes any more
    async fn shut_down(&mut self) {
        self.turn().await;
        let unfired = self.timer.shutdown().await;
        let armed = self.calls.values().filter_map(|called| called.standing.deadline());
        let mut callbacks: Vec<_> = armed.collect();
        callbacks.sort_unstable();
        assert!(unfired.callbacks().eq(callbacks.iter().copied()));
        let sleeps = self.model.pending() - callbacks.len();
        let with_queue = sleeps + self.queue.as_ref().map_or(0, Story::most_pending);
        assert!((sleeps..=with_queue).contains(&unfired.sleeps()));
        let mut woken: Vec<_> = self.log.take().into_iter().map(|(_, event)| event).collect();
        woken.retain(|event| matches!(event, Event::Woken(name, _) if self.model.is_armed(*name)));
        assert_eq!(woken.len(), sleeps, "each that waited is told");
        assert_eq!(self.timer.pending(), 0);
        time::sleep(MS).await;
        assert!(self.log.take().is_empty(), "something came after the end");
    }
}

/// Turns until all that is due has fired, if only one timer is fired in each
const ENOUGH: usize = 2_000;
