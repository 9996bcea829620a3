use std::{
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

use tokio::runtime::Builder as Runtime;

use crate::{builder::Builder, clock::saturating_add};

/// Whoever arms a timer meanwhile waits for no more than this
#[test]
fn a_lock_is_held_for_one_piece_of_a_cascade_or_one_room_full_of_timers() {
    const PIECE: u64 = 32;
    let runtime = Runtime::new_current_thread().enable_time().build().unwrap();
    let builder = Builder::new().shards(1).virtual_clock(false);
    let (timer, _driver) = builder.assemble(runtime.handle()).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    let mut sleeps: Vec<_> = (0..1000).map(|_| timer.sleep(Duration::from_secs(20))).collect();
    for sleep in &mut sleeps {
        assert!(pin!(sleep).poll(&mut cx).is_pending());
    }
    let shard = timer.shard();
    let moved = || shard.state.lock().wheel.cascaded();
    let later = saturating_add(shard.clock.now(), Duration::from_secs(60));
    let now = shard.clock.read(later);

    let mut fired = 0;
    while fired < sleeps.len() {
        let before = moved();
        let visit = shard.visit(now, usize::MAX);
        let cascaded = moved() - before;
        assert!(visit.steps > 0 && cascaded + visit.fired as u64 <= PIECE, "{cascaded} {visit:?}");
        fired += visit.fired;
    }
    assert!(moved() >= 1000, "they came from far away");
}
