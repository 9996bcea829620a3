//! What arming and cancelling is made of: `cargo bench -p tickwheel-benches --bench parts`
//!
//! A timer that is never early reads the clock; one whose futures may go to any thread has a
//! lock and counts who uses it; one that wakes a task keeps its waker. What these cost where
//! nobody contends for them is what no such timer gets below. All in turns, so that what else
//! the machine does slows all.

use std::{
    hint::black_box,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Wake, Waker},
    time::Instant,
};

use tickwheel::Timer;
use tickwheel_benches::{
    in_turns::{EARLIER, LATER, keep_armed, nanos},
    quartiles::Quartiles,
};
use tokio::runtime::Builder;

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let rounds = if is_bench { 200 } else { 1 };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("the machine can run one").block_on(async {
        let timer = Timer::new();
        let mut theirs = pin!(tokio::time::sleep(EARLIER));
        let mut ours = pin!(timer.sleep(EARLIER));
        keep_armed(theirs.as_mut(), ours.as_mut()).await;
        measure(&timer, rounds);
    });
}

fn measure(timer: &Timer, rounds: usize) {
    let waker = Waker::from(Arc::new(Task));
    let (lock, owner) = (Mutex::new(0_u64), Arc::new(0_u64));
    let clock = || {
        black_box(Instant::now());
    };
    let lock = || *black_box(&lock).lock().expect("nobody panics") += 1;
    let kept = || drop(black_box(waker.clone()));
    let counted = || drop(black_box(Arc::clone(&owner)));
    let mut works: [(&str, &mut dyn FnMut()); 8] = [
        ("the clock read", &mut || clock()),
        ("a lock taken and given back", &mut || lock()),
        ("a waker cloned and dropped", &mut || kept()),
        ("a count of owners up and down", &mut || counted()),
        ("all of a sleep: clock, two locks, waker, owner", &mut || {
            let (owner, waker) = (black_box(Arc::clone(&owner)), black_box(waker.clone()));
            clock();
            lock();
            lock();
            drop((waker, owner));
        }),
        ("tickwheel, arm + cancel", &mut || arm(timer.sleep(black_box(LATER)), &waker)),
        ("tickwheel, callback armed + cancelled", &mut || {
            black_box(timer.call_later(black_box(LATER), || ())).cancel();
        }),
        ("tokio, arm + cancel", &mut || arm(tokio::time::sleep(black_box(LATER)), &waker)),
    ];
    let mut figures = vec![Vec::with_capacity(rounds); works.len()];
    for _ in 0..rounds {
        for ((_, work), figures) in works.iter_mut().zip(&mut figures) {
            figures.push(nanos(*work));
        }
    }
    let theirs = figures.last().expect("there are eight").clone();
    println!("| one of | ns | × tokio's arm + cancel (quartiles) |\n|---|---|---|");
    for ((name, _), figures) in works.iter().zip(figures) {
        let ratios = Quartiles::of(figures.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs));
        let (time, ratio) = Quartiles::of(figures).zip(ratios).expect("there were rounds");
        let Quartiles { low, median, high } = ratio;
        println!("| {name} | {:.1} | {median:.2} ({low:.2} – {high:.2}) |", time.median);
    }
}

fn arm(sleep: impl Future<Output = ()>, waker: &Waker) {
    assert_eq!(pin!(sleep).poll(&mut Context::from_waker(waker)), Poll::Pending);
}

/// What a waker wakes; on a cache line of its own, as a task is
#[repr(align(128))]
struct Task;

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}
