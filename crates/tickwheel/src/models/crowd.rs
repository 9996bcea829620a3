//! A crowd of clients, the driver, the alarm and the end, all at once

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};

use futures::{
    StreamExt,
    channel::{mpsc, oneshot},
};
use shuttle::{
    future::block_on,
    rand::{Rng, thread_rng},
    thread::JoinHandle,
};

use super::stage::{Stage, TICK, arm, play};
use crate::{
    driver::Driver, error::TimerError, shutdown::UnfiredCallback, timer::Timer, try_sleep::TrySleep,
};

#[test]
fn a_crowd_that_comes_and_goes_leaves_nothing_behind() {
    play(|| {
        let stage = Stage::set(block_on);
        let tally = Arc::new(Tally::default());
        leave(crowd(&stage, &tally));
        tally.assert_each_came_to_one_end();
        stage.assert_books_balance();
        stage.assert_has_room();
        stage.strike();
        tally.assert_all_dropped();
    });
}

#[test]
fn a_crowd_that_a_shutdown_comes_upon_is_told_and_nothing_is_lost() {
    play(|| {
        let stage = Stage::set(block_on);
        let tally = Arc::new(Tally::default());
        let clients = crowd(&stage, &tally);
        let unfired = block_on(stage.timer.shutdown());
        unfired.into_callbacks().for_each(UnfiredCallback::run);
        leave(clients);
        tally.assert_each_came_to_one_end();
        stage.assert_books_balance();
        stage.strike();
        tally.assert_all_dropped();
    });
}

#[test]
fn a_crowd_whose_runtime_goes_is_told_and_nothing_is_left() {
    play(|| {
        let stage = Stage::set(drive_a_little);
        let tally = Arc::new(Tally::default());
        leave(crowd(&stage, &tally));
        stage.assert_books_balance();
        stage.strike();
        tally.assert_all_dropped();
    });
}

/// A runtime that is shut down after a few turns
fn drive_a_little(driver: Driver) {
    let mut driver = Box::pin(driver);
    let mut turns = thread_rng().gen_range(0..8);
    block_on(poll_fn(|cx| {
        let is_gone = turns == 0;
        turns -= 1;
        if is_gone { Poll::Ready(()) } else { driver.as_mut().poll(cx) }
    }));
}

fn crowd(stage: &Stage, tally: &Arc<Tally>) -> [JoinHandle<()>; 4] {
    let [calls, repeats] = [(); 2].map(|()| Arc::clone(tally));
    [
        stage.enter(|timer| sleep_a_few_times(&timer)),
        stage.enter(|timer| change_ones_mind(&timer.critical())),
        stage.enter(move |timer| ask_to_be_called(&timer, &calls)),
        stage.enter(move |timer| ask_to_be_called_again(&timer.critical(), &repeats)),
    ]
}

fn leave(clients: [JoinHandle<()>; 4]) {
    for client in clients {
        client.join().unwrap();
    }
}

fn sleep_a_few_times(timer: &Timer) {
    for ticks in [3, 1, 6] {
        finish(timer, timer.try_sleep(ticks * TICK));
    }
}

/// Arms, moves in both directions, waits in another task, and drops
fn change_ones_mind(timer: &Timer) {
    let Ok(mut sleep) = arm(timer, 5 * TICK) else { return };
    sleep.reset(timer.now() + 60 * TICK);
    let unwanted = arm(timer, 4 * TICK);
    sleep.reset(timer.now() + 2 * TICK);
    drop(unwanted);
    finish(timer, sleep);
}

fn ask_to_be_called(timer: &Timer, tally: &Arc<Tally>) {
    for is_wanted in [true, false] {
        let ticket = Ticket::new(tally);
        let (sender, called) = oneshot::channel();
        let call = move || {
            ticket.0.called.fetch_add(1, Ordering::Relaxed);
            let _ = sender.send(());
        };
        tally.asked.fetch_add(1, Ordering::Relaxed);
        match timer.try_call_later(2 * TICK, call) {
            // An error, too, when it never will be.
            Ok(_) if is_wanted => _ = block_on(called),
            Ok(callback) => {
                finish(timer, timer.try_sleep(TICK));
                let is_cancelled = callback.cancel();
                tally.taken_back.fetch_add(usize::from(is_cancelled), Ordering::Relaxed);
            }
            Err(_) => _ = tally.taken_back.fetch_add(1, Ordering::Relaxed),
        }
    }
}

fn ask_to_be_called_again(timer: &Timer, tally: &Arc<Tally>) {
    let ticket = Ticket::new(tally);
    let (sender, mut calls) = mpsc::unbounded();
    let call = move || {
        let Ticket(_) = &ticket;
        let _ = sender.unbounded_send(());
    };
    let Ok(callback) = timer.try_call_every(2 * TICK, call) else { return };
    block_on(calls.next());
    callback.stop();
    callback.start();
    block_on(calls.next());
    callback.cancel();
}

/// Waits to the end, which is not early
fn finish(timer: &Timer, sleep: TrySleep) {
    let deadline = sleep.deadline();
    match block_on(sleep) {
        Ok(()) => assert!(timer.now() >= deadline),
        Err(error) => assert!(matches!(error, TimerError::ShutDown | TimerError::AtCapacity)),
    }
}

/// What has come of callbacks
#[derive(Debug, Default)]
struct Tally {
    /// To call something once
    asked: AtomicUsize,
    called: AtomicUsize,
    /// Cancelled, or refused
    taken_back: AtomicUsize,
    alive: AtomicUsize,
}

impl Tally {
    fn assert_each_came_to_one_end(&self) {
        let [asked, called, taken_back] =
            [&self.asked, &self.called, &self.taken_back].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(asked, called + taken_back);
    }

    fn assert_all_dropped(&self) {
        assert_eq!(self.alive.load(Ordering::Relaxed), 0);
    }
}

/// What a callback owns
struct Ticket(Arc<Tally>);

impl Ticket {
    fn new(tally: &Arc<Tally>) -> Self {
        tally.alive.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(tally))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}
