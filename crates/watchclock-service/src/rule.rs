//! Rules tried before they are saved.

use uuid::Uuid;
use watchclock_domain::{
    rule::{Condition, Facts, Judged, Verdict},
    timeline::PastRun,
};

use crate::{ServiceResult, Watchclock};

impl Watchclock {
    /// What a condition says of each of the last runs of a monitor, oldest first.
    pub async fn try_rule(
        &self,
        project: Uuid,
        monitor: &str,
        condition: &Condition,
    ) -> ServiceResult<Vec<(PastRun, Verdict)>> {
        const TRIED: usize = 100;
        let monitor = self.monitor(project, monitor).await?.monitor;
        let mut tx = self.store().begin().await?;
        let mut runs = self.store().finished_runs(&mut tx, monitor.id, 300).await?;
        runs.reverse();
        let outputs: std::collections::HashMap<Uuid, String> = if condition.reads_output() {
            let ids: Vec<Uuid> = runs.iter().map(|run| run.id).collect();
            self.store().outputs(&mut tx, &ids).await?.into_iter().collect()
        } else {
            std::collections::HashMap::new()
        };
        let past: Vec<PastRun> =
            runs.into_iter().map(|run| PastRun { output: outputs.get(&run.id).cloned(), run }).collect();
        let verdicts = judge_each(&past, condition);
        // Missed, skipped and hung runs are history, but no rule judges them.
        let mut tried: Vec<(PastRun, Verdict)> =
            past.into_iter().zip(verdicts).filter(|(past, _)| past.run.has_ended()).collect();
        let from = tried.len().saturating_sub(TRIED);
        Ok(tried.split_off(from))
    }
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
