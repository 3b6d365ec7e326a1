//! The small tape in a list row: the last runs as ticks whose shape tells their status; neighbour: [`crate::pages::tape`].

/// Most ticks that a mini tape holds.
pub const MINI_RUNS: usize = 20;
const STEP: f64 = 7.0;
const TICK: f64 = 4.0;
const HEIGHT: f64 = 20.0;

/// One run of a list row, oldest first.
#[derive(Debug, Clone)]
pub struct MiniRun {
    /// Status word: `success`, `failed`, `hung`, `missed`, `running`, `skipped`, `unknown`.
    pub status: String,
    /// How long it took, in seconds; a longer run gets a taller tick.
    pub seconds: Option<f64>,
    /// Whether it carries a flag that people should see (overlapped, rule broken, too slow …): drawn as a dot above.
    pub marked: bool,
}

/// A drawn mini tape.
#[derive(Debug, Clone, Default)]
pub struct MiniTape {
    pub width: f64,
    pub height: f64,
    pub ticks: Vec<MiniTick>,
    /// For readers of the page without eyes on it: `last 20 runs: 18 success, 2 failed`.
    pub label: String,
}

/// One tick, in pixels of the drawing.
#[derive(Debug, Clone)]
pub struct MiniTick {
    pub status: String,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Where the dot of a marked run is centred.
    pub dot: Option<f64>,
}

/// Draws the last [`MINI_RUNS`] of `runs`, newest at the right edge.
pub fn mini_tape(runs: &[MiniRun]) -> MiniTape {
    let runs = &runs[runs.len().saturating_sub(MINI_RUNS)..];
    let longest = runs.iter().filter_map(|run| run.seconds).fold(0.0, f64::max);
    let free = MINI_RUNS - runs.len();
    let mut left = super::tape::as_f64(free) * STEP + 2.0;
    let mut ticks = Vec::with_capacity(runs.len());
    for run in runs {
        let height = match (run.status.as_str(), run.seconds) {
            ("success" | "running", Some(seconds)) if longest > 0.0 => 6.0 + 6.0 * seconds / longest,
            ("success" | "running", _) => 9.0,
            ("skipped" | "unknown", _) => 4.0,
            _ => 16.0,
        };
        let height = height.round();
        // as tall as a failed one, but thin: told apart without colour
        let slim = if run.status == "hung" { 1.0 } else { 0.0 };
        ticks.push(MiniTick {
            status: run.status.clone(),
            x: left + slim,
            y: HEIGHT - 2.0 - height,
            width: TICK - 2.0 * slim,
            height,
            dot: run.marked.then_some(left + TICK / 2.0),
        });
        left += STEP;
    }
    MiniTape { width: super::tape::as_f64(MINI_RUNS) * STEP + 1.0, height: HEIGHT, ticks, label: label(runs) }
}

fn label(runs: &[MiniRun]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for run in runs {
        match counts.iter_mut().find(|(status, _)| *status == run.status) {
            Some((_, count)) => *count += 1,
            None => counts.push((&run.status, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    match runs.len() {
        0 => "no runs yet".to_owned(),
        1 => format!("last run: {}", runs[0].status),
        many => format!("last {many} runs: {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(status: &str) -> MiniRun {
        MiniRun { status: status.to_owned(), seconds: Some(10.0), marked: false }
    }

    #[test]
    fn newest_stands_at_the_right_edge_and_old_ones_fall_off() {
        let few = mini_tape(&[run("success"), run("failed")]);
        let many = mini_tape(&vec![run("success"); 30]);
        assert_eq!(many.ticks.len(), MINI_RUNS);
        assert!((few.ticks[1].x - many.ticks[19].x).abs() < 0.01);
        assert_eq!(few.label, "last 2 runs: 1 success, 1 failed");
    }

    #[test]
    fn nothing_leaves_the_drawing() {
        let tape = mini_tape(&[run("failed"), run("missed"), run("running")]);
        for tick in &tape.ticks {
            assert!(tick.y >= 0.0 && tick.y + tick.height <= tape.height);
            assert!(tick.x + tick.width <= tape.width);
        }
        assert_eq!(mini_tape(&[]).label, "no runs yet");
    }
}
