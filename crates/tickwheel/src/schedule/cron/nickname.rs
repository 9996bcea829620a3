use super::CronError;

/// The line that a nickname stands for, in any case of letters; other lines as they are
pub(super) fn spelled_out(line: &str) -> Result<&str, CronError> {
    let name = line.trim();
    if !name.starts_with('@') {
        return Ok(line);
    }
    let known = NICKNAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|(_, line)| *line).ok_or_else(|| {
        let names = NICKNAMES.map(|(known, _)| known).join(", ");
        CronError::of_line(line, format!("it is none of the nicknames {names}"))
    })
}

const NICKNAMES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * SUN"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];
