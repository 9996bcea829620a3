use std::{cell::Cell, sync::Arc};

use ::metrics::{IntoF64, Key, Level, Metadata, Recorder, SharedString, Unit, with_recorder};

use super::{Histogram, Metrics};
use crate::sync::Mutex;

/// Tells the recorder of the `metrics` facade what a timer has done
///
/// It tells of everything each time, so that a recorder that is installed late knows
/// as much as any other: counters are absolute, and what a histogram has counted
/// that no recorder has heard is kept until one has.
#[derive(Debug)]
pub(crate) struct Publisher {
    /// One for each of the `SERIES`
    keys: Box<[Key]>,
    /// What recorders have heard of each histogram, or are about to
    heard: Mutex<[Histogram; 2]>,
}

/// One line of what is told
struct Series {
    name: &'static str,
    unit: Unit,
    description: &'static str,
    read: Read,
}

enum Read {
    Counter(fn(&Metrics) -> u64),
    Gauge(fn(&Metrics) -> u64),
    /// And its place among the histograms
    Histogram(usize, fn(&Metrics) -> &Histogram),
}

impl Publisher {
    pub(crate) fn new(timer: &str) -> Self {
        let prefix = sanitised(timer);
        let key = |series: &Series| {
            // Cheap to clone, as recorders do.
            let name: Arc<str> = format!("{prefix}_{}", series.name).into();
            Key::from_name(SharedString::from_shared(name))
        };
        let heard = [Histogram::new(), Histogram::new()];
        Self { keys: SERIES.iter().map(key).collect(), heard: Mutex::new(heard) }
    }

    /// Takes a reading, if somebody listens, and tells it; of each histogram no more than so many
    ///
    /// Whether that was all. A recorder is user code: no lock is to be held.
    pub(crate) fn publish(&self, read: impl FnOnce() -> Metrics, most: u64) -> bool {
        with_recorder(|recorder| {
            let mut is_all = true;
            if self.has_listener(recorder) {
                let metrics = read();
                for (series, key) in SERIES.iter().zip(&self.keys) {
                    is_all &= self.publish_one(series, key, &metrics, most, recorder);
                }
            }
            is_all
        })
    }

    /// Whether a gauge or a histogram is listened to, asked by adding nothing to them
    ///
    /// A warm timer allocates nothing, and a reading does.
    fn has_listener(&self, recorder: &dyn Recorder) -> bool {
        let is_heard = Cell::new(false);
        for (series, key) in SERIES.iter().zip(&self.keys) {
            let nothing = Value { number: 0.0, is_heard: &is_heard };
            match series.read {
                Read::Counter(_) => {}
                Read::Gauge(_) => recorder.register_gauge(key, &METADATA).increment(nothing),
                Read::Histogram(..) => {
                    recorder.register_histogram(key, &METADATA).record_many(nothing, 0);
                }
            }
        }
        is_heard.get()
    }

    fn publish_one(
        &self,
        series: &Series,
        key: &Key,
        metrics: &Metrics,
        most: u64,
        recorder: &dyn Recorder,
    ) -> bool {
        let (name, unit) = (key.name_shared(), Some(series.unit));
        let description = SharedString::const_str(series.description);
        match series.read {
            Read::Counter(read) => {
                recorder.describe_counter(name, unit, description);
                recorder.register_counter(key, &METADATA).absolute(read(metrics));
            }
            Read::Gauge(read) => {
                recorder.describe_gauge(name, unit, description);
                #[expect(clippy::cast_precision_loss, reason = "2^53 timers fit in no memory")]
                recorder.register_gauge(key, &METADATA).set(read(metrics) as f64);
            }
            Read::Histogram(place, read) => {
                recorder.describe_histogram(name, unit, description);
                let histogram = recorder.register_histogram(key, &METADATA);
                return self.publish_histogram(place, read(metrics), most, &histogram);
            }
        }
        true
    }

    fn publish_histogram(
        &self,
        place: usize,
        now: &Histogram,
        most: u64,
        histogram: &::metrics::Histogram,
    ) -> bool {
        let mut heard = self.heard.lock();
        let news = heard[place].catch_up(now, most);
        let is_all = heard[place].count() >= now.count();
        drop(heard);
        let is_heard = Cell::new(news.is_empty());
        for news in &news {
            let value = Value { number: news.seconds(), is_heard: &is_heard };
            histogram.record_many(value, usize::try_from(news.times).unwrap_or(usize::MAX));
        }
        if !is_heard.get() {
            self.heard.lock()[place].forget(&news);
        }
        // Where nobody listens there is nothing to catch up with.
        is_all || !is_heard.get()
    }
}

/// A value that notices when it is used
///
/// The facade asks for the number only where there is a recorder that wants it: so this
/// tells whether one has heard.
struct Value<'a> {
    number: f64,
    is_heard: &'a Cell<bool>,
}

impl IntoF64 for Value<'_> {
    fn into_f64(self) -> f64 {
        self.is_heard.set(true);
        self.number
    }
}

/// What the names of all series begin with: letters, digits and `_`, and no digit first
fn sanitised(timer: &str) -> String {
    let mut name: String =
        timer.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() {
        name.push_str("tickwheel");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

const METADATA: Metadata<'static> = Metadata::new("tickwheel", Level::INFO, Some("tickwheel"));

const SERIES: [Series; 14] = [
    gauge("timers_active", "Timers armed now", |metrics| metrics.pending as u64),
    counter("timers_registered", "Timers armed", |metrics| metrics.registered),
    counter("timers_fired", "Timers that came due", |metrics| metrics.fired),
    counter("timers_cancelled", "Timers that were taken back", |metrics| metrics.cancelled),
    counter("timers_reset", "How often an armed timer was moved", |metrics| metrics.reset),
    counter("timers_refused", "Timers not taken", |metrics| metrics.refused),
    counter("driver_wakeups", "How often the driver was woken", |metrics| metrics.driver_wakeups),
    counter("turns_cut_short", "Turns that ended with more to do", |metrics| {
        metrics.turns_cut_short
    }),
    counter("cascades", "Timers moved to a lower level of the wheel", |metrics| metrics.cascaded),
    counter("callback_panics", "Callbacks that panicked", |metrics| metrics.callback_panics),
    counter("slow_callbacks", "Calls that took 10 ms or more", |metrics| metrics.slow_callbacks),
    gauge("max_due_in_tick", "The most timers due in one tick", |metrics| metrics.max_due_in_tick),
    histogram(0, "fire_lag_seconds", "How long after its tick a timer fired", |metrics| {
        &metrics.lateness
    }),
    histogram(1, "callback_seconds", "How long a call of a callback took", |metrics| {
        &metrics.callback_time
    }),
];

const fn counter(
    name: &'static str,
    description: &'static str,
    read: fn(&Metrics) -> u64,
) -> Series {
    Series { name, unit: Unit::Count, description, read: Read::Counter(read) }
}

const fn gauge(name: &'static str, description: &'static str, read: fn(&Metrics) -> u64) -> Series {
    Series { name, unit: Unit::Count, description, read: Read::Gauge(read) }
}

const fn histogram(
    place: usize,
    name: &'static str,
    description: &'static str,
    read: fn(&Metrics) -> &Histogram,
) -> Series {
    Series { name, unit: Unit::Seconds, description, read: Read::Histogram(place, read) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_to_fit() {
        let names = [
            ("tickwheel", "tickwheel"),
            ("http.requests", "http_requests"),
            ("9 lives", "_9_lives"),
            ("größe:x", "gr__e_x"),
            ("", "tickwheel"),
        ];
        for (name, right) in names {
            assert_eq!(sanitised(name), right);
        }
    }
}
