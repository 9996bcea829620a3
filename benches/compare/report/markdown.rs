//! Tables of text

use std::fmt::Write as _;

use super::figure;
use crate::measure::Table;

/// A table under its name, with what it is about and its plot
pub(crate) fn section(table: &Table) -> String {
    let (body, slug) = (self::table(table), table.slug());
    format!("{body}\n![{}]({slug}.svg)\n", table.name)
}

/// A table under its name: medians, and the medians of ratios with their quartiles
pub(crate) fn table(table: &Table) -> String {
    let mut text = format!("## {}\n\n{}\n\n| timer |", table.name, table.about);
    let mut rule = String::from("|---|");
    let first = table.rows.first().map_or("", |row| row.name.as_str());
    for measure in table.measures {
        let unit = if measure.unit.is_empty() { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, " {}{unit}{} |", measure.name, measure.unit);
        rule.push_str("---|");
        if measure.has_ratio {
            let _ = write!(text, " × {first} (quartiles) |");
            rule.push_str("---|");
        }
    }
    let _ = writeln!(text, "\n{rule}");
    for (number, row) in table.rows.iter().enumerate() {
        let _ = write!(text, "| {} |", row.name);
        for (place, measure) in table.measures.iter().enumerate() {
            let value = table.values(number, place);
            let value = value.map_or("–".into(), |value| figure(value.median));
            let _ = write!(text, " {value} |");
            if !measure.has_ratio {
                continue;
            }
            let _ = match table.ratios(number, place) {
                Some(ratio) => {
                    write!(text, " {:.2} ({:.2} – {:.2}) |", ratio.median, ratio.low, ratio.high)
                }
                None => write!(text, " |"),
            };
        }
        text.push('\n');
    }
    text
}
