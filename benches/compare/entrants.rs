//! The field: all that take part, in the order of the tables

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::{
    peer::Peer,
    peers::{
        async_io::AsyncIo, futures_timer::FuturesTimer, kestrel::Kestrel, pingora::Pingora,
        tickwheel::Tickwheel, tokio::Tokio,
    },
    work::{Round, Work},
};

/// The rounds of all, tokio's first; or of the one of this name
pub(crate) fn staged<'a, W: Work>(
    work: &'a W,
    runtime: &'a Runtime,
    only: Option<&str>,
) -> Vec<(String, Round<'a>)> {
    let handle = runtime.handle();
    let mut field = Field { work, runtime, only, staged: Vec::new() };
    field.enter(|| Tokio);
    for tick in TICKS {
        field.enter(|| Tickwheel::new(tick, handle));
    }
    if work.has_timeouts() {
        field.enter(|| Tickwheel::lazy(Duration::from_millis(1), handle));
    }
    field.enter(|| Pingora);
    field.enter(|| AsyncIo);
    field.enter(|| FuturesTimer);
    field.enter(|| Kestrel::new(handle));
    field.staged
}

struct Field<'a, 'n, W> {
    work: &'a W,
    runtime: &'a Runtime,
    only: Option<&'n str>,
    staged: Vec<(String, Round<'a>)>,
}

impl<W: Work> Field<'_, '_, W> {
    fn enter<P: Peer>(&mut self, peer: impl FnOnce() -> P) {
        let peer = peer();
        let name = peer.name();
        if self.only.is_some_and(|only| only != name) {
            return;
        }
        self.staged.extend(self.work.stage(peer, self.runtime).map(|round| (name, round)));
    }
}

const TICKS: [Duration; 3] =
    [Duration::from_micros(100), Duration::from_millis(1), Duration::from_millis(10)];
