//! All medians on one page

use std::fmt::Write as _;

use super::figure;
use crate::measure::Table;

/// A table for each field: works down, timers across
///
/// The last column is tickwheel's ratio at its own tick of a millisecond.
pub(super) fn text(tables: &[Table]) -> String {
    let mut text = String::new();
    for field in tables.chunk_by(|one, other| first(one) == first(other)) {
        let mut names: Vec<&str> = Vec::new();
        for row in field.iter().flat_map(|table| &table.rows) {
            if !names.contains(&row.name.as_str()) {
                names.push(&row.name);
            }
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "| work | {} | {OURS} × {} |", names.join(" | "), first(&field[0]));
        let _ = writeln!(text, "|---|{}---|", "---|".repeat(names.len()));
        for table in field {
            for place in 0..table.measures.len() {
                line(table, place, &names, &mut text);
            }
        }
        text.push('\n');
    }
    text
}

fn line(table: &Table, place: usize, names: &[&str], text: &mut String) {
    let measure = table.measures[place];
    let unit = if measure.unit.is_empty() { "" } else { ", " };
    let _ = write!(text, "| {}: {}{unit}{} |", table.name, measure.name, measure.unit);
    let row_of = |name: &str| table.rows.iter().position(|row| row.name == name);
    for name in names {
        let value = row_of(name).and_then(|row| table.values(row, place));
        let value = value.map_or(String::new(), |value| figure(value.median));
        let _ = write!(text, " {value} |");
    }
    let ratio = row_of(OURS).and_then(|row| table.ratios(row, place));
    let _ = match ratio {
        Some(ratio) => {
            writeln!(text, " {:.2} ({:.2} – {:.2}) |", ratio.median, ratio.low, ratio.high)
        }
        None => writeln!(text, " |"),
    };
}

fn first(table: &Table) -> &str {
    table.rows.first().map_or("", |row| row.name.as_str())
}

const OURS: &str = "tickwheel 1ms";
