//! A steady load on one timer, which goes on whatever else happens

use std::{
    future,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt, future::join_all};
use tickwheel::Timer;
use tickwheel_tests::{durations::HOUR, random::Random, runtimes::multi_thread};
use tokio::sync::oneshot;

use crate::world::World;

/// Runs until the world is over, and then leaves nothing behind
pub(crate) fn run(world: &Arc<World>, seed: u64) {
    let runtime = multi_thread(2);
    let timer = Timer::builder().build_on(runtime.handle()).expect("the settings are good");
    let open = world.books.open(NAME, &timer);
    let mut random = Random::new(seed);
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let user = User {
                world: Arc::clone(world),
                timer: timer.clone(),
                random: Random::new(random.below(u64::MAX)),
            };
            runtime.spawn(user.run())
        })
        .collect();
    runtime.block_on(join_all(tasks));
    let metrics = timer.metrics();
    world.balances(NAME, &metrics);
    world.holds(metrics.pending == 0, "cancel is complete", NAME, &"all", &0, &metrics.pending);
    world.tally.add(&metrics);
    drop(open);
}

/// Somebody who uses the timer, in one way after the other
struct User {
    world: Arc<World>,
    timer: Timer,
    random: Random,
}

impl User {
    async fn run(mut self) {
        while !self.world.is_over() {
            let (world, use_) = (Arc::clone(&self.world), self.random.below(6));
            let _wait = world.watchdog.wait(PATIENCE, format!("{NAME}: use {use_} of its timer"));
            match use_ {
                0 | 1 => self.sleep().await,
                2 => self.timeout().await,
                3 => self.interval().await,
                4 => self.callback().await,
                _ => self.queue().await,
            }
        }
    }

    fn delay(&mut self) -> Duration {
        Duration::from_micros(self.random.below(20_000))
    }

    async fn sleep(&mut self) {
        let calm = self.world.faults.calm();
        let delay = self.delay();
        let mut sleep = self.timer.try_sleep(delay);
        if self.random.below(4) == 0 {
            // Armed, and moved in either direction.
            assert!(futures::poll!(&mut sleep).is_pending() || sleep.is_elapsed());
            let delay = self.delay();
            sleep.reset_after(delay);
        }
        let result = (&mut sleep).await;
        let now = Instant::now();
        let deadline = sleep.deadline().into_std();
        self.must_be(result == Ok(()), "never lost", "sleep", &format!("{result:?}"));
        self.not_early("sleep", deadline, now);
        if calm.is_some() && self.world.faults.calm() == calm {
            self.world.tally.lateness.add(now.saturating_duration_since(deadline));
        }
    }

    async fn timeout(&mut self) {
        let (short, long) = (self.delay(), HOUR);
        let began = Instant::now();
        if self.random.below(2) == 0 {
            let never = future::pending::<()>();
            let result = self.timer.try_timeout(short, never).await;
            self.must_be(result.is_err(), "never lost", "timeout", "a future that never ends");
            self.not_early("timeout", began + short, Instant::now());
        } else {
            let sleep = self.timer.try_sleep(short);
            let result = self.timer.try_timeout(long, sleep).await;
            self.must_be(result.is_ok(), "never early", "timeout", &format!("{result:?}"));
        }
    }

    async fn interval(&mut self) {
        let period = self.delay() + Duration::from_millis(1);
        let mut interval = self.timer.interval(period);
        let first = interval.tick().await;
        for number in 1..5 {
            let scheduled = interval.tick().await;
            let now = Instant::now();
            let expected = first + period * number;
            self.must_be(scheduled == expected, "exact ticks", "interval", "another tick");
            self.not_early("interval", scheduled.into_std(), now);
        }
    }

    async fn callback(&mut self) {
        let (sender, receiver) = oneshot::channel();
        let delay = self.delay();
        let due = Instant::now() + delay;
        let callback = self.timer.call_later(delay, move || {
            // Whoever called it off does not wait.
            let _ = sender.send(Instant::now());
        });
        if self.random.below(2) == 0 && callback.cancel() {
            let called = receiver.await;
            self.must_be(called.is_err(), "cancelled for good", "callback", "it was called");
            return;
        }
        match receiver.await {
            Ok(at) => self.not_early("callback", due, at),
            Err(_) => self.must_be(false, "never lost", "callback", "dropped uncalled"),
        }
    }

    async fn queue(&mut self) {
        let mut queue = self.timer.delay_queue();
        let keys: Vec<_> = (0..self.random.below(20))
            .map(|number| {
                let delay = self.delay();
                queue.insert(number, delay)
            })
            .collect();
        let removed = keys.iter().filter(|_| self.random.below(3) == 0).collect::<Vec<_>>();
        for key in &removed {
            queue.remove(key);
        }
        let is_stale = removed.iter().all(|key| queue.try_remove(key).is_none());
        self.must_be(is_stale, "stale keys are harmless", "queue", "an item was removed twice");
        let mut came = 0;
        while let Some(item) = queue.next().await {
            came += 1;
            self.not_early("queue", item.deadline().into_std(), Instant::now());
        }
        let expected = keys.len() - removed.len();
        self.must_be(came == expected, "never lost", "queue", &format!("{came} of {expected}"));
    }

    fn not_early(&self, timer: &str, deadline: Instant, now: Instant) {
        let early = deadline.saturating_duration_since(now);
        self.must_be(early.is_zero(), "never early", timer, &format!("{early:?} before its time"));
    }

    fn must_be(&self, is_so: bool, check: &str, timer: &str, observed: &str) {
        self.world.holds(is_so, check, NAME, &timer, &"what it promises", &observed);
    }
}

const NAME: &str = "steady load";
const TASKS: usize = 32;
const PATIENCE: Duration = Duration::from_secs(30);
