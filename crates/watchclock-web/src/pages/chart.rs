//! How long each run took, as bars beside what is usual; neighbour: [`crate::pages::tape`] shows when they ran.

use super::{
    tape::{as_f64, round},
    words,
};

/// Height of the plot in pixels; the labels of the axis stand beside it.
pub const PLOT: f64 = 110.0;

/// One run of the chart, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Point {
    pub number: i64,
    pub status: String,
    /// How long it took, or has taken so far; a missed one has none and leaves a gap.
    pub seconds: Option<f64>,
    pub href: String,
    /// Shown when pointed at.
    pub title: String,
}

/// What is usual and what is allowed, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// From and to of the usual durations; outside is slow or fast.
    pub usual: Option<(f64, f64)>,
    /// Past this a run is hung.
    pub limit: Option<f64>,
}

/// A drawn chart: x and widths in percent, y and heights in pixels.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    pub height: f64,
    pub columns: Vec<Column>,
    pub usual: Option<Stripe>,
    /// Height of the limit's line, when it is near enough to be drawn.
    pub limit: Option<f64>,
    /// Labels of the axis, from the top: position and words.
    pub labels: Vec<Label>,
}

#[derive(Debug, Clone, Default)]
pub struct Column {
    pub status: String,
    pub href: String,
    pub title: String,
    pub x: f64,
    pub width: f64,
    pub y: f64,
    pub height: f64,
    /// No duration is known: drawn as a hollow mark on the ground.
    pub hollow: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Stripe {
    pub y: f64,
    pub height: f64,
}

#[derive(Debug, Clone, Default)]
pub struct Label {
    pub y: f64,
    pub text: String,
}

/// Draws. A limit beyond twice the longest run would flatten all bars, so it is left to the caller's words.
pub fn chart(points: &[Point], bounds: Bounds) -> Chart {
    let longest = points.iter().filter_map(|point| point.seconds).fold(0.0, f64::max);
    let longest = bounds.usual.map_or(longest, |(_, to)| longest.max(to));
    let limit = bounds.limit.filter(|limit| *limit <= longest * 2.0);
    let top = nice(limit.map_or(longest, |limit| longest.max(limit)));
    let y = |seconds: f64| round(PLOT - (seconds / top).clamp(0.0, 1.0) * PLOT);
    let step = 100.0 / as_f64(points.len().max(20));
    let indent = 100.0 - step * as_f64(points.len());
    let columns = points.iter().enumerate().map(|(index, point)| {
        // what went wrong is seen however short it was
        let least = if matches!(point.status.as_str(), "failed" | "hung") { 10.0 } else { 1.5 };
        let height = point.seconds.map_or(4.0, |seconds| (PLOT - y(seconds)).max(least));
        Column {
            status: point.status.clone(),
            href: point.href.clone(),
            title: point.title.clone(),
            x: round(indent + step * as_f64(index) + step * 0.14),
            width: round(step * 0.72),
            y: round(PLOT - height),
            height: round(height),
            hollow: point.seconds.is_none(),
        }
    });
    Chart {
        height: PLOT,
        columns: columns.collect(),
        usual: bounds.usual.map(|(from, to)| Stripe { y: y(to), height: round((y(from) - y(to)).max(1.0)) }),
        limit: limit.map(y),
        labels: [1.0, 0.5]
            .map(|part| Label { y: y(top * part), text: words::duration(top * part) })
            .into_iter()
            .collect(),
    }
}

/// The next round duration at or above the longest: what a person would write on the axis.
fn nice(seconds: f64) -> f64 {
    // half of each is round, too: the axis has a mark there
    const ROUND: [f64; 20] = [
        1.0, 2.0, 4.0, 10.0, 20.0, 40.0, 60.0, 120.0, 240.0, 600.0, 1_200.0, 2_400.0, 3_600.0, 7_200.0,
        14_400.0, 28_800.0, 43_200.0, 86_400.0, 172_800.0, 604_800.0,
    ];
    ROUND.into_iter().find(|round| *round >= seconds).unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(seconds: impl Into<Option<f64>>) -> Point {
        Point { seconds: seconds.into(), ..Point::default() }
    }

    #[test]
    fn the_longest_run_stays_below_a_round_top() {
        let chart = chart(&[point(400.0), point(90.0)], Bounds::default());
        assert_eq!(chart.labels[0].text, "10 min");
        assert!(chart.columns[0].height > chart.columns[1].height);
        assert!(chart.columns.iter().all(|column| column.y >= 0.0 && column.x + column.width <= 100.0));
    }

    #[test]
    fn a_far_limit_does_not_flatten_the_bars() {
        let near = Bounds { limit: Some(150.0), usual: None };
        let far = Bounds { limit: Some(86_400.0), usual: None };
        assert!(chart(&[point(100.0)], near).limit.is_some());
        let drawn = chart(&[point(100.0)], far);
        assert!(drawn.limit.is_none() && drawn.columns[0].height > 50.0);
    }

    #[test]
    fn a_missed_run_leaves_a_hollow_mark() {
        let chart = chart(&[point(None), point(0.0)], Bounds { usual: Some((1.0, 2.0)), limit: None });
        assert!(chart.columns[0].hollow && !chart.columns[1].hollow);
        assert!(chart.usual.unwrap().height >= 1.0);
    }

    #[test]
    fn no_runs_and_endless_ones_are_harmless() {
        assert!(chart(&[], Bounds::default()).columns.is_empty());
        assert!(chart(&[point(1e12)], Bounds::default()).columns[0].height.is_finite());
    }
}
