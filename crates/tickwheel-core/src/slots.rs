use alloc::boxed::Box;

use crate::{
    geometry::{LISTS, Slot},
    key::Index,
    occupancy::Occupancy,
    store::{Link, Store},
};

/// The lists of timers, one for each slot, first in first out
///
/// Doubly linked by index through the nodes: O(1) to join, leave and walk, and
/// nothing to allocate. What a list is made of is known here alone.
#[derive(Debug)]
pub(crate) struct Slots {
    lists: Box<[List; LISTS]>,
    occupancy: Occupancy,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { lists: Box::new([List::EMPTY; LISTS]), occupancy: Occupancy::EMPTY }
    }

    pub(crate) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    #[inline]
    pub(crate) fn is_empty(&self, slot: Slot) -> bool {
        self.lists[slot.number()].head.is_none()
    }

    #[inline]
    pub(crate) fn head(&self, slot: Slot) -> Option<Index> {
        self.lists[slot.number()].head.map(Index::from)
    }

    /// The last node of a list: what a new one follows
    #[inline]
    pub(crate) fn tail(&self, slot: Slot) -> Link {
        self.lists[slot.number()].tail
    }

    /// Makes a node, filed already as what follows the [`tail`](Self::tail), the end of its list
    #[expect(
        clippy::inline_always,
        reason = "measured: without it, arming and cancelling take a tenth longer"
    )]
    #[inline(always)]
    pub(crate) fn extend<T>(&mut self, store: &mut Store<T>, slot: Slot, index: Index) {
        let list = &mut self.lists[slot.number()];
        if let Some(tail) = list.tail.replace(index.into()) {
            store.node_mut(tail.into()).next = Some(index.into());
        } else {
            list.head = Some(index.into());
            self.occupancy.set(slot);
        }
    }

    /// Moves a node from the list it is filed in to the end of another
    #[inline]
    pub(crate) fn refile<T>(&mut self, store: &mut Store<T>, index: Index, slot: Slot) {
        let node = store.node(index);
        let (from, previous, next) = (node.slot, node.previous, node.next);
        self.close_gap(store, from, previous, next);
        let previous = self.tail(slot);
        let node = store.node_mut(index);
        node.slot = slot;
        node.previous = previous;
        node.next = None;
        self.extend(store, slot, index);
    }

    /// Moves the first node of a list to the end of another
    #[inline]
    pub(crate) fn move_head<T>(
        &mut self,
        store: &mut Store<T>,
        from: Slot,
        index: Index,
        to: Slot,
    ) {
        let node = store.node_mut(index);
        node.slot = to;
        node.previous = self.tail(to);
        let next = node.next.take();
        self.remove_head(store, from, next);
        self.extend(store, to, index);
    }

    /// Joins the neighbours of a node that leaves a list
    #[expect(
        clippy::inline_always,
        reason = "measured: without it, arming and cancelling take a tenth longer"
    )]
    #[inline(always)]
    pub(crate) fn close_gap<T>(
        &mut self,
        store: &mut Store<T>,
        slot: Slot,
        previous: Link,
        next: Link,
    ) {
        let list = &mut self.lists[slot.number()];
        match previous {
            Some(previous) => store.node_mut(previous.into()).next = next,
            None => list.head = next,
        }
        match next {
            Some(next) => store.node_mut(next.into()).previous = previous,
            None => list.tail = previous,
        }
        if list.head.is_none() {
            self.occupancy.clear(slot);
        }
    }

    /// Makes what follows the first node of a list its first, that one being taken out
    #[inline]
    pub(crate) fn remove_head<T>(&mut self, store: &mut Store<T>, slot: Slot, next: Link) {
        let list = &mut self.lists[slot.number()];
        list.head = next;
        if let Some(next) = next {
            store.node_mut(next.into()).previous = None;
        } else {
            list.tail = None;
            self.occupancy.clear(slot);
        }
    }

    /// The nodes of a list, in its order
    pub(crate) fn walk<T>(&self, store: &Store<T>, slot: Slot) -> impl Iterator<Item = Index> {
        core::iter::successors(self.head(slot), |&index| store.node(index).next.map(Index::from))
    }

    pub(crate) fn clear(&mut self) {
        self.lists.fill(List::EMPTY);
        self.occupancy = Occupancy::EMPTY;
    }

    /// Recomputes links and occupancy; panics when they do not agree
    pub(crate) fn check<T>(&self, store: &Store<T>) {
        let mut listed = 0;
        for number in 0..LISTS {
            let (slot, list) = (Slot::new(number), &self.lists[number]);
            let mut previous = None;
            for index in self.walk(store, slot) {
                let node = store.node(index);
                assert_eq!(node.slot, slot, "invariant 4: a node knows the slot it is filed in");
                assert_eq!(node.previous, previous, "invariant 5: links agree in both directions");
                previous = Some(index.into());
                listed += 1;
            }
            assert_eq!(list.tail, previous, "invariant 5: the tail is the last node");
            assert_eq!(
                self.occupancy.contains(slot),
                list.head.is_some(),
                "invariant 6: slot {number} is marked while it holds a node"
            );
        }
        assert_eq!(listed, store.len(), "invariant 4: each node is in one list");
    }
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: Link,
    tail: Link,
}

impl List {
    const EMPTY: Self = Self { head: None, tail: None };
}
