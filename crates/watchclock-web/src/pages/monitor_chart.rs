//! What goes on a monitor's chart of durations, and what is said below it. Neighbour: `chart` draws it.

use watchclock_domain::{run::RunStatus, span};
use watchclock_service::monitor::MonitorView;

use super::{
    chart::{Bounds, Chart, Point, chart},
    moments::Moments,
    run_words, words,
};

/// Good runs that must be known before anything is called usual.
const ENOUGH: usize = 5;

/// Draws the durations of the last runs.
pub(crate) fn draw(base: &str, view: &MonitorView, moments: &Moments) -> (Chart, String) {
    let points: Vec<Point> = view
        .recent
        .iter()
        .rev()
        .filter(|run| run.status != RunStatus::Skipped)
        .map(|run| {
            // As long as it is known to have taken.
            let until = if run.is_active() { Some(moments.now) } else { run.hung_at };
            let so_far = until.zip(run.started_at).map(|(until, started)| until - started);
            let length = run.duration().or(so_far);
            let mut title =
                format!("#{} {}, {}", run.number, run.status.word(), run_words::when(run, moments).text);
            if let Some(length) = length {
                title.push_str(", ");
                title.push_str(&span::words(length));
            }
            Point {
                number: run.number,
                status: run.status.word().to_owned(),
                seconds: length.map(seconds),
                href: run_words::href(base, run),
                title,
            }
        })
        .collect();
    let usual = usual(&view.memory.good_durations);
    let limit = view.monitor.max_duration.unwrap_or_else(|| view.memory.learned_limit());
    let drawn = chart(&points, Bounds { usual, limit: Some(seconds(limit)) });
    let timed = points.iter().filter(|point| point.seconds.is_some()).count();
    let said = said(timed, usual, limit, &drawn, view);
    (drawn, said)
}

fn said(
    count: usize,
    usual: Option<(f64, f64)>,
    limit: chrono::Duration,
    drawn: &Chart,
    view: &MonitorView,
) -> String {
    let runs = match count {
        0 => "No run has a duration yet.".to_owned(),
        1 => "One run so far.".to_owned(),
        count => format!("Last {count} runs, the newest at the right."),
    };
    let good = view.memory.good_durations.len();
    let band = usual.map(|(from, to)| match (words::duration(from), words::duration(to)) {
        (from, to) if from == to => {
            format!(" The band is what is usual: {from} (middle of {good} good runs).")
        }
        (from, to) => format!(" The band is what is usual: {from} to {to} (middle of {good} good runs)."),
    });
    let limit = match view.monitor.max_duration {
        Some(_) => format!("limit of {}", span::words(limit)),
        None if good >= ENOUGH => format!("learned limit of {}", span::words(limit)),
        None => "limit of 24 h (until five good runs are known)".to_owned(),
    };
    let line = match drawn.limit {
        _ if count == 0 => format!(" There is a {limit}."),
        Some(_) => format!(" The dashed line is the {limit}."),
        None => format!(" The {limit} is far above."),
    };
    [runs, band.unwrap_or_default(), line].concat()
}

/// The middle four fifths of the last good durations, in seconds.
fn usual(durations: &[i64]) -> Option<(f64, f64)> {
    if durations.len() < ENOUGH {
        return None;
    }
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    let cut = sorted.len() / 10;
    let at = |index: usize| seconds(chrono::Duration::milliseconds(sorted[index]));
    Some((at(cut), at(sorted.len() - 1 - cut)))
}

#[expect(clippy::cast_precision_loss, reason = "the height of a bar on a screen")]
fn seconds(span: chrono::Duration) -> f64 {
    span.num_milliseconds() as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_leaves_out_what_stands_far_off() {
        assert_eq!(usual(&[1_000; 4]), None);
        let mut durations = vec![60_000; 18];
        durations.extend([1_000, 900_000]);
        assert_eq!(usual(&durations), Some((60.0, 60.0)));
    }
}
