//! What may be done to a timer, drawn at random

use std::time::Duration;

use proptest::{prelude::*, sample::Index};
use tickwheel::{Lane, MissedTickBehavior};
use tickwheel_tests::{edges::EDGE_AND_OVERFLOW_BITS, queue_history};

/// How the timer of a story is built
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) tick: Duration,
    pub(crate) slack: Duration,
    pub(crate) max_pending: Option<usize>,
    pub(crate) turn_timers: usize,
    /// So long after the runtime: tokio's milliseconds are not the timer's
    pub(crate) phase: Duration,
}

/// One thing that is done, or time that passes
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Make(Form, Where, When),
    Poll(Index, Waking),
    /// What a timeout is put around becomes ready
    Finish(Index),
    Reset(Index, When),
    Disarm(Index),
    Drop(Index),
    Call(Repeat, Where, When, Within),
    Start(Index),
    Stop(Index),
    Cancel(Index),
    Queue(queue_history::Operation),
    /// Time passes, and the driver has no chance to see it
    Pass(Duration),
    /// To just about a deadline
    PassTo(Index, i64),
    /// The driver has its turn, and no time passes
    Turn,
    /// Nobody does anything for so long: the clock goes from one deadline to the next
    Idle(Duration),
}

/// Which future
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Sleep,
    TrySleep,
    Timeout,
    TryTimeout,
    Interval(Duration, MissedTickBehavior),
}

/// How it is made
#[derive(Clone, Copy, Debug)]
pub(crate) struct Where {
    pub(crate) lane: Lane,
    /// In ticks
    pub(crate) slack: Option<u32>,
    /// Not polled, and so not armed, by the same operation
    pub(crate) is_lazy: bool,
}

/// Whom a poll names
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waking {
    /// Who was named before
    TheSame,
    /// Another, and who was named before must not be woken any more
    Another,
}

/// How often a function is called
#[derive(Clone, Copy, Debug)]
pub(crate) enum Repeat {
    Once,
    TryOnce,
    Every(Duration, MissedTickBehavior),
}

/// What a function does when it is called
#[derive(Clone, Copy, Debug)]
pub(crate) enum Within {
    Nothing,
    Cancel(Index),
    Arm(Duration),
    Panic,
}

/// A deadline
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    After(Duration),
    Past(Duration),
    /// That of another timer
    Tie(Index),
    /// Beside a multiple of 2^`bits` ticks
    Edge {
        bits: u32,
        offset: i64,
    },
}

/// How a story ends
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// Everything is dropped
    Drop,
    Shutdown,
    /// So much time passes that all comes that ever will
    RunOut,
}

pub(crate) fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![Just(Ending::Drop), Just(Ending::Shutdown), Just(Ending::RunOut)]
}

/// With a queue or without: only without can each count be known
pub(crate) fn story() -> impl Strategy<Value = (Settings, Vec<Operation>)> {
    let plain = (settings(), prop::collection::vec(operation(), 1..80));
    let with_queue = prop_oneof![
        2 => operation(),
        1 => queue_history::change().prop_map(Operation::Queue),
    ];
    let with_queue = (plain_settings(), prop::collection::vec(with_queue, 1..80));
    prop_oneof![2 => plain, 1 => with_queue]
}

fn settings() -> impl Strategy<Value = Settings> {
    let micros = prop::sample::select(&[1_000u64, 100, 7_000, 10_000, 1_337][..]);
    let slack = prop_oneof![3 => Just(0u64), 1 => 0u64..100_000];
    let phase = prop_oneof![2 => Just(0u64), 1 => 0u64..1_000_000];
    let max_pending = prop_oneof![2 => Just(None), 1 => (1usize..8).prop_map(Some)];
    let turn_timers = prop::sample::select(&[1usize, 2, 7, 1_000][..]);
    (micros, slack, phase, max_pending, turn_timers).prop_map(
        |(tick, slack, phase, max_pending, turn_timers)| Settings {
            tick: Duration::from_micros(tick),
            slack: Duration::from_micros(slack),
            max_pending,
            turn_timers,
            phase: Duration::from_nanos(phase),
        },
    )
}

/// As [`queue_history`] expects them
fn plain_settings() -> impl Strategy<Value = Settings> {
    settings().prop_map(|settings| Settings {
        tick: Duration::from_millis(1),
        slack: Duration::ZERO,
        phase: Duration::ZERO,
        ..settings
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as Op;
    let make = (form(), place(), when());
    let call = (repeat(), place(), when(), within());
    let waking = prop_oneof![3 => Just(Waking::TheSame), 1 => Just(Waking::Another)];
    prop_oneof![
        30 => make.prop_map(|(form, place, when)| Op::Make(form, place, when)),
        15 => (any::<Index>(), waking).prop_map(|(which, waking)| Op::Poll(which, waking)),
        4 => any::<Index>().prop_map(Op::Finish),
        15 => (any::<Index>(), when()).prop_map(|(which, when)| Op::Reset(which, when)),
        2 => any::<Index>().prop_map(Op::Disarm),
        10 => any::<Index>().prop_map(Op::Drop),
        12 => call.prop_map(|(repeat, place, when, within)| Op::Call(repeat, place, when, within)),
        4 => any::<Index>().prop_map(Op::Start),
        2 => any::<Index>().prop_map(Op::Stop),
        4 => any::<Index>().prop_map(Op::Cancel),
        6 => duration().prop_map(Op::Pass),
        10 => (any::<Index>(), -2i64..3).prop_map(|(which, beside)| Op::PassTo(which, beside)),
        8 => Just(Op::Turn),
        12 => duration().prop_map(Op::Idle),
    ]
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        3 => Just(Form::Sleep),
        3 => Just(Form::TrySleep),
        1 => Just(Form::Timeout),
        1 => Just(Form::TryTimeout),
        2 => (period(), missed()).prop_map(|(period, missed)| Form::Interval(period, missed)),
    ]
}

fn repeat() -> impl Strategy<Value = Repeat> {
    prop_oneof![
        3 => Just(Repeat::Once),
        1 => Just(Repeat::TryOnce),
        2 => (period(), missed()).prop_map(|(period, missed)| Repeat::Every(period, missed)),
    ]
}

fn within() -> impl Strategy<Value = Within> {
    prop_oneof![
        4 => Just(Within::Nothing),
        4 => any::<Index>().prop_map(Within::Cancel),
        2 => duration().prop_map(|delay| Within::Arm(delay + Duration::from_micros(1))),
        1 => Just(Within::Panic),
    ]
}

fn place() -> impl Strategy<Value = Where> {
    let lane = prop_oneof![3 => Just(Lane::Normal), 1 => Just(Lane::Critical)];
    let slack = prop_oneof![6 => Just(None), 1 => (0u32..300).prop_map(Some)];
    let is_lazy = prop::bool::weighted(0.2);
    (lane, slack, is_lazy).prop_map(|(lane, slack, is_lazy)| Where { lane, slack, is_lazy })
}

fn missed() -> impl Strategy<Value = MissedTickBehavior> {
    use MissedTickBehavior::{Burst, Delay, Skip};
    prop_oneof![Just(Burst), Just(Delay), Just(Skip)]
}

fn when() -> impl Strategy<Value = When> {
    let bits = prop::sample::select(&EDGE_AND_OVERFLOW_BITS[..]);
    prop_oneof![
        6 => duration().prop_map(When::After),
        1 => Just(When::After(Duration::MAX)),
        1 => duration().prop_map(When::Past),
        3 => any::<Index>().prop_map(When::Tie),
        2 => (bits, -2i64..3).prop_map(|(bits, offset)| When::Edge { bits, offset }),
    ]
}

/// From nothing to a year, small ones more often, some of them whole milliseconds
fn duration() -> impl Strategy<Value = Duration> {
    let micros = (any::<u64>(), 0u32..45).prop_map(|(any, bits)| any & ((1 << bits) - 1));
    let millis = (any::<u64>(), 0u32..35).prop_map(|(any, bits)| any & ((1 << bits) - 1));
    prop_oneof![
        1 => micros.prop_map(Duration::from_micros),
        1 => millis.prop_map(Duration::from_millis),
        2 => (0u64..20_000).prop_map(Duration::from_micros),
        2 => (0u64..300).prop_map(Duration::from_millis),
    ]
}

fn period() -> impl Strategy<Value = Duration> {
    duration().prop_map(|period| period + Duration::from_micros(1))
}
