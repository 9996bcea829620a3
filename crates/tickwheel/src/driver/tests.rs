use std::{
    pin::pin,
    task::{Context, Waker},
    thread,
    time::Duration,
};

use tokio::runtime::Builder as Runtime;

use super::turn::Turn;
use crate::builder::Builder;

const MS: Duration = Duration::from_millis(1);

/// Only then is it called back from behind them, by the alarm
#[test]
fn a_turn_that_is_cut_short_knows_whether_it_has_woken_tasks() {
    let runtime = Runtime::new_current_thread().enable_time().build().unwrap();
    let builder = Builder::new().shards(1).turn_timers(1).virtual_clock(false);
    let (timer, mut driver) = builder.assemble(runtime.handle()).unwrap();

    let mut sleeps = [timer.sleep(MS), timer.sleep(MS)];
    for sleep in &mut sleeps {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(pin!(sleep).poll(&mut cx).is_pending());
    }
    thread::sleep(5 * MS);
    for _ in 0..2 {
        assert_eq!(driver.turns.turn(), Turn::CutShort { has_woken: true });
    }
    assert_eq!(driver.turns.turn(), Turn::Done(None));

    for _ in 0..2 {
        timer.call_later(MS, || ());
    }
    thread::sleep(5 * MS);
    for _ in 0..2 {
        assert_eq!(driver.turns.turn(), Turn::CutShort { has_woken: false });
    }
    assert_eq!(driver.turns.turn(), Turn::Done(None));
}
