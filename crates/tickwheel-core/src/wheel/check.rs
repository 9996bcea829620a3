use super::Wheel;
use crate::geometry::Slot;

impl<T> Wheel<T> {
    /// Recomputes, slowly, everything the wheel relies on
    ///
    /// For tests: call it after each operation.
    ///
    /// # Panics
    ///
    /// With the number of the invariant that does not hold; `docs/invariants.md`
    /// in the repository lists them.
    pub fn check_invariants(&self) {
        self.store.check();
        self.slots.check(&self.store);
        self.check_places();
        self.check_answers();
    }

    fn check_places(&self) {
        for (key, node) in self.store.iter() {
            let (slot, deadline) = (node.slot, node.deadline);
            if slot == self.due() {
                assert!(
                    deadline <= self.elapsed,
                    "invariant 7: {key:?} is among the due and is not"
                );
                continue;
            }
            assert!(slot != Slot::ASIDE, "invariant 7: {key:?} is aside and nothing is cascading");
            let start = slot.start(self.base());
            assert!(start > self.elapsed, "invariant 8: {key:?} is in a slot that has been passed");
            assert!(start <= deadline, "invariant 9: {key:?} would be visited after its deadline");
            assert!(
                !slot.is_exact() || start == deadline,
                "invariant 10: {key:?} is in a slot of one tick that is not its deadline"
            );
        }
    }

    fn check_answers(&self) {
        let earliest = self.iter().map(|(_, deadline, _)| deadline).min();
        assert_eq!(self.next_deadline(), earliest, "invariant 11: the earliest deadline is found");
        let peeked = self.peek().and_then(|key| self.deadline(key));
        assert!(
            peeked == earliest || peeked.is_some_and(|deadline| deadline <= self.elapsed),
            "invariant 11: what is due, or else the earliest, expires next"
        );
        let Some(earliest) = earliest else {
            assert_eq!(self.next_wake(), None, "invariant 12: an empty wheel asks for no visit");
            return;
        };
        let wake = self.next_wake().expect("invariant 12: a wheel with timers asks for a visit");
        assert!(
            self.idle_until <= wake,
            "invariant 12: it rests no longer than until its next visit"
        );
        if earliest <= self.elapsed {
            assert_eq!(wake, self.elapsed, "invariant 12: what is due is due now");
        } else {
            assert!(
                self.elapsed < wake && wake <= earliest,
                "invariant 12: the next visit lies ahead and not past the earliest deadline"
            );
        }
    }
}
