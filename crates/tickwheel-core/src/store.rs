use alloc::vec::Vec;

use slab::Slab;

use crate::{
    Tick, TimerKey,
    geometry::Slot,
    key::{Generation, Index},
};

/// One armed timer, and its place in the list it is filed in
#[derive(Debug)]
pub(crate) struct Node<T> {
    pub(crate) value: T,
    /// As asked: it may be past, and later than its slot when it was extended in place
    pub(crate) deadline: Tick,
    pub(crate) generation: Generation,
    pub(crate) slot: Slot,
    pub(crate) previous: Link,
    pub(crate) next: Link,
}

/// A neighbour in a list
pub(crate) type Link = Option<LinkIndex>;

/// Where nodes live: slabs of a fixed size, so that growing moves no node
///
/// One slab for everything would copy itself at each doubling, a long time for
/// the one insert that meets it, and could give nothing back while a node lives
/// at its end. Chunks do neither. The lowest chunk with room is filled first, so
/// that the higher ones can empty and be dropped.
///
/// slab forgets a vacated place, so the guard against its reuse must come from
/// elsewhere: each chunk counts the generations it has given out. No two nodes
/// of one chunk share one; a chunk that has used them up takes no more nodes.
#[derive(Debug)]
pub(crate) struct Store<T> {
    chunks: Vec<Chunk<T>>,
    /// A bit for each chunk: set while it takes nodes without allocating
    open: Vec<u64>,
    /// The lowest chunk that does; `chunks.len()` when none does
    lowest_open: usize,
    len: usize,
}

impl<T> Store<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new(), open: Vec::new(), lowest_open: 0, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many nodes fit without allocating
    pub(crate) fn capacity(&self) -> usize {
        self.chunks.iter().map(Chunk::capacity).sum()
    }

    /// Takes in a node that follows `previous` in a slot's list
    #[expect(clippy::inline_always, reason = "measured: a call copies the whole node twice")]
    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        value: T,
        deadline: Tick,
        slot: Slot,
        previous: Link,
    ) -> TimerKey {
        if self.lowest_open == self.chunks.len() {
            self.grow();
        }
        let number = self.lowest_open;
        let chunk = &mut self.chunks[number];
        let generation = chunk.take_generation();
        let node = Node { value, deadline, generation, slot, previous, next: None };
        let offset = chunk.nodes.insert(node);
        if !chunk.is_open() {
            self.close(number);
        }
        self.len += 1;
        TimerKey::new(join(number, offset), generation)
    }

    /// The node of a key, unless the key is stale
    #[inline]
    pub(crate) fn get(&self, key: TimerKey) -> Option<&Node<T>> {
        let (chunk, offset) = split(key.index());
        let node = self.chunks.get(chunk)?.nodes.get(offset)?;
        (node.generation == key.generation()).then_some(node)
    }

    /// The node of a key, unless the key is stale
    #[inline]
    pub(crate) fn get_mut(&mut self, key: TimerKey) -> Option<&mut Node<T>> {
        let (chunk, offset) = split(key.index());
        let node = self.chunks.get_mut(chunk)?.nodes.get_mut(offset)?;
        (node.generation == key.generation()).then_some(node)
    }

    /// The node at a place that some list refers to
    #[inline]
    pub(crate) fn node(&self, index: Index) -> &Node<T> {
        let (chunk, offset) = split(index);
        self.chunks[chunk].nodes.get(offset).expect(LISTED)
    }

    /// What precedes a node in a slot's list, if at that place there is such a node at all
    #[inline]
    pub(crate) fn before(&self, link: LinkIndex, slot: Slot) -> Link {
        let (chunk, offset) = split(link.into());
        let node = self.chunks.get(chunk)?.nodes.get(offset)?;
        if node.slot == slot { node.previous } else { None }
    }

    /// The node at a place that some list refers to
    #[inline]
    pub(crate) fn node_mut(&mut self, index: Index) -> &mut Node<T> {
        let (chunk, offset) = split(index);
        self.chunks[chunk].nodes.get_mut(offset).expect(LISTED)
    }

    /// Takes out the node of a key, unless the key is stale; its list still refers to it
    #[expect(clippy::inline_always, reason = "measured: a call copies the whole node twice")]
    #[inline(always)]
    pub(crate) fn remove(&mut self, key: TimerKey) -> Option<Node<T>> {
        self.get(key)?;
        Some(self.remove_listed(key.index()))
    }

    /// Takes out the node at a place that some list refers to, and still does
    #[expect(clippy::inline_always, reason = "measured: a call copies the whole node twice")]
    #[inline(always)]
    pub(crate) fn remove_listed(&mut self, index: Index) -> Node<T> {
        let (number, offset) = split(index);
        let chunk = &mut self.chunks[number];
        let was_open = chunk.is_open();
        let node = chunk.nodes.try_remove(offset).expect(LISTED);
        if !was_open {
            self.find_use_for(number);
        }
        self.len -= 1;
        node
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (TimerKey, &Node<T>)> {
        (0..self.chunk_count()).flat_map(|number| self.iter_chunk(number))
    }

    /// The nodes of one chunk; none of a number that no chunk has
    pub(crate) fn iter_chunk(&self, number: usize) -> impl Iterator<Item = (TimerKey, &Node<T>)> {
        self.chunks.get(number).into_iter().flat_map(move |chunk| {
            chunk.nodes.iter().map(move |(offset, node)| {
                (TimerKey::new(join(number, offset), node.generation), node)
            })
        })
    }

    pub(crate) fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Drops all nodes and keeps their room
    pub(crate) fn clear(&mut self) {
        // A value's drop may panic, so the store is whole and empty before the first.
        let old: Vec<_> =
            self.chunks.iter_mut().map(|chunk| core::mem::take(&mut chunk.nodes)).collect();
        let capacities: Vec<_> = old.iter().map(Slab::capacity).collect();
        self.len = 0;
        self.find_open_chunks();
        drop(old);
        for (chunk, capacity) in self.chunks.iter_mut().zip(capacities) {
            chunk.nodes.reserve_exact(capacity);
        }
        self.find_open_chunks();
    }

    /// Makes room for this many more nodes
    #[track_caller]
    pub(crate) fn reserve(&mut self, additional: usize) {
        let mut missing = additional.saturating_sub(self.capacity() - self.len);
        let most = (MAX_CHUNKS - self.chunks.len()).saturating_mul(CHUNK);
        let growing: usize = self.chunks.iter().map(Chunk::growth).sum();
        assert!(
            missing <= most.saturating_add(growing),
            "capacity overflow: no wheel has room for {additional} more timers"
        );
        for chunk in &mut self.chunks {
            missing -= chunk.grow(missing);
        }
        while missing > 0 {
            let number = self.push_chunk(Chunk::empty());
            missing -= self.chunks[number].grow(missing);
        }
        self.find_open_chunks();
    }

    /// Gives back the room that no live node stands in the way of
    pub(crate) fn shrink_to_fit(&mut self) {
        for chunk in &mut self.chunks {
            if chunk.nodes.is_empty() {
                // The chunk stays, to remember which generations it has given out.
                chunk.nodes = Slab::new();
            } else {
                chunk.nodes.shrink_to_fit();
            }
        }
        self.find_open_chunks();
    }

    /// Makes room, since there is none
    #[cold]
    fn grow(&mut self) {
        let growing = self.chunks.iter().position(Chunk::can_grow);
        let number = growing.unwrap_or_else(|| self.push_chunk(Chunk::empty()));
        let chunk = &mut self.chunks[number];
        // The first doubles, since most wheels stay small. With thousands of
        // timers a whole chunk is no waste.
        let more = if number == 0 { chunk.capacity().max(4) } else { CHUNK };
        chunk.grow(more);
        self.reopen(number);
    }

    /// Adds a chunk; which is the lowest open one is for the caller to find out, once it has room
    fn push_chunk(&mut self, chunk: Chunk<T>) -> usize {
        let number = self.chunks.len();
        assert!(
            number < MAX_CHUNKS,
            "no place is left: {MAX_CHUNKS} chunks of timers are in use or used up"
        );
        self.chunks.push(chunk);
        self.open.resize(self.chunks.len().div_ceil(BITS), 0);
        number
    }

    /// After a node left a chunk that took no more
    #[cold]
    fn find_use_for(&mut self, number: usize) {
        let chunk = &mut self.chunks[number];
        if chunk.is_open() {
            self.reopen(number);
        } else if chunk.nodes.is_empty() {
            // Its generations are used up and so is it.
            chunk.nodes = Slab::new();
        }
    }

    fn reopen(&mut self, number: usize) {
        self.open[number / BITS] |= 1 << (number % BITS);
        self.lowest_open = self.lowest_open.min(number);
    }

    #[cold]
    fn close(&mut self, number: usize) {
        self.open[number / BITS] &= !(1 << (number % BITS));
        let first = number / BITS;
        self.lowest_open = self.open[first..]
            .iter()
            .zip(first..)
            .find(|&(&bits, _)| bits != 0)
            .map_or(self.chunks.len(), |(&bits, word)| {
                word * BITS + bits.trailing_zeros() as usize
            });
    }

    fn find_open_chunks(&mut self) {
        self.open.fill(0);
        for (number, _) in self.chunks.iter().enumerate().filter(|(_, chunk)| chunk.is_open()) {
            self.open[number / BITS] |= 1 << (number % BITS);
        }
        self.lowest_open = self.chunks.iter().position(Chunk::is_open).unwrap_or(self.chunks.len());
    }

    /// Recomputes what [`Store`] keeps in step; panics when it does not agree
    pub(crate) fn check(&self) {
        let nodes: usize = self.chunks.iter().map(|chunk| chunk.nodes.len()).sum();
        assert_eq!(nodes, self.len, "invariant 1: the count is the number of nodes");
        for (number, chunk) in self.chunks.iter().enumerate() {
            let open = self.open[number / BITS] & (1 << (number % BITS)) != 0;
            assert_eq!(
                open,
                chunk.is_open(),
                "invariant 2: chunk {number} is open while it has room"
            );
            assert!(
                chunk.nodes.iter().all(|(_, node)| chunk
                    .next_generation
                    .is_none_or(|next| node.generation < next)),
                "invariant 3: chunk {number} gives out larger generations than it holds"
            );
        }
        let lowest = self.chunks.iter().position(Chunk::is_open).unwrap_or(self.chunks.len());
        assert_eq!(lowest, self.lowest_open, "invariant 2: the lowest open chunk is known");
    }
}

#[derive(Debug)]
struct Chunk<T> {
    nodes: Slab<Node<T>>,
    /// `None` when all have been given out
    next_generation: Option<Generation>,
}

impl<T> Chunk<T> {
    fn empty() -> Self {
        Self { nodes: Slab::new(), next_generation: Some(Generation::FIRST) }
    }

    #[inline]
    fn is_open(&self) -> bool {
        self.nodes.len() < self.capacity()
    }

    fn can_grow(&self) -> bool {
        self.next_generation.is_some() && self.nodes.capacity() < CHUNK
    }

    #[inline]
    fn take_generation(&mut self) -> Generation {
        let generation =
            self.next_generation.expect("only a chunk that has generations left is open");
        self.next_generation = generation.next();
        generation
    }

    /// Nodes it holds or could take without allocating
    #[inline]
    fn capacity(&self) -> usize {
        match self.next_generation {
            Some(_) => self.nodes.capacity().min(CHUNK),
            None => self.nodes.len(),
        }
    }

    /// How many more nodes it can make room for
    fn growth(&self) -> usize {
        if self.can_grow() { CHUNK - self.capacity() } else { 0 }
    }

    /// Makes room for `additional` more nodes, as far as a chunk goes; says how many it was
    fn grow(&mut self, additional: usize) -> usize {
        if !self.can_grow() {
            return 0;
        }
        let before = self.capacity();
        let wanted = CHUNK.min(before.saturating_add(additional));
        self.nodes.reserve_exact(wanted - self.nodes.len());
        self.capacity() - before
    }
}

/// A place that a list refers to: an [`Index`] for which `Option` needs no extra room
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkIndex(core::num::NonZeroU32);

impl From<Index> for LinkIndex {
    fn from(index: Index) -> Self {
        Self(
            core::num::NonZeroU32::new(index.get() + 1)
                .expect("no index is u32::MAX: MAX_CHUNKS stops before"),
        )
    }
}

impl From<LinkIndex> for Index {
    fn from(link: LinkIndex) -> Self {
        Self::new(link.0.get() - 1)
    }
}

#[inline]
fn join(chunk: usize, offset: usize) -> Index {
    debug_assert!(chunk < MAX_CHUNKS && offset < CHUNK);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "fewer than MAX_CHUNKS chunks of CHUNK places are fewer than 2^32"
    )]
    Index::new((chunk * CHUNK + offset) as u32)
}

#[inline]
fn split(index: Index) -> (usize, usize) {
    let index = index.get() as usize;
    (index / CHUNK, index % CHUNK)
}

const LISTED: &str = "a list refers to live nodes only (invariant 5)";
const CHUNK: usize = 1 << 12;
/// One short of what an index could name, so that its highest value is free
const MAX_CHUNKS: usize = (1 << 20) - 1;
const BITS: usize = u64::BITS as usize;

#[cfg(test)]
mod tests;
