//! Every public method, called from inside a callback, from a waker and from a drop

use std::{
    future::ready,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use futures::{Stream, future::FusedFuture, stream::FusedStream};
use tickwheel::{Callback, Every, MissedTickBehavior, Schedule, Timer};
use tickwheel_tests::{
    callbacks::{Itself, LIMIT, OnDrop, jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    runtimes::{multi_thread, settle, within},
    waker::{ActingWaker, armed, poll_with},
};
use tokio::time;

/// All of it, and in the end as much is armed as before
fn use_everything(timer: &Timer) {
    let before = timer.pending();
    use_the_timer(timer);
    use_sleeps(timer);
    use_timeouts_and_intervals(timer);
    use_a_queue(timer);
    use_callbacks(timer);
    use_schedules(timer);
    assert_eq!(timer.pending(), before);
}

fn use_the_timer(timer: &Timer) {
    let now = timer.now();
    assert!(timer.clone().now() >= now);
    let metrics = timer.metrics();
    assert_eq!(metrics.pending, timer.pending());
    assert!(!format!("{timer:?} {metrics:?} {metrics}").is_empty());
    if tokio::runtime::Handle::try_current().is_ok() {
        // Made and dropped at once, its driver with it.
        drop(Timer::try_new().unwrap().call_later(HOUR, || ()).cancel_on_drop());
        drop(Timer::builder().shards(1).build().unwrap());
    }
}

fn use_sleeps(timer: &Timer) {
    let noop = Waker::noop();
    let mut sleep = armed(timer, HOUR, noop);
    sleep.reset_after(2 * HOUR);
    sleep.reset(timer.now() + HOUR / 2);
    assert!(sleep.deadline() > timer.now() && !sleep.is_elapsed());
    assert_eq!(poll_with(&mut sleep, noop), Poll::Pending);
    sleep.disarm();
    sleep.reset(timer.now());
    is_ready_when_the_driver_comes(poll_with(&mut sleep, noop));
    let mut until = timer.sleep_until(timer.now() + HOUR);
    assert_eq!(poll_with(&mut until, noop), Poll::Pending);
    until.reset(timer.now() - MS);
    is_ready_when_the_driver_comes(poll_with(&mut until, noop));
    for mut sleep in [timer.try_sleep(HOUR), timer.try_sleep_until(timer.now() + HOUR)] {
        assert_eq!(poll_with(&mut sleep, noop), Poll::Pending);
        sleep.reset_after(2 * HOUR);
        sleep.reset(timer.now() + HOUR);
        assert!(sleep.deadline() > timer.now() && !sleep.is_elapsed() && !sleep.is_terminated());
        sleep.disarm();
    }
}

/// Something that is due, asked from within a turn of the driver
///
/// On the machine's clock it may be pending until the driver gets to it, in the same turn or the next.
fn is_ready_when_the_driver_comes<T>(_: Poll<T>) {}

fn use_timeouts_and_intervals(timer: &Timer) {
    let mut cx = Context::from_waker(Waker::noop());
    let mut timeout = timer.timeout(HOUR, std::future::pending::<()>());
    assert!(poll_with(&mut timeout, Waker::noop()).is_pending());
    timeout.reset(timer.now() + 2 * HOUR);
    Pin::new(&mut timeout).reset_pinned(timer.now() + HOUR);
    let _ = (timeout.deadline(), timeout.get_ref());
    assert!(poll_with(timeout.get_mut(), Waker::noop()).is_pending());
    drop(timeout.into_inner());
    let at = timer.timeout_at(timer.now() + HOUR, ready(1));
    assert_eq!(pin!(at).poll(&mut cx), Poll::Ready(Ok(1)));
    let mut tried = timer.try_timeout(HOUR, std::future::pending::<()>());
    assert!(poll_with(&mut tried, Waker::noop()).is_pending());
    tried.reset(timer.now() + 2 * HOUR);
    Pin::new(&mut tried).reset_pinned(timer.now() + HOUR);
    let _ = (tried.deadline(), tried.get_ref());
    assert!(poll_with(tried.get_mut(), Waker::noop()).is_pending());
    drop(tried.into_inner());

    let mut interval = timer.interval(HOUR);
    assert!(interval.poll_tick(&mut cx).is_ready() && interval.poll_tick(&mut cx).is_pending());
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let _ = (interval.period(), interval.missed_tick_behavior(), interval.is_terminated());
    interval.reset();
    interval.reset_after(2 * HOUR);
    interval.reset_at(timer.now() + 3 * HOUR);
    interval.set_period(2 * HOUR);
    assert!(interval.poll_tick(&mut cx).is_pending());
    interval.reset_immediately();
    is_ready_when_the_driver_comes(pin!(interval.tick()).poll(&mut cx));
    assert!(timer.try_interval(Duration::ZERO).is_err());
    drop(timer.interval_at(timer.now() + HOUR, HOUR));
}

fn use_a_queue(timer: &Timer) {
    let mut cx = Context::from_waker(Waker::noop());
    let mut queue = timer.delay_queue();
    queue.reserve(8);
    let first = queue.insert("first", HOUR);
    let second = queue.insert_at("second", timer.now() + 2 * HOUR);
    assert!(queue.poll_expired(&mut cx).is_pending());
    queue.reset(&first, 3 * HOUR);
    queue.reset_at(&first, timer.now() + 4 * HOUR);
    queue.try_reset(&second, HOUR / 2).unwrap();
    queue.try_reset_at(&second, timer.now() + HOUR / 2).unwrap();
    assert_eq!((queue.size_hint(), queue.is_terminated()), ((2, None), false));
    assert_eq!((queue.peek(), queue.len(), queue.is_empty()), (Some(second), 2, false));
    let _ = (queue.deadline(&first), queue.try_deadline(&first), queue.next_deadline());
    assert_eq!((queue.iter().count(), queue.capacity() >= 2), (2, true));
    assert!(pin!(&mut queue).poll_next(&mut cx).is_pending());
    let mut removed = queue.remove(&second);
    *removed.get_mut() = "removed";
    assert!(*removed.get_ref() == "removed" && removed.deadline() > timer.now());
    assert!(queue.try_remove(&removed.key()).is_none() && removed.into_inner() == "removed");
    queue.insert("due", Duration::ZERO);
    is_ready_when_the_driver_comes(queue.poll_expired(&mut cx));
    queue.set_pending_when_empty(true);
    queue.shrink_to_fit();
    queue.compact();
    assert!(queue.drain().count() >= 1);
    queue.insert("left", HOUR);
    assert!(queue.poll_expired(&mut cx).is_pending());
    queue.clear();
    assert!(queue.poll_expired(&mut cx).is_pending());
}

fn use_callbacks(timer: &Timer) {
    let hour = timer.now() + HOUR;
    let all = [
        timer.call_later(HOUR, || ()),
        timer.call_at(hour, || ()),
        timer.call_every(HOUR, || ()),
        timer.try_call_later(HOUR, || ()).unwrap(),
        timer.try_call_at(hour, || ()).unwrap(),
        timer.try_call_every(HOUR, || ()).unwrap(),
        timer.new_callback_once(HOUR, || ()),
        timer.new_callback_every(HOUR, || ()),
    ];
    assert!(timer.try_call_every(Duration::ZERO, || ()).is_err());
    for callback in &all {
        assert!(callback.start() && callback.start() && callback.stop() && callback.start());
        callback.set_next(|| Some(2 * HOUR)).unwrap();
        callback.clear_next();
        callback.set_missed_tick_behavior(MissedTickBehavior::Delay);
        assert!(callback.is_running() && !callback.is_finished());
        let _ = (callback.is_once(), callback.deadline(), format!("{callback:?}"));
    }
    let guard = all[0].clone().cancel_on_drop();
    assert_eq!(guard.callback().id(), all[0].id());
    drop(guard);
    assert!(timer.cancel(all[1].id()) && !timer.cancel(all[0].id()));
    assert!(all[2..].iter().all(Callback::cancel));
}

fn use_schedules(timer: &Timer) {
    let every = || Every::new(HOUR).unwrap();
    let all = [
        timer.call_on(every(), || ()),
        timer.try_call_on(every(), || ()).unwrap(),
        timer.new_callback_on(every(), || ()),
    ];
    for callback in &all {
        assert!(callback.start() && callback.set_next(|| None).is_err());
        callback.clear_next();
        assert!(callback.deadline().is_some() && callback.cancel());
    }
    let mut stream = timer.schedule(every());
    assert!(pin!(&mut stream).poll_next(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(stream.upcoming().is_some() && !stream.is_terminated());
    assert_eq!(stream.size_hint(), (1, None));
}

/// What a callback asks of its own handle; it is still as it was
fn use_itself(own: &Callback) {
    let _ = (own.is_running(), own.is_finished(), own.is_once(), own.id(), own.deadline());
    let _ = (own.start(), own.stop(), own.set_next(|| None), own.start());
    own.set_missed_tick_behavior(MissedTickBehavior::Skip);
    own.clear_next();
    assert!(!format!("{own:?}").is_empty());
}

/// A function that uses everything, and how often it did
fn using(timer: &Timer) -> (impl Fn() + Send + Sync + 'static, Arc<AtomicUsize>) {
    let used = Arc::new(AtomicUsize::new(0));
    let (timer, count) = (timer.clone(), Arc::clone(&used));
    let act = move || {
        use_everything(&timer);
        count.fetch_add(1, Ordering::SeqCst);
    };
    (act, used)
}

fn count(used: &AtomicUsize) -> usize {
    used.load(Ordering::SeqCst)
}

#[test]
fn callbacks_may_use_everything() {
    on_a_paused_clock(|timer| async move {
        let (act, used) = using(&timer);
        let act = Arc::new(act);
        let call = |itself: &Itself| {
            let (act, itself) = (Arc::clone(&act), itself.clone());
            move || {
                act();
                use_itself(itself.get());
            }
        };
        let own = [(); 5].map(|()| Itself::new());
        let every = Every::new(10 * MS).unwrap();
        let all = [
            timer.call_later(10 * MS, call(&own[0])),
            timer.call_every(10 * MS, call(&own[1])),
            timer.new_callback_once(10 * MS, call(&own[2])),
            timer.new_callback_every(10 * MS, call(&own[3])),
            timer.call_on(every, call(&own[4])),
        ];
        for (own, callback) in own.iter().zip(&all) {
            own.is(callback);
            callback.start();
        }
        jump(12 * MS).await;
        assert_eq!((count(&used), timer.metrics().callback_panics), (5, 0));
        assert!(all[0].is_finished() && all[1..].iter().all(Callback::cancel));
        assert_eq!(timer.pending(), 0);
    });
}

/// The functions that decide when are user code, too
#[test]
fn functions_that_decide_delays_and_schedules_may_use_everything() {
    on_a_paused_clock(|timer| async move {
        let (act, used) = using(&timer);
        let act = Arc::new(act);
        let dynamic = timer.call_every(HOUR, || ());
        let asked = Arc::clone(&act);
        dynamic
            .set_next(move || {
                asked();
                Some(10 * MS)
            })
            .unwrap();
        assert_eq!(count(&used), 1);
        let scheduled = timer.call_on(Using(act), || ());
        assert_eq!(count(&used), 2);
        jump(12 * MS).await;
        assert_eq!((count(&used), timer.metrics().callback_panics), (4, 0));
        assert!(dynamic.cancel() && scheduled.cancel());
        assert_eq!(timer.pending(), 0);
    });
}

struct Using<F>(Arc<F>);

impl<F: Fn()> Schedule for Using<F> {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (self.0)();
        Some(after + 10 * MS)
    }
}

#[test]
fn wakers_may_use_everything() {
    on_a_paused_clock(|timer| async move {
        let (act, used) = using(&timer);
        let act = Arc::new(act);
        let on_wake = || {
            let act = Arc::clone(&act);
            ActingWaker::on_wake(move || act())
        };
        let on_drop = || {
            let act = Arc::clone(&act);
            ActingWaker::on_drop(move || act())
        };
        let _woken = armed(&timer, 10 * MS, &on_wake());
        let _dropped = armed(&timer, 10 * MS, &on_drop());
        drop(armed(&timer, HOUR, &on_drop()));
        assert_eq!(count(&used), 1, "cancelled");
        jump(12 * MS).await;
        assert_eq!((count(&used), timer.pending()), (3, 0));
        let mut queue = timer.delay_queue();
        queue.insert((), 10 * MS);
        assert!(queue.poll_expired(&mut Context::from_waker(&on_wake())).is_pending());
        jump(12 * MS).await;
        assert_eq!(count(&used), 4);
    });
}

/// Spent, cancelled, ended by a panic, replaced, never armed
#[test]
fn what_is_dropped_may_use_everything() {
    on_a_paused_clock(|timer| async move {
        let (act, used) = using(&timer);
        let act = Arc::new(act);
        let owned = || {
            let act = Arc::clone(&act);
            let guard = OnDrop::new(move || act());
            move || guard.keep()
        };
        let next = || {
            let owned = owned();
            move || {
                owned();
                Some(HOUR)
            }
        };
        timer.call_later(10 * MS, owned());
        let once = timer.new_callback_once(10 * MS, owned());
        once.start();
        drop(once);
        jump(12 * MS).await;
        assert_eq!(count(&used), 2, "spent");
        assert!(timer.call_every(HOUR, owned()).cancel());
        drop(timer.new_callback_every(HOUR, owned()));
        drop(timer.call_later(HOUR, owned()).cancel_on_drop());
        assert_eq!(count(&used), 5, "cancelled");
        let dynamic = timer.call_every(HOUR, owned());
        dynamic.set_next(next()).unwrap();
        dynamic.set_next(next()).unwrap();
        dynamic.clear_next();
        assert_eq!(count(&used), 7, "replaced");
        dynamic.set_next(|| panic!("on purpose")).unwrap();
        assert_eq!(count(&used), 8, "ended by a panic");
        drop(timer.try_call_every(Duration::ZERO, owned()).unwrap_err());
        assert_eq!((count(&used), timer.pending()), (9, 0), "refused");
        settle().await;
    });
}

/// The same from a worker that also runs other tasks, in a real turn of the driver (real)
#[test]
fn callbacks_of_a_multi_thread_runtime_may_use_everything() {
    within(LIMIT, || {
        let runtime = multi_thread(2);
        let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
        let used = Arc::new(AtomicUsize::new(0));
        let all: Vec<_> = (0..50_u32)
            .map(|number| {
                let (used_timer, used) = (timer.clone(), Arc::clone(&used));
                timer.call_later(MS * (number / 10), move || {
                    use_sleeps(&used_timer);
                    use_timeouts_and_intervals(&used_timer);
                    use_a_queue(&used_timer);
                    use_callbacks(&used_timer);
                    use_schedules(&used_timer);
                    used.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        while !all.iter().all(Callback::is_finished) {
            std::thread::sleep(MS);
        }
        assert_eq!((used.load(Ordering::SeqCst), timer.pending()), (50, 0));
        assert_eq!(timer.metrics().callback_panics, 0);
    });
}

/// A callback may block on nothing of its timer, but it may spawn what does
#[test]
fn a_callback_may_spawn_tasks_that_wait() {
    on_a_paused_clock(|timer| async move {
        let done = Arc::new(AtomicUsize::new(0));
        let (spawner, noted) = (timer.clone(), Arc::clone(&done));
        timer.call_later(10 * MS, move || {
            tokio::spawn(async move {
                spawner.sleep(10 * MS).await;
                noted.fetch_add(1, Ordering::SeqCst);
            });
        });
        time::sleep(SECOND).await;
        assert_eq!((done.load(Ordering::SeqCst), timer.pending()), (1, 0));
    });
}
