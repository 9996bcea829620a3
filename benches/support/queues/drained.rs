//! Unbounded queues to a single driver, which drains them at each tick
//!
//! Netty's way in: a timer cancelled before the driver has filed it is never filed;
//! later the driver unlinks it, at a tick.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tickwheel_core::{Tick, Wheel};

use super::{Entry, State, WayIn};
use crate::structures::Value;

/// Two queues, and a driver that looks into them each millisecond
#[derive(Debug)]
pub struct Drained {
    armed: Sender<Arc<Entry>>,
    cancelled: Sender<Arc<Entry>>,
    driver: Option<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
    kept: Arc<AtomicUsize>,
}

impl WayIn for Drained {
    type Key = Key;

    const NAME: &'static str = "queues drained at each tick";

    fn new() -> Self {
        let (armed, arming) = channel();
        let (cancelled, cancelling) = channel();
        let (is_over, kept) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (over, count) = (Arc::clone(&is_over), Arc::clone(&kept));
        let driver = thread::spawn(move || {
            let mut wheel = Wheel::new();
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
                tick(&mut wheel, &arming, &cancelling, &count);
            }
        });
        Self { armed, cancelled, driver: Some(driver), is_over, kept }
    }

    fn arm(&self, _thread: usize, deadline: u64, value: Value) -> Key {
        let entry = Arc::new(Entry { deadline, value, state: Mutex::new(State::Queued) });
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.armed.send(Arc::clone(&entry)).expect("the driver lives as long as the queues");
        Key(entry)
    }

    fn cancel(&self, Key(entry): Key) {
        self.cancelled.send(entry).expect("the driver lives as long as the queues");
    }

    fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(driver) = self.driver.take() {
            driver.join().expect("the driver does not panic");
        }
    }
}

/// A timer's name
#[derive(Debug)]
pub struct Key(Arc<Entry>);

fn tick(
    wheel: &mut Wheel<Value>,
    arming: &Receiver<Arc<Entry>>,
    cancelling: &Receiver<Arc<Entry>>,
    kept: &AtomicUsize,
) {
    for entry in cancelling.try_iter() {
        let mut state = entry.state.lock().expect("nobody panics with it");
        match *state {
            State::Filed(key) => {
                wheel.cancel(key);
                kept.fetch_sub(1, Ordering::Relaxed);
            }
            // It still stands in the other queue, and counts until it is met there.
            State::Queued | State::Cancelled => {}
        }
        *state = State::Cancelled;
    }
    // As many as Netty's worker takes over in one tick.
    for entry in arming.try_iter().take(100_000) {
        let mut state = entry.state.lock().expect("nobody panics with it");
        if let State::Cancelled = *state {
            kept.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let key = wheel.insert(Tick::new(entry.deadline), entry.value);
        *state = State::Filed(key);
    }
}
