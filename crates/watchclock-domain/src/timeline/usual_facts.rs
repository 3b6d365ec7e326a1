//! What was usual for the values that a rule read, for the facts of its incident. Neighbours: `rules` opens it, `unusual` judges without a rule.

use chrono::Duration;
use uuid::Uuid;

use super::{
    Timeline,
    unusual::{number, shown},
};
use crate::{
    rule::Rule,
    run::{Run, RunStatus},
    span,
};

/// How many earlier good runs are asked.
const ASKED: usize = 14;
/// Fewest of them that tell what is usual.
const FEWEST: usize = 3;
/// Finished runs that hold so many good ones, as a rule.
pub const RUNS_READ: i64 = 40;

impl Timeline<'_> {
    /// Rules that opened an incident just now and whose values have a usual.
    fn opened(&self) -> impl Iterator<Item = (usize, &Rule)> {
        let new = self.incidents.iter().enumerate().filter(|(_, incident)| {
            self.changes.new_incidents.contains(&incident.id)
                && incident.facts.iter().all(|(name, _)| !name.starts_with("usual"))
        });
        new.filter_map(|(at, incident)| {
            let rule = self.monitor.rules.iter().find(|rule| Some(rule.id) == incident.rule)?;
            (!rule.condition.names().is_empty() || rule.condition.reads_duration()).then_some((at, rule))
        })
    }

    /// Whether earlier runs are needed to tell what is usual.
    pub fn wants_usual(&self) -> bool {
        self.opened().next().is_some()
    }

    /// Adds to the facts of new incidents what was usual; `earlier` are finished runs, newest first.
    pub fn tell_usual(&mut self, earlier: &[Run]) {
        let told: Vec<(usize, Vec<(String, String)>)> =
            self.opened().map(|(at, rule)| (at, usual(rule, &self.incidents[at].runs, earlier))).collect();
        for (at, facts) in told {
            self.incidents[at].facts.extend(facts);
        }
    }
}

fn usual(rule: &Rule, but: &[Uuid], earlier: &[Run]) -> Vec<(String, String)> {
    let good: Vec<&Run> = earlier
        .iter()
        .filter(|run| run.status == RunStatus::Success && !but.contains(&run.id))
        .take(ASKED)
        .collect();
    let mut facts = Vec::new();
    for key in rule.condition.names() {
        let values = good.iter().filter_map(|run| number(run.meta.get(key)?)).collect();
        facts.extend(median(values).map(|(median, of)| (key, format!("{} (median of {of})", shown(median)))));
    }
    if rule.condition.reads_duration() {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a job fit")]
        let values = good.iter().filter_map(|run| Some(run.duration()?.num_milliseconds() as f64)).collect();
        #[expect(clippy::cast_possible_truncation, reason = "a median of milliseconds is one, nearly")]
        let words = |millis: f64| span::words(Duration::milliseconds(millis as i64));
        facts.extend(
            median(values).map(|(median, of)| ("duration", format!("{} (median of {of})", words(median)))),
        );
    }
    // Of one value there is no doubt whose usual it is.
    let alone = facts.len() == 1;
    let name = |of: &str| if alone { "usual".to_owned() } else { format!("usual {of}") };
    facts.into_iter().map(|(of, usual)| (name(of), usual)).collect()
}

fn median(mut values: Vec<f64>) -> Option<(f64, usize)> {
    if values.len() < FEWEST {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let (middle, odd) = (values.len() / 2, !values.len().is_multiple_of(2));
    let median = if odd { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) };
    Some((median, values.len()))
}
