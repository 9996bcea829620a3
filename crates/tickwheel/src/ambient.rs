//! The timer that a runtime has without anybody handing it around
//!
//! It belongs to its runtime: a task there, which also runs its driver, owns it and
//! its place in the [`table`], until the runtime drops its tasks. The table and the
//! [`cache`] of each thread only know of it.

mod binding;
mod cache;
mod place;
mod table;

use std::{fmt, sync::Arc};

use tokio::runtime::Handle;

use self::place::Place;
use crate::{
    builder::Builder,
    error::{BuildError, InstallError},
    shard::Shard,
    timer::Timer,
};

pub(crate) use self::binding::Binding;

impl Timer {
    /// The timer that the current runtime has of itself, which [`tickwheel::time`](crate::time) uses
    ///
    /// Each runtime has one. It is made when it is first asked for, with the default
    /// settings; for others see [`Builder::install`]. It ends with its runtime and not
    /// before, whoever drops what: one that is [shut down](Self::shutdown) stays its
    /// runtime's, and refuses.
    ///
    /// The current runtime is that of [`Handle::current`]: of the task, of the
    /// innermost `block_on` or `enter` of the thread, or the one whose `spawn_blocking`
    /// this thread serves.
    ///
    /// # Panics
    ///
    /// Outside a runtime, and where [`Timer::new`] would.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use tickwheel::Timer;
    ///
    /// tickwheel::time::sleep(Duration::from_millis(20)).await;
    /// assert_eq!(Timer::current().metrics().fired, 1);
    /// # }
    /// ```
    #[track_caller]
    pub fn current() -> Self {
        match current() {
            Ok(timer) => timer,
            Err(error) => panic!("{error}"),
        }
    }

    /// [`current`](Self::current), or `None` where that panics
    pub fn try_current() -> Option<Self> {
        current().ok()
    }
}

impl Builder {
    /// Builds the timer that the current runtime has of itself
    ///
    /// To be called before anything on that runtime has used
    /// [`tickwheel::time`](crate::time) or [`Timer::current`]. It lives as long as the
    /// runtime, also when what this returns is dropped.
    ///
    /// Timeouts of [`tickwheel::time`](crate::time) count from when they are made, whatever
    /// [`lazy_timeouts`](Self::lazy_timeouts) says, and are never refused by
    /// [`max_pending`](Self::max_pending).
    ///
    /// # Errors
    ///
    /// [`InstallError::AlreadyThere`] when the runtime has one, and
    /// [`InstallError::Build`] where [`build`](Self::build) fails, outside a runtime for
    /// example.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), tickwheel::InstallError> {
    /// use std::time::Duration;
    /// use tickwheel::{InstallError, Timer, time};
    ///
    /// Timer::builder().tick(Duration::from_micros(100)).install()?;
    /// time::sleep(Duration::from_micros(300)).await;
    ///
    /// let again = Timer::builder().install();
    /// assert_eq!(again.unwrap_err(), InstallError::AlreadyThere);
    /// # Ok(())
    /// # }
    /// ```
    pub fn install(self) -> Result<Timer, InstallError> {
        let runtime = Handle::try_current().map_err(|_| BuildError::OutsideRuntime)?;
        match find_or_make(self, &runtime)? {
            Found::New(timer) => Ok(timer),
            Found::Old(_) => Err(InstallError::AlreadyThere),
        }
    }
}

/// The shard for the calling thread of the current runtime's timer
#[inline]
fn shard() -> Result<Arc<Shard>, NoTimer> {
    let runtime = Handle::try_current().map_err(|_| BuildError::OutsideRuntime)?;
    match cache::shard(runtime.id()) {
        Some(shard) => Ok(shard),
        None => look_up(&runtime).map(|timer| Arc::clone(timer.shard())),
    }
}

fn current() -> Result<Timer, NoTimer> {
    let runtime = Handle::try_current().map_err(|_| BuildError::OutsideRuntime)?;
    match cache::timer(runtime.id()) {
        Some(timer) => Ok(timer),
        None => look_up(&runtime),
    }
}

#[cold]
fn look_up(runtime: &Handle) -> Result<Timer, NoTimer> {
    let (Found::New(timer) | Found::Old(timer)) = find_or_make(Builder::new(), runtime)?;
    cache::remember(runtime.id(), &timer);
    Ok(timer)
}

enum Found {
    New(Timer),
    Old(Timer),
}

fn find_or_make(builder: Builder, runtime: &Handle) -> Result<Found, BuildError> {
    if let Some(timer) = table::find(runtime.id()) {
        return Ok(Found::Old(timer));
    }
    // Without the table's lock: what is to be told of a task may be user code. Whoever
    // comes second then drops what it has built, and no driver has run for that.
    let (timer, driver) = builder.assemble(runtime)?;
    match Place::take(runtime.id(), timer.clone()) {
        Ok(place) => {
            runtime.spawn(place.keep(driver));
            Ok(Found::New(timer))
        }
        Err(old) => Ok(Found::Old(old)),
    }
}

/// Why there is no timer here
#[derive(Debug)]
struct NoTimer(BuildError);

impl From<BuildError> for NoTimer {
    fn from(error: BuildError) -> Self {
        Self(error)
    }
}

impl fmt::Display for NoTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            BuildError::OutsideRuntime => f.write_str(
                "there is no tokio runtime here, and so no timer of one: be inside one, as in \
                 `Runtime::block_on` and in its tasks, or enter it with `Handle::enter`",
            ),
            BuildError::TimeDisabled => f.write_str(
                "this current-thread runtime has no time driver: build it with `enable_time()`, or \
                 first of all call `Timer::builder().virtual_clock(false).install()` in it",
            ),
            error => error.fmt(f),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use tokio::runtime::{Builder as RuntimeBuilder, Id, Runtime};

    use super::*;

    fn runtimes() -> [Runtime; 2] {
        let current_thread = RuntimeBuilder::new_current_thread().enable_time().build();
        let multi_thread = RuntimeBuilder::new_multi_thread().worker_threads(1).build();
        [current_thread, multi_thread].map(|runtime| runtime.expect("the machine can run one"))
    }

    fn use_it(runtime: &Runtime) -> Id {
        runtime.block_on(crate::time::sleep(Duration::from_micros(1)));
        runtime.handle().id()
    }

    #[test]
    fn a_runtime_that_is_gone_has_left_the_table() {
        let rounds = 1000;
        let gone: Vec<_> = (0..rounds).flat_map(|_| runtimes().map(|it| use_it(&it))).collect();
        assert!(gone.iter().all(|&id| !table::holds(id)));
        let here = runtimes();
        assert!(here.iter().all(|it| table::holds(use_it(it))));
    }

    /// As if a runtime had the id of one that this thread has used
    #[test]
    fn an_id_that_comes_again_does_not_bring_its_timer_back() {
        for [old, new] in [runtimes(), runtimes()] {
            use_it(&old);
            let timer = old.block_on(async { Timer::current() });
            let id = new.handle().id();
            drop(old);
            // The handle above keeps it in memory, and so the cache could find it.
            cache::remember(id, &timer);
            assert!(cache::timer(id).is_none() && cache::shard(id).is_none());
            new.block_on(async {
                let current = Timer::current();
                assert!(!current.is(&timer.downgrade()));
                let hour = crate::time::sleep(Duration::from_secs(3600));
                assert!(crate::time::timeout(Duration::from_millis(1), hour).await.is_err());
                assert!(current.metrics().registered >= 1);
            });
        }
    }

    #[test]
    fn what_comes_late_does_not_take_a_newer_timer_out() {
        let [old, new] = runtimes();
        use_it(&old);
        use_it(&new);
        let timer = old.block_on(async { Timer::current() });
        table::remove(new.handle().id(), &timer);
        assert!(table::holds(new.handle().id()));
    }

    #[test]
    fn a_thread_that_is_elsewhere_meanwhile_keeps_nothing_alive() {
        let [runtime, other] = runtimes();
        use_it(&runtime);
        let weak = runtime.block_on(async { Timer::current() }).downgrade();
        let id = runtime.handle().id();
        assert!(cache::timer(id).is_some());
        drop(runtime);
        assert!(weak.upgrade().is_none());
        assert!(cache::timer(id).is_none());
        use_it(&other);
    }

    /// Whoever comes second drops what it has built, and its driver never runs
    #[test]
    fn a_place_is_taken_once() {
        for runtime in runtimes() {
            use_it(&runtime);
            let (timer, driver) = Builder::new().assemble(runtime.handle()).expect("as above");
            let taken = Place::take(runtime.handle().id(), timer.clone());
            let first = taken.expect_err("the first use took it");
            assert!(!first.is(&timer.downgrade()));
            drop(driver);
            assert!(timer.is_shutdown());
            assert!(table::holds(use_it(&runtime)));
        }
    }
}
