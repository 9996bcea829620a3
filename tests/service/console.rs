//! What tokio-console is shown, by the rules by which its subscriber recognises it

use std::{
    collections::HashMap,
    fmt::{self, Write},
    sync::{Arc, Mutex},
};

use futures::poll;
use tickwheel::{Sleep, Timer};
use tickwheel_tests::durations::{HOUR, MS, SECOND};
use tokio::{sync::Mutex as AsyncMutex, time::advance};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::{DefaultGuard, set_default},
};

/// Keeps what the console's layer would
#[derive(Clone, Default)]
struct Console(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    spans: HashMap<u64, Span>,
    entered: Vec<u64>,
    /// What happened, a line each
    seen: Vec<String>,
}

struct Span {
    name: &'static str,
    references: usize,
}

impl State {
    /// The innermost span of that name which somebody is in: that is where the console looks
    fn in_a(&self, name: &str) -> bool {
        self.entered.iter().any(|id| self.spans[id].name == name)
    }

    /// Where an event or a span is, by the spans that it is in
    fn place(&self) -> String {
        let names = self.entered.iter().map(|id| self.spans[id].name);
        names.collect::<Vec<_>>().join(" > ")
    }
}

impl Subscriber for Console {
    /// As console-subscriber 0.5 filters
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.is_event() {
            return metadata.target().starts_with("runtime")
                || metadata.target().starts_with("tokio");
        }
        metadata.name().starts_with("runtime.") || metadata.target().starts_with("tokio")
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut state = self.0.lock().unwrap();
        let metadata = attributes.metadata();
        assert_eq!(*metadata.level(), Level::TRACE);
        let mut fields = Typed(String::new());
        attributes.record(&mut fields);
        let id = 1 + state.spans.len() as u64;
        let name = metadata.name();
        if name == "runtime.resource.async_op" {
            assert!(state.in_a("runtime.resource"), "or the console does not know whose it is");
        }
        state.seen.push(format!("new {name} {}", fields.0).trim_end().to_owned());
        state.spans.insert(id, Span { name, references: 1 });
        span::Id::from_u64(id)
    }

    fn event(&self, event: &Event<'_>) {
        let mut state = self.0.lock().unwrap();
        assert_eq!(*event.metadata().level(), Level::TRACE);
        let mut fields = Typed(String::new());
        event.record(&mut fields);
        let line = format!("{} {}in {}", event.metadata().target(), fields.0, state.place());
        state.seen.push(line);
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, id: &span::Id) {
        self.0.lock().unwrap().entered.push(id.into_u64());
    }

    fn exit(&self, id: &span::Id) {
        let left = self.0.lock().unwrap().entered.pop();
        assert_eq!(left, Some(id.into_u64()), "spans are left in turn");
    }

    fn clone_span(&self, id: &span::Id) -> span::Id {
        self.0.lock().unwrap().spans.get_mut(&id.into_u64()).unwrap().references += 1;
        id.clone()
    }

    fn try_close(&self, id: span::Id) -> bool {
        let mut state = self.0.lock().unwrap();
        let span = state.spans.get_mut(&id.into_u64()).unwrap();
        span.references -= 1;
        let (is_closed, name) = (span.references == 0, span.name);
        if is_closed {
            state.seen.push(format!("closed {name}"));
        }
        is_closed
    }
}

/// Fields as `name=value:type `, since the console takes each in one type only
struct Typed(String);

impl Typed {
    fn note(&mut self, field: &Field, value: &dyn fmt::Debug, kind: &str) {
        write!(self.0, "{}={value:?}:{kind} ", field.name()).expect("a string takes all");
    }
}

impl Visit for Typed {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.note(field, value, "debug");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.note(field, &value, "str");
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.note(field, &value, "u64");
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.note(field, &value, "bool");
    }
}

impl Console {
    fn watch() -> (Self, DefaultGuard) {
        let console = Self::default();
        (console.clone(), set_default(console))
    }

    /// What was seen since this was asked last
    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().seen)
    }
}

fn resource(concrete_type: &str, line: u32, column: u32) -> String {
    format!(
        "new runtime.resource concrete_type={concrete_type:?}:str kind=\"timer\":str \
         is_internal=false:bool inherits_child_attrs=false:bool loc.file={:?}:str \
         loc.line={line}:u64 loc.col={column}:u64",
        file!()
    )
}

fn operation(source: &str) -> String {
    format!("new runtime.resource.async_op source={source:?}:str inherits_child_attrs=false:bool")
}

fn state_update(ms: u64) -> String {
    format!(
        "runtime::resource::state_update duration={ms}:u64 duration.unit=\"ms\":str \
         duration.op=\"override\":str in runtime.resource"
    )
}

fn poll_op(is_ready: bool) -> String {
    format!(
        "runtime::resource::poll_op op_name=\"poll_elapsed\":str is_ready={is_ready}:bool in \
         runtime.resource > runtime.resource.async_op > runtime.resource.async_op.poll"
    )
}

/// One story at a time: a thread that meets a span first while it has no subscriber can make
/// tracing forget about it for those that have
static ALONE: AsyncMutex<()> = AsyncMutex::const_new(());

const POLL: &str = "new runtime.resource.async_op.poll";

#[tokio::test(start_paused = true)]
async fn a_sleep_is_a_timer_with_an_operation_that_is_polled() {
    let _alone = ALONE.lock().await;
    let (console, _watching) = Console::watch();
    let timer = Timer::new();
    let (mut sleep, line) = (timer.sleep(40 * MS), line!());
    assert_eq!(console.seen(), [""; 0], "nothing before it is polled");

    assert!(poll!(&mut sleep).is_pending());
    let begun = [
        resource("Sleep", line, 36),
        operation("Sleep::new"),
        POLL.to_owned(),
        state_update(40),
        poll_op(false),
    ];
    assert_eq!(console.seen(), begun);

    sleep.reset_after(3 * SECOND);
    let mut moved = console.seen();
    let closed = moved.split_off(3);
    assert_eq!(moved, [operation("Sleep::reset"), POLL.to_owned(), state_update(3000)]);
    assert_eq!(closed.len(), 2, "the operation before: {closed:?}");

    advance(4 * SECOND).await;
    assert!(poll!(&mut sleep).is_ready());
    assert_eq!(console.seen(), [poll_op(true)]);
    assert!(poll!(&mut sleep).is_ready());
    assert_eq!(console.seen(), [""; 0], "it is over");

    drop(sleep);
    let mut closed = console.seen();
    closed.sort();
    let right =
        ["", ".async_op", ".async_op.poll"].map(|of| format!("closed runtime.resource{of}"));
    assert_eq!(closed, right);
    assert_eq!(console.0.lock().unwrap().entered, [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_called_by_its_name() {
    let _alone = ALONE.lock().await;
    let (console, _watching) = Console::watch();
    let timer = Timer::new();
    let mut sleep = timer.try_sleep(HOUR);
    assert!(poll!(&mut sleep).is_pending());
    let mut timeout = timer.timeout(HOUR, std::future::pending::<()>());
    assert!(poll!(&mut timeout).is_pending());
    let mut interval = timer.interval_at(timer.now() + SECOND, HOUR);
    interval.tick().await;
    let seen = console.seen();
    let types = seen.iter().filter(|line| line.starts_with("new runtime.resource "));
    let types: Vec<_> = types.map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(types, ["TrySleep", "Timeout", "Interval"]);
    // The interval waits for the next one already.
    assert_eq!(
        seen.iter().rfind(|line| line.contains("duration=")),
        Some(&state_update(3_600_000))
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_never_armed_is_not_shown() {
    let _alone = ALONE.lock().await;
    let (console, _watching) = Console::watch();
    let timer = Timer::new();
    assert_eq!(timer.timeout(HOUR, async { 7 }).await, Ok(7));
    let mut for_ever = timer.timeout(std::time::Duration::MAX, std::future::pending::<()>());
    assert!(poll!(&mut for_ever).is_pending());
    let mut disarmed = timer.sleep(HOUR);
    disarmed.disarm();
    assert!(poll!(&mut disarmed).is_pending());
    drop((for_ever, disarmed, timer.sleep(HOUR)));
    assert_eq!(console.seen(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_watches_a_sleep_sleeps() {
    let _alone = ALONE.lock().await;
    // Other tests' subscribers are none of its business.
    let deaf = set_default(Harsh { is_interested: false });
    let timer = Timer::new();
    let mut sleep: Sleep = timer.sleep(SECOND);
    assert!(poll!(&mut sleep).is_pending());
    drop(deaf);
    let (console, _watching) = Console::watch();
    assert!(poll!(&mut sleep).is_pending());
    assert_eq!(console.seen().len(), 5, "who comes late sees what is left");
    sleep.await;
}

/// A subscriber is user code. It panics in the task that polls, and nobody else is touched
#[tokio::test(start_paused = true)]
async fn a_subscriber_that_panics_harms_no_timer() {
    let _alone = ALONE.lock().await;
    let timer = Timer::new();
    let mut before = timer.sleep(SECOND);
    assert!(poll!(&mut before).is_pending());
    let watching = set_default(Harsh { is_interested: true });
    let task = tokio::spawn(timer.sleep(SECOND));
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(timer.pending(), 1);
    drop(watching);
    before.await;
}

/// Panics when it is told of something that it is interested in
struct Harsh {
    is_interested: bool,
}

impl Subscriber for Harsh {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.is_interested && metadata.name().starts_with("runtime.")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        panic!("on purpose");
    }

    fn event(&self, _: &Event<'_>) {}
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}
