//! A clock on the wall that a test sets, also against the clock that timers go by

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use tickwheel::{Builder, Timer};
use tokio::time::Instant;

/// Goes as tokio's clock does, until it is set
#[derive(Clone, Debug)]
pub struct Wall(Arc<Mutex<Setting>>);

/// It showed this at that moment
#[derive(Debug)]
struct Setting {
    showed: SystemTime,
    at: Instant,
}

impl Wall {
    /// Shows this now
    pub fn showing(showed: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(Setting { showed, at: Instant::now() })))
    }

    pub fn now(&self) -> SystemTime {
        let setting = self.0.lock().unwrap();
        setting.showed + setting.at.elapsed()
    }

    pub fn set(&self, now: SystemTime) {
        *self.0.lock().unwrap() = Setting { showed: now, at: Instant::now() };
    }

    /// Sets it so much later; what a suspended machine does, too
    pub fn set_forward(&self, by: Duration) {
        self.set(self.now() + by);
    }

    pub fn set_back(&self, by: Duration) {
        self.set(self.now() - by);
    }

    /// A timer whose schedules go by it
    pub fn timer(&self) -> Timer {
        self.give_to(Timer::builder()).build().unwrap()
    }

    pub fn give_to(&self, builder: Builder) -> Builder {
        let wall = self.clone();
        builder.wall_clock(move || wall.now())
    }
}
