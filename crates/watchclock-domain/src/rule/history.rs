//! Computes what the runs before this one say. Neighbours: [`super::statistics`] does the sums, [`super::calls`] says what may be asked.

use std::borrow::Cow;

use super::{
    earlier::Earlier,
    eval::{Evaluation, Unknown},
    got::Got,
    read::{of_earlier, too_large},
    statistics::Sample,
    tree::{Call, Field, Function, Reach},
};
use crate::{run::RunStatus, value::Number};

/// Fewest values that say what is usual.
const FEWEST: usize = 3;
/// Most values of a window of time that are looked at: the newest.
const MAX_VALUES: usize = 500;

impl<'a> Evaluation<'a> {
    pub(super) fn compute(&mut self, index: usize) -> Result<Got<'a>, Unknown> {
        let call = self.call(index);
        let Some(field) = call.field.map(|field| &self.tree.fields[field]) else {
            return Ok(self.count(call));
        };
        match call.function {
            Function::Prev | Function::Last => self.newest(call, field),
            Function::Change => {
                let now = self.field(call.field.unwrap_or_default())?;
                let before = self.newest(call, field)?;
                let (Some(now), Some(before)) = (now.to_number(), before.to_number()) else {
                    return Err(Unknown::Because(format!("{} was or is no number", field.shown)));
                };
                if before.is_zero() {
                    return Err(Unknown::Because(format!("{} was 0 before: division by zero", field.shown)));
                }
                let change = now.minus(&before).and_then(|difference| difference.over(&before));
                change.map(Got::number).ok_or_else(too_large)
            }
            _ => self.statistic(call, field),
        }
    }

    /// Runs within reach, newest first, of those that pass.
    fn within(
        &self,
        reach: Reach,
        runs: impl DoubleEndedIterator<Item = Earlier<'a>>,
        pass: impl Fn(Earlier<'a>) -> bool,
    ) -> impl Iterator<Item = Earlier<'a>> {
        let (most, since) = match reach {
            Reach::Runs(runs) => (runs, None),
            Reach::Window(window) => (usize::MAX, self.facts.now.checked_sub_signed(window)),
        };
        let now = self.facts.now;
        runs.rev()
            .filter(move |run| {
                since.is_none_or(|since| run.at().is_some_and(|at| since < at && at <= now)) && pass(*run)
            })
            .take(most)
    }

    fn count(&self, call: &Call) -> Got<'a> {
        let Function::Count(status) = call.function else { return Got::number(Number::from(0)) };
        // This run counts, too: three failures in a day include the one at hand.
        let runs = self.facts.history.iter().chain(std::iter::once(Earlier::from(&self.facts.run)));
        let found =
            self.within(call.reach, runs, |_| true).filter(|run| counts(status, run.status())).count();
        Got::number(Number::from(i64::try_from(found).unwrap_or(i64::MAX)))
    }

    fn newest(&self, call: &Call, field: &Field) -> Result<Got<'a>, Unknown> {
        let mut good = self.within(call.reach, self.facts.history.iter(), Earlier::is_good);
        good.find_map(|run| of_earlier(run, field))
            .ok_or_else(|| Unknown::Because(format!("no earlier good run tells {}", field.shown)))
    }

    fn statistic(&self, call: &Call, field: &Field) -> Result<Got<'a>, Unknown> {
        let values: Vec<Cow<'a, Number>> = self
            .within(call.reach, self.facts.history.iter(), Earlier::is_good)
            .filter_map(|run| match of_earlier(run, field)? {
                Got::Number(number) => Some(number),
                other => other.to_number().map(|number| Cow::Owned(number.into_owned())),
            })
            .take(MAX_VALUES)
            .collect();
        let fewest = match call.reach {
            Reach::Runs(runs) => runs.div_ceil(2).max(FEWEST).min(runs),
            Reach::Window(_) => FEWEST,
        };
        if values.len() < fewest {
            return Err(Unknown::Because(format!(
                "too little history for {}: {} of at least {fewest} good runs tell {}",
                call.shown,
                values.len(),
                field.shown
            )));
        }
        let exact = match call.function {
            Function::Min => values.iter().min().cloned(),
            Function::Max => values.iter().max().cloned(),
            _ => None,
        };
        if let Some(exact) = exact {
            return Ok(Got::Number(exact));
        }
        let mut sample = Sample::of(&values);
        let number = match call.function {
            Function::Avg => sample.average(),
            Function::Median => sample.median(),
            Function::Percentile(percent) => sample.percentile(percent),
            Function::Stddev => sample.deviation(),
            _ => sample.sum(),
        };
        number.map(Got::number).ok_or_else(too_large)
    }
}

/// Whether a run of this status is counted where one is wanted; of any status are those that were really there.
pub(super) fn counts(wanted: Option<RunStatus>, status: RunStatus) -> bool {
    match wanted {
        Some(wanted) => status == wanted,
        None => !matches!(status, RunStatus::Missed | RunStatus::Skipped | RunStatus::Unknown),
    }
}
