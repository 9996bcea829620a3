//! What a panic says, and where

use std::{
    any::Any,
    cell::RefCell,
    panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind},
    sync::Once,
};

/// A panic that was caught
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    pub message: String,
    pub file: String,
    pub line: u32,
}

/// Runs what must panic, and says how it did; nothing is printed
///
/// # Panics
///
/// When it does not.
#[track_caller]
pub fn panic_of<R>(action: impl FnOnce() -> R) -> Panicked {
    install_hook();
    let outer = WATCH.replace(Watch::Waiting);
    let result = catch_unwind(AssertUnwindSafe(action));
    let seen = WATCH.replace(outer);
    assert!(result.is_err(), "it was to panic");
    match seen {
        Watch::Seen(panicked) => panicked,
        Watch::Off | Watch::Waiting => unreachable!("the hook sees every panic"),
    }
}

/// What the payload of a caught panic says
///
/// # Panics
///
/// When it is no string.
pub fn message_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .expect("a panic with a message")
}

fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !note(info) {
                before(info);
            }
        }));
    });
}

/// False when nobody on this thread wants to know
fn note(info: &PanicHookInfo<'_>) -> bool {
    WATCH.with_borrow_mut(|watch| {
        if matches!(watch, Watch::Off) {
            return false;
        }
        let location = info.location().expect("every panic has a location");
        *watch = Watch::Seen(Panicked {
            message: message_of(info.payload()),
            file: location.file().to_owned(),
            line: location.line(),
        });
        true
    })
}

/// Whether panics of this thread are of interest, and the last that was
enum Watch {
    Off,
    Waiting,
    Seen(Panicked),
}

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch::Off) };
}
