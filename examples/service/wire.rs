//! The protocol: one line per message.

use std::{fmt, io, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
};

/// A connection that speaks in lines
#[derive(Debug)]
pub(crate) struct Wire {
    lines: Lines<BufReader<TcpStream>>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { lines: BufReader::new(stream).lines() })
    }

    /// The next line, or `None` when the other side has closed
    ///
    /// Cancel safe: what has been read of a line is kept for the next call.
    pub(crate) async fn next_line(&mut self) -> io::Result<Option<String>> {
        self.lines.next_line().await
    }

    /// Sends one line; so short that the socket takes it whole
    pub(crate) async fn send(&mut self, message: impl fmt::Display) -> io::Result<()> {
        let line = format!("{message}\n");
        self.stream().write_all(line.as_bytes()).await
    }

    /// Sends half a message and is gone, with a reset instead of a farewell
    pub(crate) async fn vanish(mut self, message: impl fmt::Display) -> io::Result<()> {
        let line = message.to_string();
        let half = &line.as_bytes()[..line.len() / 2];
        self.stream().write_all(half).await?;
        self.stream().set_zero_linger()
    }

    fn stream(&mut self) -> &mut TcpStream {
        self.lines.get_mut().get_mut()
    }
}

/// A client's message: `ask <id> <work in ms>`
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) id: u64,
    /// How long the server is to work on the answer
    pub(crate) work: Duration,
}

impl Ask {
    pub(crate) fn parse(line: &str) -> io::Result<Self> {
        let mut words = line.split(' ');
        match (words.next(), number(words.next()), number(words.next())) {
            (Some("ask"), Some(id), Some(millis)) => {
                Ok(Self { id, work: Duration::from_millis(millis) })
            }
            _ => Err(unknown(line)),
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ask {} {}", self.id, self.work.as_millis())
    }
}

/// A server's message: `done <id>`, `gave-up <id>` or `beat`
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reply {
    Done(u64),
    GaveUp(u64),
    Beat,
}

impl Reply {
    pub(crate) fn parse(line: &str) -> io::Result<Self> {
        let mut words = line.split(' ');
        match (words.next(), number(words.next())) {
            (Some("done"), Some(id)) => Ok(Self::Done(id)),
            (Some("gave-up"), Some(id)) => Ok(Self::GaveUp(id)),
            (Some("beat"), None) => Ok(Self::Beat),
            _ => Err(unknown(line)),
        }
    }

    /// Whether this ends the request of that number
    pub(crate) fn answers(self, asked: u64) -> bool {
        match self {
            Self::Done(id) | Self::GaveUp(id) => id == asked,
            Self::Beat => false,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(id) => write!(f, "done {id}"),
            Self::GaveUp(id) => write!(f, "gave-up {id}"),
            Self::Beat => f.write_str("beat"),
        }
    }
}

fn number(word: Option<&str>) -> Option<u64> {
    word?.parse().ok()
}

fn unknown(line: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("unknown message: {line:?}"))
}
