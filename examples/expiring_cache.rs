//! A cache whose entries expire when nobody has read them for a while.
//!
//! Each entry has a time to live of its own, and all their deadlines are in one `DelayQueue`,
//! which is one timer however many they are. Reading an entry moves its deadline. Some keys
//! are asked for all the time and stay; the others come and go:
//!
//! ```text
//! cargo run --release --example expiring_cache
//! cargo run --release --example expiring_cache -- --seconds 10 --time-to-live 100
//! ```

use std::{collections::HashMap, time::Duration};

use clap::Parser;
use futures::StreamExt;
use tickwheel::{DelayQueue, Timer, delay_queue::Key};

/// A cache with a time to live for each entry, counted from the last time it was read.
#[derive(Debug, Parser)]
struct Args {
    /// How long to run
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,

    /// How many different keys are asked for
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    keys: u32,

    /// How long an entry stays unread, in milliseconds; every tenth key stays four times as long
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..))]
    time_to_live: u64,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    let timer = Timer::new();
    let mut cache = Cache::new(&timer);
    let short = Duration::from_millis(args.time_to_live);
    let mut readers = Readers { keys: args.keys, state: 1 };
    let mut requests = timer.interval(Duration::from_millis(1));
    let mut reports = timer.interval_at(timer.now() + SECOND, SECOND);
    let mut end = timer.sleep(Duration::from_secs(args.seconds));

    println!("second       hits     misses    expired      held   hit %");
    let mut reported = Counts::default();
    let mut second = 0;
    loop {
        tokio::select! {
            _ = requests.tick() => {
                for _ in 0..REQUESTS {
                    let number = readers.next_key();
                    cache.read(number, || {
                        let time_to_live = if number.is_multiple_of(10) { short * 4 } else { short };
                        (format!("what is known of {number}"), time_to_live)
                    });
                }
            }
            () = cache.expire_next() => {}
            _ = reports.tick() => {
                second += 1;
                (cache.counts - reported).print(&second.to_string(), cache.len());
                reported = cache.counts;
            }
            () = &mut end => break,
        }
    }
    cache.counts.print("all", cache.len());

    let Counts { hits, misses, expired } = cache.counts;
    println!("each of the {hits} hits moved a deadline; timers in use for that: 1");
    // Each miss put an entry in, and each that is not there any more has expired.
    assert_eq!(misses - expired, cache.len() as u64, "the books do not balance");
}

/// Values that are kept until nobody has asked for them for a while
struct Cache {
    entries: HashMap<u32, Entry>,
    expirations: DelayQueue<u32>,
    counts: Counts,
}

struct Entry {
    value: String,
    time_to_live: Duration,
    expiration: Key,
}

impl Cache {
    fn new(timer: &Timer) -> Self {
        let mut expirations = timer.delay_queue();
        // An empty cache has nothing that expires, and that may change.
        expirations.set_pending_when_empty(true);
        Self { entries: HashMap::new(), expirations, counts: Counts::default() }
    }

    /// The value of a key; when it is not there it is made, and how long it is to live is said
    ///
    /// Either way it stays for its time to live from now on.
    fn read(&mut self, key: u32, make: impl FnOnce() -> (String, Duration)) -> &str {
        let entry = self
            .entries
            .entry(key)
            .and_modify(|entry| {
                self.counts.hits += 1;
                self.expirations.reset(&entry.expiration, entry.time_to_live);
            })
            .or_insert_with(|| {
                self.counts.misses += 1;
                let (value, time_to_live) = make();
                let expiration = self.expirations.insert(key, time_to_live);
                Entry { value, time_to_live, expiration }
            });
        &entry.value
    }

    /// Waits until an entry expires, and drops it
    ///
    /// Cancel safe, as the queue is: what has not been delivered is not lost.
    async fn expire_next(&mut self) {
        if let Some(expired) = self.expirations.next().await {
            self.entries.remove(expired.get_ref());
            self.counts.expired += 1;
        }
    }

    fn len(&self) -> usize {
        self.entries.len()
    }
}

/// What has happened in a cache
#[derive(Clone, Copy, Default)]
struct Counts {
    hits: u64,
    misses: u64,
    expired: u64,
}

impl Counts {
    fn print(self, second: &str, held: usize) {
        let Self { hits, misses, expired } = self;
        let hit_rate = 100 * hits / (hits + misses).max(1);
        println!("{second:>6} {hits:>10} {misses:>10} {expired:>10} {held:>9} {hit_rate:>7}");
    }
}

impl std::ops::Sub for Counts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
            expired: self.expired - earlier.expired,
        }
    }
}

/// Readers who ask for small numbers much more often than for large ones
struct Readers {
    keys: u32,
    state: u64,
}

impl Readers {
    fn next_key(&mut self) -> u32 {
        (0..4).fold(self.keys, |bound, _| 1 + self.below(bound))
    }

    fn below(&mut self, bound: u32) -> u32 {
        // A step of Knuth's MMIX generator, whose high bits are the random ones.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let scaled = (self.state >> 32) * u64::from(bound);
        u32::try_from(scaled >> 32).expect("below the bound")
    }
}

const SECOND: Duration = Duration::from_secs(1);
/// In each millisecond
const REQUESTS: usize = 20;
