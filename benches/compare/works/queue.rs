//! Delay queues: tickwheel's beside tokio-util's

use std::{hint::black_box, time::Duration, time::Instant};

use tickwheel_benches::{
    Random,
    delay_queues::{Ours, Queue, SPREAD, Theirs, current_thread, deliver_all, paused},
};
use tokio::task::unconstrained;

use super::{
    spoken,
    timing::{EARLIER, LONG, nanos_each},
};
use crate::{
    arena::Arena,
    work::{Measure, Round},
};

/// One item comes and goes, among so many
pub(super) fn insert_remove(arena: &mut Arena, others: usize) {
    let name = match others {
        0 => "delay queue, insert + remove".into(),
        others => format!("delay queue, insert + remove among {}", spoken(others)),
    };
    let about = "An item that is due in 13 minutes is inserted and removed again.";
    let (rounds, items) = (arena.scale.short, arena.scale.items);
    arena.run_staged(&name, about, EACH, rounds, || {
        vec![
            (THEIRS.into(), insert_remove_rounds::<Theirs>(others, items)),
            (OURS.into(), insert_remove_rounds::<Ours>(others, items)),
        ]
    });
}

/// A hundred thousand items spread over ten seconds of a paused clock
pub(super) fn deliver(arena: &mut Arena) {
    let about = "100 000 items are delivered in the order of their deadlines, spread over ten \
                 seconds of a paused clock; the runtime's part in moving that clock included.";
    let rounds = arena.scale.short.div_ceil(4);
    arena.run_staged("delay queue, deliver", about, EACH, rounds, || {
        vec![
            (THEIRS.into(), Box::new(deliver_round::<Theirs>) as Round<'_>),
            (OURS.into(), Box::new(deliver_round::<Ours>)),
        ]
    });
}

fn insert_remove_rounds<Q: Queue + 'static>(others: usize, items: u32) -> Round<'static> {
    let runtime = current_thread();
    let mut queue = runtime.block_on(async {
        let mut queue = Q::new();
        let mut random = Random::new(1);
        queue.insert(0, EARLIER);
        for number in 0..others {
            let delay = EARLIER + Duration::from_millis(random.below(290_000));
            queue.insert(number as u64, delay);
        }
        queue.poll_once();
        queue
    });
    Box::new(move || {
        runtime.block_on(async {
            vec![nanos_each(items, || {
                let key = queue.insert(black_box(7), black_box(LONG));
                queue.remove(&key);
            })]
        })
    })
}

fn deliver_round<Q: Queue>() -> Vec<f64> {
    paused().block_on(unconstrained(async {
        let mut queue = Q::new();
        for number in 0..ITEMS {
            queue.insert(number.into(), SPREAD * number / ITEMS);
        }
        let start = Instant::now();
        assert_eq!(deliver_all(&mut queue).await, ITEMS);
        vec![start.elapsed().as_secs_f64() * 1e9 / f64::from(ITEMS)]
    }))
}

const THEIRS: &str = "tokio-util";
const OURS: &str = "tickwheel 1ms";
const EACH: &[Measure] = &[Measure::new("each", "ns")];
const ITEMS: u32 = 100_000;
