//! What the pages are told.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::response::sse::Event;
use futures::{Stream, StreamExt, stream};
use serde::Serialize;
use tokio::sync::broadcast::{self, error::RecvError};

use super::{frame::Frame, second::Second, verdict::Verdict};

/// Tells every page the same, and a new one what it has missed
pub(crate) struct Feed {
    sender: broadcast::Sender<Message>,
    past: Mutex<Past>,
}

/// What a page that comes now needs to know
#[derive(Serialize)]
struct Past {
    /// The length of a tick in seconds
    tick: f64,
    /// The last minute
    seconds: VecDeque<Second>,
    /// The timer's metrics in its own words
    metrics: String,
    verdict: Option<Verdict>,
    #[serde(skip)]
    is_over: bool,
}

#[derive(Clone)]
struct Message {
    name: &'static str,
    data: Arc<str>,
}

#[derive(Serialize)]
struct Told<'a> {
    second: &'a Second,
    metrics: &'a str,
}

impl Feed {
    pub(crate) fn new(tick: Duration) -> Self {
        let past = Past {
            tick: tick.as_secs_f64(),
            seconds: VecDeque::new(),
            metrics: String::new(),
            verdict: None,
            is_over: false,
        };
        Self { sender: broadcast::Sender::new(BACKLOG), past: Mutex::new(past) }
    }

    pub(crate) fn frame(&self, frame: &Frame) {
        self.send("frame", frame);
    }

    pub(crate) fn second(&self, second: Second, metrics: String) {
        let mut past = self.past();
        self.send("second", &Told { second: &second, metrics: &metrics });
        if past.seconds.len() == MINUTE {
            past.seconds.pop_front();
        }
        past.seconds.push_back(second);
        past.metrics = metrics;
    }

    pub(crate) fn verdict_is(&self, verdict: Verdict) {
        let mut past = self.past();
        past.verdict = Some(verdict);
        self.send("verdict", &verdict);
    }

    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.past().verdict
    }

    /// Says good-bye, which ends all streams
    pub(crate) fn end(&self) {
        self.past().is_over = true;
        self.send(END, &());
    }

    /// The past, then everything as it happens
    pub(crate) fn subscribe(&self) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
        // Under the lock, so that no second is missed or told twice.
        let past = self.past();
        let hello = Message { name: "hello", data: json(&*past) };
        let end = past.is_over.then(|| Message { name: END, data: json(&()) });
        let news = stream::unfold(Some(self.sender.subscribe()), next);
        stream::iter([Some(hello), end].into_iter().flatten())
            .chain(news)
            .map(|message| Ok(message.into()))
    }

    fn send(&self, name: &'static str, data: &impl Serialize) {
        // An error says that nobody listens.
        let _ = self.sender.send(Message { name, data: json(data) });
    }

    fn past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Message> for Event {
    fn from(Message { name, data }: Message) -> Self {
        Event::default().event(name).data(&*data)
    }
}

type Receiver = broadcast::Receiver<Message>;

/// The next message, and the receiver if another one follows
async fn next(receiver: Option<Receiver>) -> Option<(Message, Option<Receiver>)> {
    let mut receiver = receiver?;
    loop {
        match receiver.recv().await {
            Ok(message) if message.name == END => return Some((message, None)),
            Ok(message) => return Some((message, Some(receiver))),
            // A page that cannot follow misses some frames.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).expect("there are only numbers and strings").into()
}

const END: &str = "end";
const MINUTE: usize = 60;
const BACKLOG: usize = 64;
