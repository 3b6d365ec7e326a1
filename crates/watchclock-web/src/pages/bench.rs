//! What the rules and extractors of a form are tried on: the past of its monitor, read by the extractors of the form.
//! Neighbours: `rule_try` and `extractor_try` tell what came of it.

use uuid::Uuid;
use watchclock_domain::rule::{Extractor, Rule};
use watchclock_service::rule::{HISTORY, Trial};

use super::{
    errors::PageResult,
    extractor_rows, extractor_try,
    fields::Fields,
    moments::Moments,
    rule_rows, rule_try,
    views::rules::{ExtractorCheck, OutputSample, RuleCheck, Suggestion},
};
use crate::state::Web;

/// Most suggestions that are shown.
const SUGGESTED: usize = 6;

/// How many runs are read to try an extractor; a few of them did not end.
const EXTRACTED: i64 = 40;

/// Which part of a form is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Rule(usize),
    Extractor(usize),
    /// Everything, or what depends on everything.
    All,
}

/// The past of a monitor that is being edited; of a new one there is none.
pub(crate) struct Bench<'f> {
    base: String,
    fields: &'f Fields,
    trial: Option<(Trial, Moments)>,
}

impl<'f> Bench<'f> {
    /// Reads as much of the past as a part of the form asks for.
    pub(crate) async fn of(
        web: &Web,
        project: Uuid,
        monitor: Option<Uuid>,
        fields: &'f Fields,
        part: Part,
    ) -> PageResult<Self> {
        let base = web.base_path().to_owned();
        let Some(monitor) = monitor else { return Ok(Self { base, fields, trial: None }) };
        let mut extractors = extractor_rows::readable(fields);
        let rules: Vec<Rule> = match part {
            Part::Rule(row) => rule_rows::rule(fields, row).and_then(Result::ok).into_iter().collect(),
            Part::Extractor(_) => Vec::new(),
            Part::All => rule_rows::readable(fields),
        };
        if part != Part::All {
            // Outputs are long: they are read only for what is asked.
            let named = |extractor: &Extractor| {
                rules.iter().any(|rule| rule.condition.names().contains(&extractor.name()))
            };
            extractors.retain(named);
        }
        let depth = match part {
            Part::Extractor(_) => (EXTRACTED, true),
            Part::All => (HISTORY, true),
            Part::Rule(_) => (HISTORY, rules.iter().any(|rule| rule.condition.reads_output())),
        };
        let trial = web.watchclock().trial(project, &monitor.to_string(), Some(&extractors), depth).await?;
        let moments = Moments::new(*trial.view.monitor.schedule.zone(), web.watchclock().now());
        Ok(Self { base, fields, trial: Some((trial, moments)) })
    }

    /// What the rule in a row would have said.
    pub(crate) fn rule(&self, row: usize) -> RuleCheck {
        let extracted: Vec<String> = extractor_rows::readable(self.fields)
            .into_iter()
            .map(|extractor| extractor.name().to_owned())
            .collect();
        let trial = self.trial.as_ref().map(|(trial, moments)| (trial, moments));
        rule_try::row(&self.base, trial, &extracted, self.fields, row)
    }

    /// What the extractor in a row would have read.
    pub(crate) fn extractor(&self, row: usize) -> ExtractorCheck {
        let trial = self.trial.as_ref().map(|(trial, moments)| (trial, moments));
        extractor_try::row(&self.base, trial, self.fields, row)
    }

    /// The end of the newest output.
    pub(crate) fn sample(&self) -> Option<OutputSample> {
        self.trial.as_ref().and_then(|(trial, _)| extractor_try::sample(trial))
    }

    /// Rules that would have been quiet, and that no row of the form has.
    pub(crate) fn suggestions(&self) -> Vec<Suggestion> {
        let Some((trial, _)) = &self.trial else { return Vec::new() };
        let found = trial.suggest(&rule_rows::readable(self.fields));
        let shown = found.into_iter().take(SUGGESTED);
        shown.map(|suggestion| Suggestion { when: suggestion.when, why: suggestion.why }).collect()
    }
}
