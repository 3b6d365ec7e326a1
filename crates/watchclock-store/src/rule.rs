//! Rules of monitors as stored, and extractors, which prepare for them. Neighbour: `monitor` reads and writes them with the rest.

use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor,
    rule::{AppliesTo, Condition, Extractor, IfMissing, Rule, Severity},
};

use crate::{Store, StoreResult, Tx};

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct RuleRow {
    pub(crate) id: Uuid,
    pub(crate) monitor_id: Uuid,
    #[expect(dead_code, reason = "`select *` keeps row and table in step")]
    pub(crate) position: i32,
    pub(crate) name: String,
    pub(crate) condition: String,
    pub(crate) severity: String,
    pub(crate) for_runs: i32,
    pub(crate) applies_to: String,
    pub(crate) if_missing: String,
    pub(crate) channel_ids: Option<Vec<Uuid>>,
}

impl RuleRow {
    /// The rule, or why it cannot be read.
    pub(crate) fn into_rule(self) -> Result<Rule, String> {
        let wrong = |what: &str| format!("rule `{}`: {what}", self.condition);
        let unknown = |column: &str, word: &str| wrong(&format!("{column} `{word}` is unknown"));
        let condition = Condition::parse(&self.condition)
            .map_err(|problems| wrong(&problems.first().map_or_else(String::new, ToString::to_string)))?;
        let for_runs = u16::try_from(self.for_runs).ok().filter(|runs| (1..=100).contains(runs));
        Ok(Rule {
            id: self.id,
            severity: Severity::from_word(&self.severity)
                .ok_or_else(|| unknown("severity", &self.severity))?,
            for_runs: for_runs.ok_or_else(|| wrong("for_runs is not from 1 to 100"))?,
            applies_to: AppliesTo::from_word(&self.applies_to)
                .ok_or_else(|| unknown("applies_to", &self.applies_to))?,
            if_missing: IfMissing::from_word(&self.if_missing)
                .ok_or_else(|| unknown("if_missing", &self.if_missing))?,
            name: self.name,
            channels: self.channel_ids,
            condition,
        })
    }
}

/// Extractors by name; one that cannot be read is said and left out.
pub(crate) fn extractors(json: &serde_json::Value, broken: &mut Vec<String>) -> Vec<Extractor> {
    let texts = json.as_object().into_iter().flatten();
    let mut extractors = Vec::new();
    for (name, text) in texts {
        match Extractor::parse(name, text.as_str().unwrap_or_default()) {
            Ok(extractor) => extractors.push(extractor),
            Err(problem) => broken.push(format!("extractor `{name}`: {problem}")),
        }
    }
    extractors.sort_by(|one, other| one.name().cmp(other.name()));
    extractors
}

pub(crate) fn extractors_json(monitor: &Monitor) -> serde_json::Value {
    crate::json::object(
        monitor.extractors.iter().map(|extractor| (extractor.name().to_owned(), extractor.text().into())),
    )
}

impl Store {
    /// Rules keep their ids over edits, so that their incidents stay theirs.
    pub(crate) async fn write_rules(&self, tx: &mut Tx, monitor: &Monitor) -> StoreResult<()> {
        let kept: Vec<Uuid> = monitor.rules.iter().map(|rule| rule.id).collect();
        sqlx::query!("delete from rules where monitor_id = $1 and id <> all($2)", monitor.id, &kept)
            .execute(&mut **tx)
            .await?;
        for (position, rule) in (0i32..).zip(&monitor.rules) {
            sqlx::query!(
                "insert into rules (id, monitor_id, position, name, condition, severity, for_runs, applies_to, if_missing,
                     channel_ids)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                 on conflict (id) do update set position = excluded.position, name = excluded.name,
                     condition = excluded.condition, severity = excluded.severity, for_runs = excluded.for_runs,
                     applies_to = excluded.applies_to, if_missing = excluded.if_missing,
                     channel_ids = excluded.channel_ids
                 where rules.monitor_id = excluded.monitor_id",
                rule.id,
                monitor.id,
                position,
                rule.name,
                rule.condition.text(),
                rule.severity.word(),
                i32::from(rule.for_runs),
                rule.applies_to.word(),
                rule.if_missing.word(),
                rule.channels.as_deref()
            )
            .execute(&mut **tx)
            .await?;
        }
        Ok(())
    }
}
