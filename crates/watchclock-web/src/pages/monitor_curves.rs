//! Which reported numbers of a monitor are drawn over its runs, and what is said of each. Neighbour: `curve` draws.

use std::collections::BTreeSet;

use watchclock_domain::{
    rule::{Bound, Condition, Facts, Judged, Rule},
    run::{Run, RunFlag, RunStatus},
    timeline::{rules::judged, unusual::shown},
    value::{Number, Value},
};
use watchclock_service::{Watchclock, monitor::MonitorView};

use super::{
    curve::{Spot, curve, ends},
    errors::PageResult,
    moments::Moments,
    names, run_words,
    views::monitor_page::MetaCurve,
    words,
};

/// Most numbers that are drawn; those that rules read come first.
const MOST: usize = 6;
/// Good runs that must have reported a number before anything is called usual.
const ENOUGH: usize = 5;
/// Runs before those that are drawn, as history of the rules.
const HISTORY: i64 = 100;

/// Draws the numbers that the last runs reported; tells how many there are beside them.
pub(crate) async fn draw(
    watchclock: &Watchclock,
    base: &str,
    view: &MonitorView,
    moments: &Moments,
) -> PageResult<(Vec<MetaCurve>, usize)> {
    let runs: Vec<&Run> = view.recent.iter().rev().filter(|run| run.has_ended()).collect();
    let mut keys = numeric(&runs);
    let rules = &view.monitor.rules;
    let by_rule = |key: &str| rules.iter().any(|rule| rule.condition.names().contains(&key));
    keys.sort_by_key(|key| !by_rule(key));
    let more = keys.len().saturating_sub(MOST);
    keys.truncate(MOST);
    if keys.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let bounds = bounds(watchclock, view, &runs).await?;
    let one = |key: &&str| one(base, view, key, &runs, &bounds, moments);
    Ok((keys.iter().map(one).collect(), more))
}

/// The bounds of one key for each run, as many for every run: of a rule that knows fewer of them for one, none.
fn aligned(bounds: &[Vec<Vec<Bound>>], key: &str) -> Vec<Vec<Option<f64>>> {
    let of = |rule: &Vec<Bound>| -> Vec<Option<f64>> {
        rule.iter().filter(|bound| bound.key == key).map(|bound| Some(bound.value)).collect()
    };
    let rules = bounds.first().map_or(0, Vec::len);
    let most: Vec<usize> =
        (0..rules).map(|rule| bounds.iter().map(|run| of(&run[rule]).len()).max().unwrap_or(0)).collect();
    let whole = |run: &Vec<Vec<Bound>>| {
        let each = run.iter().zip(&most).map(|(rule, most)| (of(rule), *most));
        each.flat_map(|(found, most)| if found.len() == most { found } else { vec![None; most] }).collect()
    };
    bounds.iter().map(whole).collect()
}

/// Keys under which at least two runs reported a number.
fn numeric<'r>(runs: &[&'r Run]) -> Vec<&'r str> {
    let keys: BTreeSet<&str> = runs.iter().flat_map(|run| run.meta.keys().map(String::as_str)).collect();
    let often = |key: &&str| runs.iter().filter(|run| value(run, key).is_some()).count() >= 2;
    keys.into_iter().filter(often).collect()
}

fn value(run: &Run, key: &str) -> Option<f64> {
    let number = match run.meta.get(key)? {
        Value::Number(number) => number.to_f64(),
        Value::Text(text) => Number::parse(text.trim())?.to_f64(),
        Value::Flag(_) => return None,
    };
    number.is_finite().then_some(number)
}

/// For each run, for each rule, what the rule compares reported numbers with.
async fn bounds(
    watchclock: &Watchclock,
    view: &MonitorView,
    runs: &[&Run],
) -> PageResult<Vec<Vec<Vec<Bound>>>> {
    let rules: Vec<&Rule> = view.monitor.rules.iter().collect();
    let needs_past = rules.iter().any(|rule| rule.condition.history().is_some());
    let mut past = match runs.first().filter(|_| needs_past) {
        Some(first) => {
            let before = Some(first.number);
            watchclock.runs_of_monitor(view.monitor.id, None, before, HISTORY).await?
        }
        None => Vec::new(),
    };
    past.reverse();
    let mut history: Vec<Judged<'_>> =
        past.iter().filter(|run| run.has_ended()).map(|run| judged(run, None)).collect();
    let mut found = Vec::with_capacity(runs.len());
    for run in runs {
        let run = judged(run, None);
        let facts = Facts { run, history: history.as_slice().into(), now: run.ended_at.unwrap_or_default() };
        found.push(rules.iter().map(|rule| rule.condition.bounds(&facts)).collect());
        history.push(run);
    }
    Ok(found)
}

fn one(
    base: &str,
    view: &MonitorView,
    key: &str,
    runs: &[&Run],
    bounds: &[Vec<Vec<Bound>>],
    moments: &Moments,
) -> MetaCurve {
    let rules: Vec<&str> = view
        .monitor
        .rules
        .iter()
        .map(|rule| &rule.condition)
        .filter(|condition| condition.names().contains(&key))
        .map(Condition::text)
        .collect();
    let spots: Vec<Spot> = runs
        .iter()
        .zip(aligned(bounds, key))
        .map(|(run, bounds)| {
            let shown = run.meta.get(key).map_or_else(|| "not reported".to_owned(), names::shown);
            let when = run_words::when(run, moments).text;
            let broken = !rules.is_empty() && run.has(RunFlag::RuleBroken);
            Spot {
                number: run.number,
                status: run.status.word().to_owned(),
                value: value(run, key),
                bounds,
                broken,
                href: run_words::href(base, run),
                title: format!("#{} {}, {when}: {shown}", run.number, run.status.word()),
            }
        })
        .collect();
    // What a rule says is wrong teaches nothing.
    let is_good =
        |run: &&Run| run.status == RunStatus::Success && (rules.is_empty() || !run.has(RunFlag::RuleBroken));
    let good: Vec<f64> = runs.iter().copied().filter(is_good).filter_map(|run| value(run, key)).collect();
    let usual = usual(&good);
    let last = runs.iter().rev().find_map(|run| value(run, key).and(run.meta.get(key)));
    MetaCurve {
        name: key.to_owned(),
        last: last.map(names::shown).unwrap_or_default(),
        said: said(&spots, usual, &rules),
        rules: rules.into_iter().map(str::to_owned).collect(),
        curve: curve(&spots, usual),
    }
}

/// The middle four fifths of what good runs reported.
fn usual(good: &[f64]) -> Option<(f64, f64)> {
    if good.len() < ENOUGH {
        return None;
    }
    let mut sorted = good.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 10;
    Some((sorted[cut], sorted[sorted.len() - 1 - cut]))
}

/// What the curve shows, for those who do not see it.
fn said(spots: &[Spot], usual: Option<(f64, f64)>, rules: &[&str]) -> String {
    let values: Vec<f64> = spots.iter().filter_map(|spot| spot.value).collect();
    let mut said = match ends(&values) {
        Some((low, high)) if low < high => format!("{} to {}", shown(low), shown(high)),
        Some((low, _)) => format!("always {}", shown(low)),
        None => return String::new(),
    };
    said.push_str(&format!(" in {}", words::count(values.len(), "run")));
    let missing = spots.len() - values.len();
    if missing > 0 {
        said.push_str(&format!(", not reported by {missing}"));
    }
    match usual.map(|(from, to)| (shown(from), shown(to))) {
        Some((from, to)) if from == to => said.push_str(&format!("; usually {from}")),
        Some((from, to)) => said.push_str(&format!("; usually {from} to {to}")),
        None => {}
    }
    let broken = spots.iter().filter(|spot| spot.broken).count();
    if !rules.is_empty() {
        said.push_str(&format!("; a rule was true for {broken}"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_in_words_has_whole_numbers() {
        let spots: Vec<Spot> = [9_257.0, 12_890.0, 41_930.4]
            .iter()
            .map(|value| Spot { value: Some(*value), ..Spot::default() })
            .collect();
        let rules = ["rows eq 0"];
        assert_eq!(
            said(&spots, Some((12_890.0, 38_880.0)), &rules),
            "9,257 to 41,930 in 3 runs; usually 12,890 to 38,880; a rule was true for 0"
        );
        assert_eq!(said(&spots[..1], Some((9_257.0, 9_257.0)), &[]), "always 9,257 in 1 run; usually 9,257");
    }

    #[test]
    fn usual_leaves_out_what_stands_far_off() {
        assert_eq!(usual(&[1.0; 4]), None);
        let mut values = vec![100.0; 18];
        values.extend([0.0, 9e9]);
        assert_eq!(usual(&values), Some((100.0, 100.0)));
    }
}
