use super::*;

fn store() -> Store<usize> {
    Store::new()
}

fn put(store: &mut Store<usize>, value: usize) -> TimerKey {
    let key = store.insert(value, Tick::ZERO, Slot::new(0), None);
    store.check();
    key
}

fn fill(store: &mut Store<usize>, count: usize) -> Vec<TimerKey> {
    (0..count).map(|value| store.insert(value, Tick::ZERO, Slot::new(0), None)).collect()
}

#[test]
fn a_chunk_that_used_up_its_generations_takes_no_more_nodes() {
    let mut store = store();
    let first = put(&mut store, 0);
    store.chunks[0].next_generation = Some(Generation::with_successors(1));
    let second = put(&mut store, 1);
    let last = put(&mut store, 2);
    let elsewhere = put(&mut store, 3);
    assert_eq!(split(last.index()).0, 0);
    assert_eq!(split(elsewhere.index()).0, 1);

    for key in [first, second, last] {
        store.remove(key);
        store.check();
    }
    assert_eq!(store.chunks[0].nodes.capacity(), 0, "nor does it keep memory");
    let later = put(&mut store, 4);
    assert_eq!(split(later.index()).0, 1, "the retired chunk is not used again");
    for stale in [first, second, last] {
        assert!(store.get(stale).is_none());
    }
    assert_eq!(store.get(elsewhere).map(|node| node.value), Some(3));
}

#[test]
fn a_chunk_that_was_dropped_remembers_its_generations() {
    let mut store = store();
    let old = put(&mut store, 0);
    store.remove(old);
    store.shrink_to_fit();
    assert_eq!(store.capacity(), 0);
    let new = put(&mut store, 1);
    assert_eq!(new.index(), old.index());
    assert!(store.get(old).is_none());
}

#[test]
#[cfg_attr(miri, ignore = "thousands of nodes take too long there")]
fn the_lowest_chunk_with_room_is_filled_first() {
    let mut store = store();
    let keys = fill(&mut store, 3 * CHUNK);
    store.check();
    for &key in [&keys[2 * CHUNK], &keys[5], &keys[CHUNK + 7]] {
        store.remove(key);
        store.check();
    }
    let again = fill(&mut store, 3);
    store.check();
    let chunks: Vec<_> = again.iter().map(|key| split(key.index()).0).collect();
    assert_eq!(chunks, [0, 1, 2]);
}

#[test]
#[cfg_attr(miri, ignore = "thousands of nodes take too long there")]
fn shrinking_frees_the_chunks_that_hold_nothing() {
    let mut store = store();
    let keys = fill(&mut store, 4 * CHUNK);
    for &key in &keys[1..] {
        if key.index() != keys[3 * CHUNK].index() {
            store.remove(key);
        }
    }
    store.shrink_to_fit();
    store.check();
    assert!(store.capacity() <= 2, "two nodes, each the first of its chunk, are left");
    assert_eq!(store.get(keys[0]).map(|node| node.value), Some(0));
    assert_eq!(store.get(keys[3 * CHUNK]).map(|node| node.value), Some(3 * CHUNK));
}

#[test]
#[cfg_attr(miri, ignore = "thousands of nodes take too long there")]
fn reserving_makes_room_once_for_all() {
    let mut store = store();
    put(&mut store, 0);
    store.reserve(2 * CHUNK);
    let capacity = store.capacity();
    assert!(capacity > 2 * CHUNK);
    fill(&mut store, 2 * CHUNK);
    assert_eq!(store.capacity(), capacity);
    store.check();
}

#[test]
#[should_panic(expected = "capacity overflow")]
fn no_room_is_made_for_more_than_there_are_places() {
    let mut store = store();
    put(&mut store, 0);
    store.reserve(usize::MAX);
}

#[test]
#[cfg_attr(miri, ignore = "thousands of nodes take too long there")]
fn clearing_keeps_the_room_and_forgets_the_keys() {
    let mut store = store();
    let keys = fill(&mut store, CHUNK + 1);
    let capacity = store.capacity();
    store.clear();
    store.check();
    assert_eq!(store.len(), 0);
    assert_eq!(store.capacity(), capacity);
    fill(&mut store, CHUNK + 1);
    assert!(keys.iter().all(|&key| store.get(key).is_none()));
}

#[test]
fn a_node_with_a_waker_sized_value_takes_forty_bytes() {
    assert_eq!(size_of::<Node<[usize; 2]>>(), 40);
}
