//! A bounded queue to a single driver, which does what comes at once
//!
//! Callers wait while it is full.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use tickwheel_core::{Tick, Wheel};

use super::{Entry, State, WayIn};
use crate::structures::Value;

/// A queue of 4096 commands
#[derive(Debug)]
pub struct Bounded {
    commands: Option<SyncSender<Command>>,
    driver: Option<JoinHandle<()>>,
    kept: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum Command {
    Arm(Arc<Entry>),
    Cancel(Arc<Entry>),
}

impl WayIn for Bounded {
    type Key = Key;

    const NAME: &'static str = "bounded queue to a driver";

    fn new() -> Self {
        let (commands, received) = sync_channel(4096);
        let kept = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&kept);
        let driver = thread::spawn(move || drive(&received, &count));
        Self { commands: Some(commands), driver: Some(driver), kept }
    }

    fn arm(&self, _thread: usize, deadline: u64, value: Value) -> Key {
        let entry = Arc::new(Entry { deadline, value, state: Mutex::new(State::Queued) });
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.send(Command::Arm(Arc::clone(&entry)));
        Key(entry)
    }

    fn cancel(&self, Key(entry): Key) {
        self.send(Command::Cancel(entry));
    }

    fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}

impl Bounded {
    fn send(&self, command: Command) {
        let commands = self.commands.as_ref().expect("it is taken only when dropped");
        commands.send(command).expect("the driver lives as long as the queue");
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(driver) = self.driver.take() {
            driver.join().expect("the driver does not panic");
        }
    }
}

/// A timer's name
#[derive(Debug)]
pub struct Key(Arc<Entry>);

fn drive(commands: &Receiver<Command>, kept: &AtomicUsize) {
    let mut wheel = Wheel::new();
    for command in commands {
        match command {
            Command::Arm(entry) => {
                let key = wheel.insert(Tick::new(entry.deadline), entry.value);
                *entry.state.lock().expect("nobody panics with it") = State::Filed(key);
            }
            Command::Cancel(entry) => {
                // One queue keeps the order: it was armed before.
                if let State::Filed(key) = *entry.state.lock().expect("nobody panics with it") {
                    wheel.cancel(key);
                }
                kept.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}
