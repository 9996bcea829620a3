//! The middle of many figures, and how far apart they are

/// The median and the quartiles of those figures that are numbers
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// A quarter is below this
    pub low: f64,
    /// Half is
    pub median: f64,
    /// Three quarters are
    pub high: f64,
}

impl Quartiles {
    /// `None` where there is no number
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<_> = figures.into_iter().filter(|figure| figure.is_finite()).collect();
        figures.sort_unstable_by(f64::total_cmp);
        let last = figures.len().checked_sub(1)?;
        // Between two figures it lies in between.
        let at = |quarter: u8| {
            let (place, rest) = (last * usize::from(quarter) / 4, last * usize::from(quarter) % 4);
            let next = figures[(place + 1).min(last)];
            figures[place] + (next - figures[place]) * QUARTERS[rest]
        };
        Some(Self { low: at(1), median: at(2), high: at(3) })
    }
}

const QUARTERS: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// The figure below which this part of the sorted ones lies
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "it is an index into at most a few million figures"
    )]
    let index = ((sorted.len() as f64 - 1.0) * part).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_a_quarter_of_the_way_from_either_end() {
        let quartiles = Quartiles::of([5.0, 1.0, f64::NAN, 4.0, 2.0, 3.0]);
        assert_eq!(quartiles, Some(Quartiles { low: 2.0, median: 3.0, high: 4.0 }));
        let quartiles = Quartiles::of([10.0, 20.0, 30.0]);
        assert_eq!(quartiles, Some(Quartiles { low: 15.0, median: 20.0, high: 25.0 }));
        assert_eq!(Quartiles::of([f64::NAN]), None);
        let one = Quartiles::of([7.0]);
        assert_eq!(one, Some(Quartiles { low: 7.0, median: 7.0, high: 7.0 }));
    }

    #[test]
    fn a_quantile_is_one_of_the_figures() {
        let figures: Vec<_> = (0..=100).map(f64::from).collect();
        let at = |part| quantile(&figures, part);
        for (part, expected) in [(0.0, 0.0), (0.5, 50.0), (0.99, 99.0), (1.0, 100.0)] {
            assert!((at(part) - expected).abs() < f64::EPSILON, "{part}");
        }
        assert!(quantile(&[], 0.5).is_nan());
    }
}
