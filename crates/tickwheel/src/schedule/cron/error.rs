use std::{error::Error, fmt, ops::Range};

use croner::errors::CronError as CronerError;

use crate::schedule::cron::CronField;

/// A cron line is not understood
///
/// Its message names the field, what stands there, what is wrong with it and what
/// the field takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CronError {
    line: Box<str>,
    place: Option<Place>,
    reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    field: CronField,
    span: Range<usize>,
}

impl CronError {
    pub(super) fn of_line(line: &str, reason: String) -> Self {
        Self { line: line.into(), place: None, reason }
    }

    pub(super) fn of_field(
        line: &str,
        field: CronField,
        span: Range<usize>,
        reason: String,
    ) -> Self {
        Self { line: line.into(), place: Some(Place { field, span }), reason }
    }

    /// The line as it was given
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The field that is not understood; `None` when the line has too few or too many
    pub fn field(&self) -> Option<CronField> {
        self.place.as_ref().map(|place| place.field)
    }

    /// Where in the [`line`](Self::line) that field stands, in bytes
    pub fn span(&self) -> Option<Range<usize>> {
        self.place.as_ref().map(|place| place.span.clone())
    }
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, place, reason } = self;
        match place {
            None => write!(f, "cron line `{line}`: {reason}"),
            Some(Place { field, span }) => {
                let text = &line[span.clone()];
                let takes = field.takes();
                write!(f, "cron line `{line}`: {field} `{text}`: {reason}; {takes}")
            }
        }
    }
}

impl Error for CronError {}

/// What croner says, as the middle of a sentence
pub(super) fn reason(error: &CronerError) -> String {
    let message = match error {
        CronerError::InvalidPattern(message)
        | CronerError::IllegalCharacters(message)
        | CronerError::ComponentError(message) => message.clone(),
        other => other.to_string(),
    };
    let message = message.trim_end_matches('.');
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
