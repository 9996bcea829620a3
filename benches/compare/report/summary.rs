//! The picture of the front page: what is done most, and what is hardest

use super::svg::{Panel, picture};
use crate::measure::Table;

/// Arm + cancel and the lateness in a storm; `None` where both were not run
pub(super) fn plot(tables: &[Table]) -> Option<String> {
    let quick = tables.iter().find(|table| table.name == "arm + cancel")?;
    let storm = tables.iter().find(|table| table.name.ends_with("due at once"))?;
    Some(picture(&[
        panel(quick, 0, "Arm a sleep and cancel it", "ns each"),
        panel(storm, 1, &storm.name, "ms of lateness, p99"),
    ]))
}

fn panel(table: &Table, measure: usize, title: &str, axis: &str) -> Panel {
    let rows = table.rows.iter().enumerate();
    Panel {
        title: title.into(),
        axis: format!("{axis}; less is better"),
        bars: rows.map(|(row, of)| (of.name.clone(), table.values(row, measure))).collect(),
    }
}
