//! All figures of all rounds, for other programs

use serde_json::{Value, json};

use tickwheel_benches::quartiles::Quartiles;

use crate::measure::Table;

pub(super) fn text(tables: &[Table]) -> String {
    let works: Vec<_> = tables.iter().map(work).collect();
    let machine = json!({
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "threads": std::thread::available_parallelism().ok().map(std::num::NonZero::get),
    });
    format!("{:#}\n", json!({ "machine": machine, "works": works }))
}

fn work(table: &Table) -> Value {
    let timers: Vec<_> = (0..table.rows.len()).map(|row| timer(table, row)).collect();
    json!({ "name": table.name, "about": table.about, "timers": timers })
}

fn timer(table: &Table, row: usize) -> Value {
    let measures = table.measures.iter().enumerate();
    let measures: Vec<_> = measures
        .map(|(place, measure)| {
            let rounds = table.rows[row].rounds.iter();
            json!({
                "name": measure.name,
                "unit": measure.unit,
                "value": quartiles(table.values(row, place)),
                "ratio": quartiles(table.ratios(row, place)),
                "rounds": rounds.map(|round| round[place]).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "name": table.rows[row].name, "measures": measures })
}

fn quartiles(quartiles: Option<Quartiles>) -> Value {
    quartiles.map_or(
        Value::Null,
        |Quartiles { low, median, high }| json!({ "low": low, "median": median, "high": high }),
    )
}
