//! Rules tried before they are saved.

use uuid::Uuid;
use watchclock_domain::{
    rule::{Condition, Extractor, Facts, Judged, Suggestion, Verdict, extract_all, suggest},
    timeline::PastRun,
    value::Meta,
};

use crate::{ServiceResult, Watchclock};

impl Watchclock {
    /// What a condition says of each of the last runs of a monitor, oldest first. Their outputs are read again by
    /// `extractors`, else by those of the monitor.
    pub async fn try_rule(
        &self,
        project: Uuid,
        monitor: &str,
        condition: &Condition,
        extractors: Option<&[Extractor]>,
    ) -> ServiceResult<Vec<(PastRun, Verdict)>> {
        const TRIED: usize = 100;
        let monitor = self.monitor(project, monitor).await?.monitor;
        let mut tx = self.store().begin().await?;
        let mut runs = self.store().finished_runs(&mut tx, monitor.id, 300).await?;
        runs.reverse();
        let extractors = extractors.unwrap_or(&monitor.extractors);
        let outputs: std::collections::HashMap<Uuid, String> =
            if condition.reads_output() || !extractors.is_empty() {
                let ids: Vec<Uuid> = runs.iter().map(|run| run.id).collect();
                self.store().outputs(&mut tx, &ids).await?.into_iter().collect()
            } else {
                std::collections::HashMap::new()
            };
        let past: Vec<PastRun> = runs
            .into_iter()
            .map(|mut run| {
                let output = outputs.get(&run.id).cloned();
                if let Some(output) = &output {
                    extract_again(&monitor.extractors, extractors, output, &mut run.meta);
                }
                PastRun { run, output }
            })
            .collect();
        let verdicts = judge_each(&past, condition);
        // Missed, skipped and hung runs are history, but no rule judges them.
        let mut tried: Vec<(PastRun, Verdict)> =
            past.into_iter().zip(verdicts).filter(|(past, _)| past.run.has_ended()).collect();
        let from = tried.len().saturating_sub(TRIED);
        Ok(tried.split_off(from))
    }
}

impl Watchclock {
    /// Rules that would have been quiet over the last runs of a monitor, the most telling first.
    pub async fn suggest_rules(&self, project: Uuid, monitor: &str) -> ServiceResult<Vec<Suggestion>> {
        let monitor = self.monitor(project, monitor).await?.monitor;
        let mut tx = self.store().begin().await?;
        let mut runs = self.store().finished_runs(&mut tx, monitor.id, 200).await?;
        runs.reverse();
        let past: Vec<PastRun> = runs.into_iter().map(|run| PastRun { run, output: None }).collect();
        let judged: Vec<Judged<'_>> = past.iter().map(PastRun::judged).collect();
        Ok(suggest(&judged, &monitor.rules))
    }
}

/// Makes metadata of an output anew: what the extractors of before have made of it goes first.
fn extract_again(before: &[Extractor], now: &[Extractor], output: &str, meta: &mut Meta) {
    for extractor in before.iter().filter(|before| now.iter().any(|now| now.name() == before.name())) {
        if meta.get(extractor.name()).is_some_and(|value| extractor.extract(output).as_ref() == Some(value)) {
            meta.remove(extractor.name());
        }
    }
    extract_all(now, output, meta);
}

/// Judges each run with those before it as its history.
pub fn judge_each(past: &[PastRun], condition: &Condition) -> Vec<Verdict> {
    let judged: Vec<Judged<'_>> = past.iter().map(PastRun::judged).collect();
    judged
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let now = run.ended_at.or(run.started_at).unwrap_or_default();
            condition.judge(&Facts { run: *run, history: &judged[..at], now })
        })
        .collect()
}
