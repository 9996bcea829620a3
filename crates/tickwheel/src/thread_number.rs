use std::sync::atomic::{AtomicUsize, Ordering};

/// A small number that stays with the calling thread
///
/// Threads are numbered as they first ask, so that the few that set timers get
/// neighbouring numbers, and with them shards of their own.
pub(crate) fn thread_number() -> usize {
    // A thread whose locals are gone already may still drop or make a timer.
    NUMBER.try_with(|&number| number).unwrap_or(0)
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_number_and_shares_it_with_none() {
        let here = thread_number();
        assert_eq!(thread_number(), here);
        let there = std::thread::spawn(thread_number).join().expect("the thread does not panic");
        assert_ne!(here, there);
    }
}
