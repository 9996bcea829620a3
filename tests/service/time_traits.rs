//! Whatever trait a type of `tokio::time` has, ours of that name has too

use std::{
    error::Error,
    fmt::{Debug, Display},
    future::{Future, IntoFuture, Pending, Ready},
    hash::Hash,
    io,
    panic::{RefUnwindSafe, UnwindSafe},
    rc::Rc,
};

use futures::{Stream, future::FusedFuture};
use tickwheel::time as ours;
use tokio::time as theirs;

/// Whether a type has a trait, as a constant
///
/// One of the type itself, which is there where the trait is, goes before that of a trait
/// which all types have.
macro_rules! has {
    ($type:ty: $($bound:tt)+) => {{
        #[expect(dead_code, reason = "nothing is made of it, and one constant is not looked at")]
        const HAS: bool = {
            trait Otherwise {
                const HAS: bool = false;
            }
            struct On<T>(T);
            impl<T> Otherwise for On<T> {}
            impl<T: $($bound)+> On<T> {
                const HAS: bool = true;
            }
            <On<$type>>::HAS
        };
        HAS
    }};
}

/// Fails to compile where the first type has one of the traits and the second has not
macro_rules! assert_as_much {
    ($theirs:ty, $ours:ty) => {
        assert_as_much!(
            $theirs, $ours;
            [Send] [Sync] [Unpin] [UnwindSafe] [RefUnwindSafe] ['static] [Debug] [Display] [Clone]
            [Copy] [Default] [PartialEq] [Eq] [PartialOrd] [Ord] [Hash] [Error] [Into<io::Error>]
            [Future] [Future<Output = ()>] [IntoFuture] [FusedFuture] [Stream]
        );
    };
    ($theirs:ty, $ours:ty; $([$($bound:tt)+])+) => {
        $(const _: () = assert!(
            has!($ours: $($bound)+) || !has!($theirs: $($bound)+),
            concat!(stringify!($ours), " lacks ", stringify!($($bound)+)),
        );)+
    };
}

struct NoDebug;

assert_as_much!(theirs::Sleep, ours::Sleep);
assert_as_much!(theirs::Timeout<Pending<u8>>, ours::Timeout<Pending<u8>>);
assert_as_much!(theirs::Timeout<Ready<Rc<u8>>>, ours::Timeout<Ready<Rc<u8>>>);
assert_as_much!(theirs::Timeout<NoDebug>, ours::Timeout<NoDebug>);
assert_as_much!(theirs::Interval, ours::Interval);
assert_as_much!(theirs::MissedTickBehavior, ours::MissedTickBehavior);
assert_as_much!(theirs::Instant, ours::Instant);
assert_as_much!(theirs::error::Elapsed, ours::error::Elapsed);
assert_as_much!(theirs::error::Error, ours::error::Error);

// That it notices: what is known of tokio's, and what ours have beyond it.
const _: () = {
    assert!(has!(theirs::Sleep: Send) && has!(theirs::Sleep: Sync) && has!(theirs::Sleep: Debug));
    assert!(!has!(theirs::Sleep: Unpin) && has!(ours::Sleep: Unpin));
    assert!(!has!(theirs::Timeout<Pending<u8>>: Unpin) && has!(ours::Timeout<Pending<u8>>: Unpin));
    assert!(has!(theirs::Interval: Unpin) && !has!(theirs::Interval: Stream));
    assert!(has!(ours::Interval: Stream<Item = ours::Instant>));
    assert!(has!(theirs::error::Elapsed: Into<io::Error>) && has!(theirs::error::Elapsed: Eq));
    assert!(!has!(theirs::error::Elapsed: Clone) && has!(ours::error::Elapsed: Copy));
    assert!(!has!(ours::Timeout<Ready<Rc<u8>>>: Send) && !has!(ours::Timeout<NoDebug>: Debug));
};

// Whoever keeps many pays for the size of each.
#[cfg(not(feature = "console"))]
const _: () = assert!(size_of::<ours::Sleep>() <= 56);
const _: () = assert!(size_of::<ours::Sleep>() <= size_of::<theirs::Sleep>());
const _: () = assert!(size_of::<ours::Timeout<()>>() <= size_of::<theirs::Timeout<()>>());
