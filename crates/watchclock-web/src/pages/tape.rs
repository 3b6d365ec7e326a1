//! The tape of a monitor: runs as bars over time, those that overlap in lanes of their own; neighbour: [`crate::pages::mini`].
//!
//! Positions along the tape are percents of its width, so that it fits any screen; heights are pixels.

const SLOT_ROW: f64 = 26.0;
const LANE: f64 = 24.0;
/// Height of a bar within its lane.
pub const BAR: f64 = 18.0;
const AXIS: f64 = 24.0;
/// Runs beyond this many at once share the last lane.
const MAX_LANES: usize = 8;
/// Shown at least this wide, or a short run in a long window would vanish.
const MIN_PERCENT: f64 = 0.3;
/// A bar at least this wide has room for its number.
const LABEL_PERCENT: f64 = 4.0;
/// With more slots than this in the window only the missed ones are drawn.
const MAX_SLOTS: usize = 120;

/// One run to draw. Times are seconds since the epoch.
#[derive(Debug, Clone, Default)]
pub struct Bar {
    pub number: i64,
    /// Status word.
    pub status: String,
    pub start: i64,
    /// None while it is running (or hung without an end).
    pub end: Option<i64>,
    /// When a running one counts as hung, drawn as a dashed tail.
    pub limit: Option<i64>,
    pub href: String,
    /// Shown when pointed at: `#412 success, 03:00:02, 4 min 7 s`.
    pub title: String,
}

/// One slot to draw above the bars.
#[derive(Debug, Clone, Default)]
pub struct Slot {
    pub at: i64,
    /// Nothing filled it.
    pub missed: bool,
    /// The missed run's page, or empty.
    pub href: String,
    pub title: String,
}

/// What stretch of time the tape shows.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub from: i64,
    pub to: i64,
    pub now: i64,
    /// Offset of the monitor's zone from UTC in seconds, so that marks fall on its whole hours.
    pub offset: i64,
    /// How many runs may be active at once; more is marked as an overlap.
    pub allowed: usize,
}

/// A drawn tape.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    pub height: f64,
    /// Where the lanes begin and the axis stands, in pixels from the top.
    pub top: f64,
    pub bottom: f64,
    pub lanes: usize,
    pub bars: Vec<PlacedBar>,
    pub overlaps: Vec<Band>,
    /// Maintenance windows; put in by the caller.
    pub maintenance: Vec<Band>,
    pub slots: Vec<PlacedSlot>,
    pub ticks: Vec<Tick>,
    /// Where now is, in percent, if the window holds it.
    pub now: Option<f64>,
}

#[derive(Debug, Clone, Default)]
pub struct PlacedBar {
    pub number: i64,
    pub status: String,
    pub href: String,
    pub title: String,
    pub x: f64,
    pub width: f64,
    pub y: f64,
    /// Has not ended: drawn with an open end.
    pub open: bool,
    /// Began before the window: drawn with an open start.
    pub cut: bool,
    /// Whether its number fits inside.
    pub labelled: bool,
    /// From now to its limit: start and width in percent.
    pub tail: Option<Tail>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Tail {
    pub x: f64,
    pub width: f64,
}

/// A stretch in which more runs were active than allowed, or maintenance was on.
#[derive(Debug, Clone, Default)]
pub struct Band {
    pub x: f64,
    pub width: f64,
    /// `#411 and #412 overlap for 9 min`.
    pub title: String,
}

#[derive(Debug, Clone, Default)]
pub struct PlacedSlot {
    pub x: f64,
    pub missed: bool,
    pub href: String,
    pub title: String,
}

#[derive(Debug, Clone, Default)]
pub struct Tick {
    pub x: f64,
    pub label: String,
    /// Every second label is dropped on a narrow screen.
    pub minor: bool,
}

/// Draws. `bars` may come in any order; `label` writes a moment in the monitor's zone, short.
pub fn tape(window: Window, bars: &[Bar], slots: &[Slot], label: impl Fn(i64) -> String) -> Tape {
    let mut shown: Vec<&Bar> =
        bars.iter().filter(|bar| bar.start < window.to && end(bar, window) >= window.from).collect();
    shown.sort_by_key(|bar| (bar.start, bar.number));
    let (placed, lanes) = place(window, &shown);
    let bottom = SLOT_ROW + as_f64(lanes) * LANE + 4.0;
    Tape {
        height: bottom + AXIS,
        top: SLOT_ROW,
        bottom,
        lanes,
        bars: placed,
        overlaps: super::overlap::bands(window, &shown),
        maintenance: Vec::new(),
        slots: place_slots(window, slots),
        ticks: ticks(window, label),
        now: (window.from..=window.to).contains(&window.now).then(|| percent(window, window.now)),
    }
}

pub(super) fn end(bar: &Bar, window: Window) -> i64 {
    bar.end.unwrap_or(window.now).max(bar.start)
}

/// Gives each bar the first lane that is free, so that what overlaps lies one above the other.
fn place(window: Window, bars: &[&Bar]) -> (Vec<PlacedBar>, usize) {
    let mut free_from: Vec<i64> = Vec::new();
    let mut placed = Vec::with_capacity(bars.len());
    for bar in bars {
        let end = end(bar, window);
        let lane = free_from.iter().position(|free| *free <= bar.start).unwrap_or(free_from.len());
        let lane = lane.min(MAX_LANES - 1);
        if lane == free_from.len() {
            free_from.push(end);
        } else {
            free_from[lane] = free_from[lane].max(end);
        }
        let x = percent(window, bar.start);
        let width = (percent(window, end) - x).max(MIN_PERCENT);
        let tail = bar.limit.filter(|limit| bar.end.is_none() && *limit > window.now).map(|limit| Tail {
            x: round(x + width),
            width: round((percent(window, limit) - x - width).max(0.0)),
        });
        placed.push(PlacedBar {
            number: bar.number,
            status: bar.status.clone(),
            href: bar.href.clone(),
            title: bar.title.clone(),
            x: round(x.min(100.0 - MIN_PERCENT)),
            width: round(width),
            y: SLOT_ROW + as_f64(lane) * LANE + (LANE - BAR) / 2.0,
            open: bar.end.is_none(),
            cut: bar.start < window.from,
            labelled: width >= LABEL_PERCENT,
            tail,
        });
    }
    (placed, free_from.len().max(1))
}

fn place_slots(window: Window, slots: &[Slot]) -> Vec<PlacedSlot> {
    let inside: Vec<&Slot> =
        slots.iter().filter(|slot| (window.from..=window.to).contains(&slot.at)).collect();
    let crowded = inside.len() > MAX_SLOTS;
    inside
        .into_iter()
        .filter(|slot| slot.missed || !crowded)
        .map(|slot| PlacedSlot {
            x: round(percent(window, slot.at)),
            missed: slot.missed,
            href: slot.href.clone(),
            title: slot.title.clone(),
        })
        .collect()
}

fn ticks(window: Window, label: impl Fn(i64) -> String) -> Vec<Tick> {
    const STEPS: [i64; 15] = [
        60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 259_200, 604_800,
        2_592_000,
    ];
    let span = window.to - window.from;
    let step = STEPS.into_iter().find(|step| span / step <= 12).unwrap_or(STEPS[14] * 12);
    let first = (window.from + window.offset).div_euclid(step) + 1;
    let last = (window.to + window.offset - 1).div_euclid(step);
    (first..=last)
        .map(|index| (index, index * step - window.offset))
        .map(|(index, at)| (index, at, percent(window, at)))
        // a label at the very edge would be cut in half
        .filter(|(_, _, x)| (2.0..=97.5).contains(x))
        .map(|(index, at, x)| Tick { x: round(x), label: label(at), minor: index % 2 != 0 })
        .collect()
}

/// Where a moment lies in the window, from 0 to 100.
pub(super) fn percent(window: Window, at: i64) -> f64 {
    let span = as_f64(window.to - window.from).max(1.0);
    (as_f64(at - window.from) / span * 100.0).clamp(0.0, 100.0)
}

/// Two decimals are finer than any screen.
pub(super) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "pixels and seconds on a screen")]
pub(super) fn as_f64(value: impl TryInto<i64>) -> f64 {
    value.try_into().unwrap_or(i64::MAX) as f64
}

#[cfg(test)]
#[path = "tape_tests.rs"]
mod tests;
