//! Stretches of a tape: where more runs were active than the monitor allows, and where maintenance was on; neighbour: [`crate::pages::tape`] draws the runs.

use super::{
    tape::{Band, Bar, Window, as_f64, end, percent, round},
    words,
};

/// Most runs that one band names.
const MAX_NAMED: usize = 4;

/// Sweeps over starts and ends and keeps each stretch with more than `window.allowed` active runs.
pub(super) fn bands(window: Window, bars: &[&Bar]) -> Vec<Band> {
    let mut edges: Vec<(i64, bool, usize)> = Vec::with_capacity(bars.len() * 2);
    for (index, bar) in bars.iter().enumerate() {
        let end = end(bar, window);
        if end > bar.start {
            edges.push((bar.start, true, index));
            edges.push((end, false, index));
        }
    }
    // At one moment an end comes before a start: back to back is no overlap.
    edges.sort_unstable();
    let mut active: Vec<usize> = Vec::new();
    let mut since: Option<(i64, Vec<usize>)> = None;
    let mut found = Vec::new();
    for (at, starts, index) in edges {
        if starts {
            active.push(index);
        } else {
            active.retain(|other| *other != index);
        }
        let over = active.len() > window.allowed.max(1);
        match (&mut since, over) {
            (None, true) => since = Some((at, active.clone())),
            (Some((_, named)), true) => {
                for other in &active {
                    if !named.contains(other) && named.len() <= MAX_NAMED {
                        named.push(*other);
                    }
                }
            }
            (Some(_), false) => found.extend(since.take().and_then(|open| band(window, bars, open, at))),
            (None, false) => {}
        }
    }
    found
}

/// A stretch of the tape that has a meaning of its own; none where it lies outside.
pub(super) fn stretch(window: Window, from: i64, to: i64, title: String) -> Option<Band> {
    if to <= window.from || from >= window.to {
        return None;
    }
    let (x, right) = (percent(window, from), percent(window, to));
    Some(Band { x: round(x), width: round((right - x).max(0.3)), title })
}

fn band(window: Window, bars: &[&Bar], (from, named): (i64, Vec<usize>), to: i64) -> Option<Band> {
    let mut numbers: Vec<String> =
        named.iter().take(MAX_NAMED).map(|index| format!("#{}", bars[*index].number)).collect();
    let last = if named.len() > MAX_NAMED { "more".to_owned() } else { numbers.pop().unwrap_or_default() };
    let length = words::duration(as_f64(to - from));
    stretch(window, from, to, format!("{} and {last} overlap for {length}", numbers.join(", ")))
}
