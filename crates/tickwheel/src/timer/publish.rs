use super::Timer;

impl Timer {
    /// Tells the recorder of the `metrics` facade what [`metrics`](Self::metrics) shows
    ///
    /// The timer does so by itself about once a second while its driver has something to
    /// do, and a last time when it is shut down. It never wakes up for that: while
    /// nothing is due, nothing is told. So whoever shows the figures calls this first,
    /// an exporter's handler before it renders. It tells all at once, in time that
    /// grows with what was not told yet where the recorder keeps each sample. What the
    /// driver or another caller is in the middle of telling comes a moment later: of
    /// each histogram, as much as two turns [may fire](crate::Builder::turn_timers).
    ///
    /// Each name begins with the timer's [name](crate::Builder::name), in which all but
    /// letters, digits and `_` become `_`; timers of one name would share their series.
    ///
    /// | series | kind | of [`Metrics`](crate::Metrics) |
    /// |---|---|---|
    /// | `NAME_timers_active` | gauge | `pending` |
    /// | `NAME_timers_registered`, `_fired`, `_cancelled`, `_reset`, `_refused` | counters | the same |
    /// | `NAME_driver_wakeups`, `NAME_turns_cut_short` | counters | the same |
    /// | `NAME_cascades` | counter | `cascaded` |
    /// | `NAME_callback_panics`, `NAME_slow_callbacks` | counters | the same |
    /// | `NAME_max_due_in_tick` | gauge | the same |
    /// | `NAME_fire_lag_seconds` | histogram, seconds | `lateness` |
    /// | `NAME_callback_seconds` | histogram, seconds | `callback_time` |
    ///
    /// Counts are exact. A length is told as the middle of its bucket in our
    /// [`Histogram`](crate::Histogram), at most 1/32 from the true one, and as 18
    /// minutes when it was longer. A recorder may be installed at any time, and is told
    /// what no other has heard.
    ///
    /// # Panics
    ///
    /// When the recorder does. The driver takes no notice of that.
    ///
    /// # Examples
    ///
    /// `examples/prometheus.rs` is a service with an endpoint.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// timer.sleep(Duration::from_millis(5)).await;
    /// // Somebody asks for the figures.
    /// timer.publish_metrics();
    /// # }
    /// ```
    pub fn publish_metrics(&self) {
        self.service().publisher.publish(|| self.metrics(), u64::MAX);
    }
}
