use std::{
    panic::{AssertUnwindSafe, Location},
    task::Poll,
    time::Duration,
};

use tracing::{Span, trace, trace_span};

use crate::error::TimerError;

/// What the console is shown of one registration, from its first poll on
///
/// What is never polled is never armed, and is not shown.
#[derive(Debug)]
pub(crate) struct Shown {
    concrete_type: &'static str,
    /// Only entered and left, so there is nothing in them that a panic could leave half done
    spans: Option<AssertUnwindSafe<Box<Spans>>>,
}

#[derive(Debug)]
struct Spans {
    resource: Span,
    waiting: Waiting,
}

/// One wait for one deadline: an operation, and what polls it
#[derive(Debug)]
struct Waiting {
    operation: Span,
    poll: Span,
}

impl Default for Shown {
    fn default() -> Self {
        Self::new()
    }
}

impl Shown {
    pub(crate) fn new() -> Self {
        Self { concrete_type: "Sleep", spans: None }
    }

    /// What it is that waits
    pub(crate) fn set_type(&mut self, concrete_type: &'static str) {
        self.concrete_type = concrete_type;
    }

    /// It is polled: from now on it is shown, if somebody looks
    pub(crate) fn begin(&mut self, made_at: &Location<'_>, rest: impl FnOnce() -> Duration) {
        if self.spans.is_some() {
            return;
        }
        let resource = trace_span!(
            target: "tickwheel",
            parent: None,
            "runtime.resource",
            concrete_type = self.concrete_type,
            kind = "timer",
            is_internal = false,
            inherits_child_attrs = false,
            loc.file = made_at.file(),
            loc.line = made_at.line(),
            loc.col = made_at.column(),
        );
        if resource.is_disabled() {
            return;
        }
        let waiting = Waiting::begin(&resource, "Sleep::new", rest());
        self.spans = Some(AssertUnwindSafe(Box::new(Spans { resource, waiting })));
    }

    /// Polls it within its spans
    pub(crate) fn poll(
        &self,
        poll: impl FnOnce() -> Poll<Result<(), TimerError>>,
    ) -> Poll<Result<(), TimerError>> {
        let Some(AssertUnwindSafe(spans)) = &self.spans else { return poll() };
        let Spans { resource, waiting } = &**spans;
        let _resource = resource.enter();
        let _operation = waiting.operation.enter();
        let _poll = waiting.poll.enter();
        let result = poll();
        let is_ready = result.is_ready();
        trace!(target: "runtime::resource::poll_op", op_name = "poll_elapsed", is_ready);
        result
    }

    /// It is to wait for another deadline
    pub(crate) fn reset(&mut self, rest: impl FnOnce() -> Duration) {
        if let Some(AssertUnwindSafe(spans)) = &mut self.spans {
            spans.waiting = Waiting::begin(&spans.resource, "Sleep::reset", rest());
        }
    }
}

impl Waiting {
    fn begin(resource: &Span, source: &'static str, rest: Duration) -> Self {
        // The console looks for the resource among those entered, not at the parent.
        let _resource = resource.enter();
        let operation = trace_span!(
            target: "tickwheel",
            parent: resource,
            "runtime.resource.async_op",
            source,
            inherits_child_attrs = false,
        );
        let poll = trace_span!(
            target: "tickwheel",
            parent: &operation,
            "runtime.resource.async_op.poll",
        );
        trace!(
            target: "runtime::resource::state_update",
            duration = u64::try_from(rest.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX),
            duration.unit = "ms",
            duration.op = "override",
        );
        Self { operation, poll }
    }
}
