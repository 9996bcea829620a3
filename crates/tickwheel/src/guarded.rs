use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// What a user's code did instead of returning
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs a user's code, whose panic goes no further than this
///
/// The panic hook has told of it.
pub(crate) fn guarded<R>(user_code: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(user_code)).map_err(|payload| {
        // What was thrown is user code as well. Should its drop throw once more, that is not looked at.
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(payload)));
        mem::forget(dropped);
        Panicked
    })
}
