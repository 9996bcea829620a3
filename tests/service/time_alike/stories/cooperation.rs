//! Tasks that only wait for time, and the others

use std::{
    cell::Cell,
    future::{pending, poll_fn},
    pin::pin,
    rc::Rc,
    task::{Poll, ready},
};

use tokio::{task, task::LocalSet};

use super::time::{Duration, advance, interval, sleep, timeout};

const MS: Duration = Duration::from_millis(1);

/// What is always due yields to others all the same
#[tokio::test(start_paused = true)]
async fn a_loop_over_ticks_that_are_due_lets_other_tasks_run() {
    let others = Rc::new(Cell::new(0));
    let seen = Rc::clone(&others);
    let local = LocalSet::new();
    local.spawn_local(async move {
        loop {
            seen.set(seen.get() + 1);
            task::yield_now().await;
        }
    });
    local
        .run_until(async {
            let mut interval = interval(MS);
            advance(10_000 * MS).await;
            let before = others.get();
            for _ in 0..10_000 {
                interval.tick().await;
            }
            assert!(others.get() - before >= 10, "{} turns", others.get() - before);
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn without_budget_nothing_is_ready_and_the_task_is_called_again() {
    let mut nap = pin!(sleep(MS));
    nap.as_mut().await;
    advance(10 * MS).await;
    let mut due = pin!(sleep(Duration::ZERO));
    let mut limited = pin!(timeout(Duration::ZERO, pending::<()>()));
    let mut polls = 0;
    task::yield_now().await;
    poll_fn(|cx| {
        polls += 1;
        if polls == 1 {
            while let Poll::Ready(coop) = task::coop::poll_proceed(cx) {
                coop.made_progress();
            }
            assert!(due.as_mut().poll(cx).is_pending());
            assert!(limited.as_mut().poll(cx).is_pending());
            return Poll::Pending;
        }
        ready!(due.as_mut().poll(cx));
        limited.as_mut().poll(cx).map(|result| assert!(result.is_err()))
    })
    .await;
    assert!(polls >= 2);
}
