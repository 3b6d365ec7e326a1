//! A reported number over runs, as dots beside what is usual and what a rule allows; neighbour: [`crate::pages::chart`] shows durations.

use std::fmt::Write as _;

use watchclock_domain::value::grouped;

use super::tape::{as_f64, round};

/// Height of the plot in pixels.
pub const PLOT: f64 = 90.0;

/// One run, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Spot {
    pub number: i64,
    pub status: String,
    /// What it reported; nothing leaves a gap.
    pub value: Option<f64>,
    /// What each rule compares the value with, for this run; as many for every run.
    pub bounds: Vec<Option<f64>>,
    /// Whether a rule was true for it.
    pub broken: bool,
    pub href: String,
    /// Shown when pointed at.
    pub title: String,
}

/// A drawn curve: x in percent, y in pixels from the top.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    pub height: f64,
    pub dots: Vec<Dot>,
    /// Points of the lines between dots that follow each other, for a view box of 100 × `height`.
    pub lines: Vec<String>,
    /// Points of the lines that rules draw, likewise.
    pub bounds: Vec<String>,
    /// From the top and high: what is usual.
    pub usual: Option<(f64, f64)>,
    /// Marks of the axis: place and words.
    pub labels: Vec<(f64, String)>,
}

#[derive(Debug, Clone, Default)]
pub struct Dot {
    pub status: String,
    pub broken: bool,
    pub href: String,
    pub title: String,
    pub x: f64,
    pub y: f64,
    /// Of the strip that can be pointed at.
    pub left: f64,
    pub width: f64,
}

/// Draws the values; `usual` is from and to.
pub fn curve(spots: &[Spot], usual: Option<(f64, f64)>) -> Curve {
    let value = |spot: &Spot| spot.value.filter(|value| value.is_finite());
    let values: Vec<f64> = spots.iter().filter_map(value).collect();
    let Some((low, high)) = range(&values, spots, usual) else { return Curve::default() };
    let y = |value: f64| round(PLOT - ((value - low) / (high - low)).clamp(0.0, 1.0) * PLOT);
    let step = 100.0 / as_f64(spots.len().max(20));
    let indent = 100.0 - step * as_f64(spots.len());
    let left = |at: usize| indent + step * as_f64(at);
    let x = |at: usize| round(left(at) + step / 2.0);
    let dot = |(at, spot): (usize, &Spot)| {
        Some(Dot {
            status: spot.status.clone(),
            broken: spot.broken,
            href: spot.href.clone(),
            title: spot.title.clone(),
            x: x(at),
            y: y(value(spot)?),
            left: round(left(at)),
            width: round(step),
        })
    };
    let most = spots.iter().map(|spot| spot.bounds.len()).max().unwrap_or(0);
    let bound = |which: usize| {
        strokes(spots.iter().enumerate().map(|(at, spot)| {
            let value = (*spot.bounds.get(which)?)?;
            Some([(round(left(at)), y(value)), (round(left(at) + step), y(value))])
        }))
    };
    Curve {
        height: PLOT,
        dots: spots.iter().enumerate().filter_map(dot).collect(),
        lines: strokes(spots.iter().enumerate().map(|(at, spot)| Some([(x(at), y(value(spot)?))]))),
        bounds: (0..most).flat_map(bound).collect(),
        usual: usual.map(|(from, to)| (y(to), round((y(from) - y(to)).max(1.0)))),
        labels: [high, f64::midpoint(low, high), low].map(|value| (y(value), number(value))).into(),
    }
}

/// What the axis spans: round numbers around all that is drawn, from zero where zero is near.
fn range(values: &[f64], spots: &[Spot], usual: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (mut low, mut high) = ends(values)?;
    if let Some((from, to)) = usual {
        (low, high) = (low.min(from), high.max(to));
    }
    // A bound far away would flatten all that was reported; words tell of it.
    let reach = (high - low).max(high.abs()).max(1.0) * 2.0;
    for bound in spots.iter().flat_map(|spot| spot.bounds.iter().flatten()) {
        if (low - reach..=high + reach).contains(bound) {
            (low, high) = (low.min(*bound), high.max(*bound));
        }
    }
    if low > 0.0 && low < high * 0.7 {
        low = 0.0;
    }
    let unit = unit((high - low).max(high.abs() * 0.05));
    let (low, mut high) = ((low / unit).floor() * unit, (high / unit).ceil() * unit);
    if high <= low {
        high = low + unit;
    }
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// The smallest and the largest.
pub fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let finite = values.iter().copied().filter(|value| value.is_finite() && value.abs() < 1e300);
    finite.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    })
}

/// A round step that fits two to five times into a length.
fn unit(length: f64) -> f64 {
    let length = if length > 0.0 { length } else { 1.0 };
    let power = 10f64.powf((length / 2.0).log10().floor());
    let part = length / 2.0 / power;
    power
        * if part >= 5.0 {
            5.0
        } else if part >= 2.0 {
            2.0
        } else {
            1.0
        }
}

/// Joins points that follow each other; a gap ends a line.
fn strokes<const N: usize>(points: impl Iterator<Item = Option<[(f64, f64); N]>>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for point in points {
        let Some(line) = lines.last_mut() else { continue };
        match point {
            Some(points) => points.iter().for_each(|(x, y)| _ = write!(line, "{x},{y} ")),
            None if line.is_empty() => {}
            None => lines.push(String::new()),
        }
    }
    lines.retain(|line| line.trim().contains(' '));
    lines
}

/// A number as short as an axis needs it: `0`, `12.5`, `1,200`, `3.4 M`.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        1e15.. => return format!("{value:.1e}"),
        1e12.. => (value / 1e12, " T"),
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e4.. => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let digits = if size > 0.0 && size < 1.0 {
        3
    } else if scaled.abs() >= 100.0 {
        1
    } else {
        2
    };
    let text = format!("{scaled:.digits$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "" | "-0" => "0".to_owned(),
        text => format!("{}{unit}", grouped(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spots(values: &[f64]) -> Vec<Spot> {
        values.iter().map(|value| Spot { value: Some(*value), ..Spot::default() }).collect()
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1204.0, "1,204"),
            (12_500.0, "12.5 k"),
            (3.4e6, "3.4 M"),
            (0.25, "0.25"),
            (-7.0, "-7"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_axis_is_round_and_holds_all() {
        let drawn = curve(&spots(&[1204.0, 0.0, 1311.0]), Some((1100.0, 1300.0)));
        assert_eq!(drawn.labels[0].1, "1,500");
        assert_eq!(drawn.labels[2].1, "0");
        assert!(drawn.dots.iter().all(|dot| (0.0..=PLOT).contains(&dot.y) && dot.left + dot.width <= 100.1));
        let close = curve(&spots(&[1000.0, 1010.0]), None);
        assert_ne!(close.labels[2].1, "0", "small changes are seen");
    }

    #[test]
    fn a_gap_ends_a_line_and_odd_numbers_are_harmless() {
        let mut gap = spots(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        gap[2].value = None;
        let drawn = curve(&gap, None);
        assert_eq!((drawn.dots.len(), drawn.lines.len()), (4, 2));
        assert!(curve(&[], None).dots.is_empty());
        for odd in [[5.0, 5.0], [0.0, 0.0], [1e200, -1e200], [f64::NAN, 1.0], [1e-12, 2e-12]] {
            let drawn = curve(&spots(&odd), None);
            assert!(drawn.dots.iter().all(|dot| dot.y.is_finite()), "{odd:?}");
        }
    }

    #[test]
    fn bounds_move_with_their_run_and_far_ones_flatten_nothing() {
        let mut moving = spots(&[10.0, 12.0]);
        moving[0].bounds = vec![Some(5.0), None];
        moving[1].bounds = vec![Some(6.0), None];
        assert_eq!(curve(&moving, None).bounds.len(), 1);
        moving[0].bounds = vec![Some(1e9)];
        assert_eq!(curve(&moving, None).labels[0].1, "15");
    }
}
