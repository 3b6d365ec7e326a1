//! Rules and extractors tried on past runs before they are saved; extractors read past outputs when they are.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;
use watchclock_domain::{
    monitor::{Monitor, Thresholds},
    ping::OUTPUT_LIMIT,
    rule::{
        Extractor, Found, Judged, Rule, Suggestion, Tried, extract_all, suggest, try_as_they_ended, try_rule,
    },
    run::Run,
    timeline::PastRun,
    value::Meta,
};

use watchclock_store::Tx;

use crate::{ServiceResult, Watchclock, monitor::MonitorView};

/// How many runs that ended a rule is tried on; those before them are history.
const TRIED: usize = 100;
/// How many runs a trial of rules reads.
pub const HISTORY: i64 = 300;
/// How many runs suggestions rest on.
const SUGGESTED_FROM: usize = 200;

/// The last runs of a monitor, to try rules and extractors on before they are saved.
#[derive(Debug, Clone)]
pub struct Trial {
    pub view: MonitorView,
    /// Oldest first; missed, skipped and hung runs among them.
    past: Vec<PastRun>,
}

impl Trial {
    /// What would have come of a rule for each of the last 100 runs that ended, oldest first.
    pub fn rule(&self, rule: &Rule) -> Vec<(&PastRun, Tried)> {
        let judged: Vec<Judged<'_>> = self.past.iter().map(PastRun::judged).collect();
        // Of runs beside each other, a later one may have ended first.
        let mut order: Vec<usize> = (0..self.past.len()).collect();
        order.sort_by_key(|at| self.past[*at].run.over_at());
        let tried = try_as_they_ended(rule, &self.view.monitor.thresholds, &judged, &order);
        // Missed, skipped and hung runs are history, but no rule judges them.
        let mut ended: Vec<_> =
            self.past.iter().zip(tried).filter(|(past, _)| past.run.has_ended()).collect();
        let from = ended.len().saturating_sub(TRIED);
        ended.split_off(from)
    }

    /// What an extractor reads in the kept output of the last so many runs that ended, newest first.
    pub fn extractor(&self, extractor: &Extractor, most: usize) -> Vec<(&PastRun, Option<Found<'_>>)> {
        let ended = self.past.iter().rev().filter(|past| past.run.has_ended()).take(most);
        ended.map(|past| (past, past.output.as_deref().and_then(|output| extractor.find(output)))).collect()
    }

    /// Rules that would have been quiet over the last runs, the most telling first, without what `rules` judge already.
    pub fn suggest(&self, rules: &[Rule]) -> Vec<Suggestion> {
        let from = self.past.len().saturating_sub(SUGGESTED_FROM);
        let judged: Vec<Judged<'_>> = self.past[from..].iter().map(PastRun::judged).collect();
        suggest(&judged, rules)
    }

    /// The runs themselves, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &PastRun> {
        self.past.iter().rev()
    }
}

impl Watchclock {
    /// The last so many runs of a monitor to try something on. Their outputs are read again by `extractors`, else by those of the
    /// monitor; outputs that neither these nor `with_output` ask for stay unread.
    pub async fn trial(
        &self,
        project: Uuid,
        monitor: &str,
        extractors: Option<&[Extractor]>,
        (most, with_output): (i64, bool),
    ) -> ServiceResult<Trial> {
        let view = self.monitor(project, monitor).await?;
        let monitor = &view.monitor;
        let mut tx = self.store().begin().await?;
        let mut runs = self.store().finished_runs(&mut tx, monitor.id, most).await?;
        let with_outputs = with_outputs(&runs);
        runs.reverse();
        let extractors = extractors.unwrap_or(&monitor.extractors);
        let mut outputs: HashMap<Uuid, String> = if with_output || !extractors.is_empty() {
            self.store().outputs(&mut tx, &with_outputs).await?.into_iter().collect()
        } else {
            HashMap::new()
        };
        let past = runs.into_iter().map(|mut run| {
            let output = outputs.remove(&run.id);
            if let Some(output) = &output {
                extract_again(&monitor.extractors, extractors, output, &mut run.meta);
            }
            PastRun { run, output }
        });
        let past = past.collect();
        Ok(Trial { view, past })
    }

    /// Rules that would have been quiet over the last runs of a monitor, the most telling first.
    pub async fn suggest_rules(&self, project: Uuid, monitor: &str) -> ServiceResult<Vec<Suggestion>> {
        let trial = self.trial(project, monitor, Some(&[]), (HISTORY, false)).await?;
        Ok(trial.suggest(&trial.view.monitor.rules))
    }
}

impl Watchclock {
    /// Reads the kept outputs of past runs by the extractors that a change brings, so that rules that look back know from
    /// the start what was usual, as they did when they were tried. Tells the names that were found.
    pub(crate) async fn read_again(
        &self,
        tx: &mut Tx,
        before: &Monitor,
        after: &Monitor,
    ) -> ServiceResult<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let same =
            |one: &Extractor, other: &Extractor| one.name() == other.name() && one.text() == other.text();
        let is_new = |new: &&Extractor| !before.extractors.iter().any(|known| same(known, new));
        let new: Vec<Extractor> = after.extractors.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return Ok(found);
        }
        let mut runs = self.store().finished_runs(tx, after.id, HISTORY).await?;
        runs.retain(Run::has_ended);
        let outputs: HashMap<Uuid, String> =
            self.store().outputs(tx, &with_outputs(&runs)).await?.into_iter().collect();
        let mut changed = Vec::new();
        for run in runs {
            let Some(output) = outputs.get(&run.id) else { continue };
            let mut meta = run.meta.clone();
            extract_again(&before.extractors, &new, output, &mut meta);
            if meta != run.meta {
                found.extend(
                    new.iter().map(Extractor::name).filter(|key| meta.contains_key(*key)).map(str::to_owned),
                );
                changed.push((run.id, meta));
            }
        }
        self.store().set_meta(tx, &changed).await?;
        Ok(found)
    }
}

/// Those of some runs, newest first, whose outputs are read: as many as memory can well hold.
fn with_outputs(runs: &[Run]) -> Vec<Uuid> {
    const MOST_BYTES: u64 = 10_000_000;
    let mut bytes = 0;
    let printed = runs.iter().filter(|run| run.output_size > 0);
    let fits = printed.take_while(|run| {
        bytes += run.output_size.min(OUTPUT_LIMIT as u64);
        bytes <= MOST_BYTES
    });
    fits.map(|run| run.id).collect()
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

/// Tries a rule on runs that belong to no monitor, oldest first.
pub fn try_on(past: &[PastRun], rule: &Rule) -> Vec<Tried> {
    let judged: Vec<Judged<'_>> = past.iter().map(PastRun::judged).collect();
    try_rule(rule, &Thresholds::default(), &judged)
}
