//! async-io's `Timer`: an ordered map behind a lock, visited by the reactor's thread

use std::{pin::Pin, time::Duration};

use async_io::Timer;

use crate::peer::Peer;

#[derive(Clone, Debug)]
pub(crate) struct AsyncIo;

impl Peer for AsyncIo {
    type Sleep = Timer;

    const RESETS: bool = true;

    fn name(&self) -> String {
        "async-io".into()
    }

    fn sleep(&self, delay: Duration) -> Timer {
        Timer::after(delay)
    }

    fn reset(mut sleep: Pin<&mut Timer>, delay: Duration) {
        sleep.set_after(delay);
    }
}
