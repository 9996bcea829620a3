//! The report: a page of tables, the figures, and a plot for each table

mod glance;
mod json;
pub(crate) mod markdown;
mod summary;
mod svg;

use std::{fs, io, path::Path};

use crate::measure::Table;

/// Writes all of it into a directory
pub(crate) fn write(directory: &Path, tables: &[Table]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let sections: Vec<_> = tables.iter().map(markdown::section).collect();
    let page = glance::text(tables) + &sections.join("\n");
    fs::write(directory.join("compare.md"), page)?;
    fs::write(directory.join("compare.json"), json::text(tables))?;
    for table in tables {
        fs::write(directory.join(table.slug() + ".svg"), svg::plot(table))?;
    }
    if let Some(summary) = summary::plot(tables) {
        fs::write(directory.join("summary.svg"), summary)?;
    }
    println!("written to {}", directory.display());
    Ok(())
}

/// A figure with as many digits as say something
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
