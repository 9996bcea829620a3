//! Plots: lying bars, one panel for each measure

use std::fmt::Write as _;

use super::figure;
use tickwheel_benches::quartiles::Quartiles;

use crate::measure::Table;

/// Some bars under a title, with an axis
pub(super) struct Panel {
    pub(super) title: String,
    /// What the axis shows, unit included
    pub(super) axis: String,
    /// Each with its name
    pub(super) bars: Vec<(String, Option<Quartiles>)>,
}

/// All measures of a table, one below the other
pub(super) fn plot(table: &Table) -> String {
    let panels = table.measures.iter().enumerate().map(|(place, measure)| {
        let unit = if measure.unit.is_empty() { "" } else { ", " };
        let rows = table.rows.iter().enumerate();
        Panel {
            title: format!("{}: {}", table.name, measure.name),
            axis: format!("{}{unit}{}; less is better", measure.name, measure.unit),
            bars: rows.map(|(row, of)| (of.name.clone(), table.values(row, place))).collect(),
        }
    });
    picture(&panels.collect::<Vec<_>>())
}

/// An image with these panels, one below the other
pub(super) fn picture(panels: &[Panel]) -> String {
    let heights: Vec<_> = panels.iter().map(Panel::height).collect();
    let height: u32 = heights.iter().sum();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let mut top = 0;
    for (panel, height) in panels.iter().zip(heights) {
        panel.draw(top, &mut text);
        top += height;
    }
    text.push_str("</svg>\n");
    text
}

impl Panel {
    fn height(&self) -> u32 {
        HEAD + BAR * self.count() + FOOT
    }

    fn count(&self) -> u32 {
        u32::try_from(self.bars.len()).expect("a handful of timers")
    }

    fn draw(&self, top: u32, text: &mut String) {
        let bars = self.bars.iter().filter_map(|(_, bar)| bar.as_ref());
        let highest = bars.map(|bar| bar.median.max(bar.high)).fold(0.0, f64::max);
        let step = step(highest);
        let end = (highest / step).ceil().max(1.0) * step;
        let scale = f64::from(WIDTH - LEFT - RIGHT) / end;
        let (first, last) = (top + HEAD, top + HEAD + BAR * self.count());
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "<text x=\"16\" y=\"{}\" font-size=\"15\" font-weight=\"bold\" \
             fill=\"#222222\">{}</text>",
            top + 26,
            escaped(&self.title)
        );
        for mark in (0..).map(|number| f64::from(number) * step) {
            if mark > end * 1.001 {
                break;
            }
            let x = f64::from(LEFT) + mark * scale;
            let _ = writeln!(
                text,
                "<line x1=\"{x:.1}\" y1=\"{first}\" x2=\"{x:.1}\" y2=\"{last}\" \
                 stroke=\"#dddddd\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">{}</text>",
                last + 18,
                mark_label(mark, step)
            );
        }
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">{}</text>",
            LEFT + (WIDTH - LEFT - RIGHT) / 2,
            last + 38,
            escaped(&self.axis)
        );
        let mut y = first;
        for (name, bar) in &self.bars {
            draw_bar(name, bar.as_ref(), y, scale, text);
            y += BAR;
        }
    }
}

fn draw_bar(name: &str, bar: Option<&Quartiles>, y: u32, scale: f64, text: &mut String) {
    let ours = name.starts_with("tickwheel");
    let (colour, weight) = if ours { ("#1f6fb2", "bold") } else { ("#a9b4bf", "normal") };
    let (base, middle) = (y + 17, y + BAR / 2);
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\" font-weight=\"{weight}\" \
         fill=\"#222222\">{}</text>",
        LEFT - 8,
        escaped(name)
    );
    let Some(bar) = bar else {
        let _ = writeln!(text, "<text x=\"{}\" y=\"{base}\" fill=\"#555555\">–</text>", LEFT + 6);
        return;
    };
    let at = |value: f64| f64::from(LEFT) + value.max(0.0) * scale;
    let (low, end, high) = (at(bar.low), at(bar.median), at(bar.high));
    let _ = writeln!(
        text,
        "<rect x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\
         <line x1=\"{low:.1}\" y1=\"{middle}\" x2=\"{high:.1}\" y2=\"{middle}\" \
         stroke=\"#222222\"/>\
         <text x=\"{:.1}\" y=\"{base}\" fill=\"#222222\">{}</text>",
        y + 4,
        end - f64::from(LEFT),
        BAR - 8,
        end.max(high) + 6.0,
        figure(bar.median)
    );
}

/// The distance of marks on an axis that ends there or a little later: 1, 2 or 5 of a power of ten
fn step(highest: f64) -> f64 {
    if highest <= 0.0 {
        return 1.0;
    }
    let raw = highest / 5.0;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw);
    factor.unwrap_or(10.0) * power
}

fn mark_label(mark: f64, step: f64) -> String {
    if step >= 1.0 { format!("{mark:.0}") } else { format!("{mark:.2}") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

const WIDTH: u32 = 760;
/// Room for names, and for the figure at the end of the longest bar
const LEFT: u32 = 150;
const RIGHT: u32 = 70;
const HEAD: u32 = 42;
const BAR: u32 = 26;
const FOOT: u32 = 54;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_about_five_marks_at_round_numbers() {
        for (highest, expected) in [(1.0, 0.2), (4.9, 1.0), (73.0, 20.0), (180.0, 50.0)] {
            assert!((step(highest) - expected).abs() < 1e-9, "{highest}");
        }
        assert!((step(0.0) - 1.0).abs() < f64::EPSILON);
    }
}
