//! All figures of one work

use crate::work::Measure;
use tickwheel_benches::quartiles::Quartiles;

/// What all peers did at one work; the first row is what the others are compared with
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) about: &'static str,
    pub(crate) measures: &'static [Measure],
    pub(crate) rows: Vec<Row>,
}

/// One peer's rounds, each with a figure for each measure
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) rounds: Vec<Vec<f64>>,
}

impl Table {
    /// A name for files
    pub(crate) fn slug(&self) -> String {
        let words = self.name.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
    }

    pub(crate) fn values(&self, row: usize, measure: usize) -> Option<Quartiles> {
        Quartiles::of(self.rows[row].rounds.iter().map(|round| round[measure]))
    }

    /// Of each round by itself: what slows the machine down then slows both
    pub(crate) fn ratios(&self, row: usize, measure: usize) -> Option<Quartiles> {
        if row == 0 || !self.measures[measure].has_ratio {
            return None;
        }
        let pairs = self.rows[row].rounds.iter().zip(&self.rows[0].rounds);
        Quartiles::of(pairs.map(|(round, first)| round[measure] / first[measure]))
    }
}
