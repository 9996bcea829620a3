//! The service: a thousand of each operation on one thread
//!
//! `.ci/instructions` counts them, and keeps the figures.

use std::{
    future::ready,
    hint::black_box,
    pin::{Pin, pin},
    task::{Context, Waker},
    time::Duration,
};

use gungraun::{library_benchmark, library_benchmark_group, main};
use tickwheel::{Callback, DelayQueue, Sleep, Timer};
use tokio::{
    runtime::{Builder, Runtime},
    task::yield_now,
};

main!(library_benchmark_groups = futures, callbacks, queues);

library_benchmark_group!(
    name = futures;
    benchmarks = arm_and_cancel, ready_timeout, reset_to_later, poll_again, fire
);

library_benchmark_group!(
    name = callbacks;
    benchmarks = call_and_cancel, call
);

library_benchmark_group!(
    name = queues;
    benchmarks = insert_and_remove
);

#[library_benchmark]
#[bench::a_sleep(Scene::new())]
fn arm_and_cancel(scene: Scene) -> Scene {
    for _ in 0..TIMES {
        poll(pin!(scene.timer.sleep(black_box(LATER))));
    }
    scene
}

#[library_benchmark]
#[bench::from_its_making(Scene::new())]
#[bench::lazy(Scene::lazy())]
fn ready_timeout(scene: Scene) -> Scene {
    for _ in 0..TIMES {
        poll(pin!(scene.timer.timeout(black_box(LATER), ready(()))));
    }
    scene
}

#[library_benchmark]
#[bench::an_armed_sleep(Scene::new().with_sleep())]
fn reset_to_later((scene, mut sleep): (Scene, Sleep)) -> (Scene, Sleep) {
    for _ in 0..TIMES {
        sleep.reset_after(black_box(LATER));
    }
    (scene, sleep)
}

#[library_benchmark]
#[bench::a_waiting_sleep(Scene::new().with_sleep())]
fn poll_again((scene, mut sleep): (Scene, Sleep)) -> (Scene, Sleep) {
    for _ in 0..TIMES {
        poll(pin!(&mut sleep));
    }
    (scene, sleep)
}

// What the driver does, and what its runtime does to poll it.
#[library_benchmark]
#[bench::at_one_tick(Scene::new().with_sleeps())]
fn fire((scene, sleeps): (Scene, Vec<Sleep>)) -> (Scene, Vec<Sleep>) {
    scene.turn();
    (scene, sleeps)
}

#[library_benchmark]
#[bench::alone(Scene::new())]
fn call_and_cancel(scene: Scene) -> Scene {
    for _ in 0..TIMES {
        black_box(scene.timer.call_later(black_box(LATER), || ())).cancel();
    }
    scene
}

#[library_benchmark]
#[bench::at_one_tick(Scene::new().with_callbacks())]
fn call(scene: Scene) -> Scene {
    scene.turn();
    scene
}

#[library_benchmark]
#[bench::of_a_delay_queue(Scene::new().with_queue())]
fn insert_and_remove((scene, mut queue): (Scene, DelayQueue<u64>)) -> (Scene, DelayQueue<u64>) {
    for item in 0..TIMES {
        let key = queue.insert(item, black_box(LATER));
        black_box(queue.remove(&key));
    }
    (scene, queue)
}

/// A timer as a worker of a busy service has it, with one earlier deadline armed
struct Scene {
    timer: Timer,
    runtime: Runtime,
    _earlier: Callback,
}

impl Scene {
    fn new() -> Self {
        Self::with(Timer::builder())
    }

    fn lazy() -> Self {
        Self::with(Timer::builder().lazy_timeouts(true))
    }

    fn with(builder: tickwheel::Builder) -> Self {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("the machine can run one");
        // The machine's clock, as on the workers of a multi-thread runtime; turns that take
        // as long as they take, since valgrind makes them long.
        let builder = builder.virtual_clock(false).turn_timers(usize::MAX).turn_time(Duration::MAX);
        let timer = builder.build_on(runtime.handle()).expect("nothing is out of range");
        let earlier = timer.call_later(EARLIER, || ());
        let scene = Self { timer, runtime, _earlier: earlier };
        scene.turn();
        scene
    }

    /// Lets the driver do what there is to do
    fn turn(&self) {
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                yield_now().await;
            }
        });
    }

    fn with_sleep(self) -> (Self, Sleep) {
        let mut sleep = self.timer.sleep(LATER);
        poll(pin!(&mut sleep));
        (self, sleep)
    }

    fn with_sleeps(self) -> (Self, Vec<Sleep>) {
        let due = self.timer.now() + SOON;
        let sleeps = (0..TIMES).map(|_| {
            let mut sleep = self.timer.sleep_until(due);
            poll(pin!(&mut sleep));
            sleep
        });
        let sleeps = sleeps.collect();
        std::thread::sleep(2 * SOON);
        (self, sleeps)
    }

    fn with_callbacks(self) -> Self {
        let due = self.timer.now() + SOON;
        for _ in 0..TIMES {
            self.timer.call_at(due, || ());
        }
        std::thread::sleep(2 * SOON);
        self
    }

    fn with_queue(self) -> (Self, DelayQueue<u64>) {
        let mut queue = self.timer.delay_queue();
        queue.insert(0, EARLIER);
        (self, queue)
    }
}

fn poll<F: Future>(future: Pin<&mut F>) {
    black_box(future.poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

const TIMES: u64 = 1000;
const TURNS: usize = 4;
const SOON: Duration = Duration::from_millis(500);
const EARLIER: Duration = Duration::from_mins(10);
const LATER: Duration = Duration::from_mins(15);
