//! The rows of rules in a monitor's form: read, written, filled. Neighbours: `rule_try` tries one, `monitor_read` reads the rest.

use uuid::Uuid;
use watchclock_domain::rule::{AppliesTo, IfMissing, Rule, Severity};
use watchclock_service::monitor::RuleChange;

use super::{
    fields::Fields,
    monitor_read::number,
    problems::Problems,
    views::{
        monitor_form::RuleFields,
        parts::{Choice, Field},
        rules::RuleCheck,
    },
};

/// Blank rows for rules below those that hold something.
const BLANK_ROWS: usize = 2;
/// More of them when asked.
const MORE_ROWS: usize = 4;
/// As many rules as a monitor takes.
const MOST_ROWS: usize = 50;

/// Rows that hold a rule, with their places in the form.
pub(super) fn read(fields: &Fields, problems: &mut Problems) -> (Vec<RuleChange>, Vec<usize>) {
    let mut rules = Vec::new();
    let mut rows = Vec::new();
    for row in self::rows(fields) {
        let name = |part: &str| format!("rules[{row}].{part}");
        let Some(when) = fields.some(&name("when")) else { continue };
        rules.push(RuleChange {
            id: fields.some(&name("id")).and_then(|id| Uuid::try_parse(id).ok()),
            name: fields.get(&name("name")).to_owned(),
            severity: Severity::from_word(fields.get(&name("severity"))).unwrap_or(Severity::Critical),
            for_runs: number(fields, &name("for"), 1, problems),
            applies_to: AppliesTo::from_word(fields.get(&name("on"))).unwrap_or_default(),
            if_missing: IfMissing::from_word(fields.get(&name("if_missing"))).unwrap_or_default(),
            ..RuleChange::when(when)
        });
        rows.push(row);
    }
    (rules, rows)
}

/// The places of all rows of rules in a form.
fn rows(fields: &Fields) -> Vec<usize> {
    const MOST: usize = 100;
    let rows = fields.names().filter_map(index).map(|(row, _)| row);
    let mut rows: Vec<usize> = rows.filter(|row| *row < MOST).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// `rules[2].when` is 2 and `.when`.
pub(super) fn index(field: &str) -> Option<(usize, &str)> {
    let (index, rest) = field.strip_prefix("rules[")?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

/// Rules as a form would send them.
pub(super) fn write(rules: &[Rule], put: &mut impl FnMut(&str, String)) {
    for (row, rule) in rules.iter().enumerate() {
        let when = rule.condition.text();
        // A rule without a name of its own is called by its condition.
        let is_named = rule.name != when.chars().take(100).collect::<String>();
        let mut put = |part: &str, value: String| put(&format!("rules[{row}].{part}"), value);
        put("id", rule.id.to_string());
        put("name", if is_named { rule.name.clone() } else { String::new() });
        put("when", when.to_owned());
        put("severity", rule.severity.word().to_owned());
        put("for", rule.for_runs.to_string());
        put("on", rule.applies_to.word().to_owned());
        put("if_missing", rule.if_missing.word().to_owned());
    }
}

/// The rows of a form: what was typed or is stored, then blank ones.
pub(super) fn fill(fields: &Fields, take: &mut impl FnMut(&str) -> Field) -> Vec<RuleFields> {
    let rows = rows(fields);
    let last = rows.iter().filter(|row| fields.some(&format!("rules[{row}].when")).is_some()).max();
    let used = last.map_or(0, |row| row + 1);
    let blank = if fields.is_ticked("more") { BLANK_ROWS + MORE_ROWS } else { BLANK_ROWS };
    let shown = (used + blank).min(MOST_ROWS).max(used);
    (0..shown).map(|row| one(row, fields, take)).collect()
}

fn one(row: usize, fields: &Fields, take: &mut impl FnMut(&str) -> Field) -> RuleFields {
    let name = |part: &str| format!("rules[{row}].{part}");
    let choices = |part: &str, all: &[(&str, &str)], unset: &str| -> Vec<Choice> {
        let name = name(part);
        let chosen = fields.some(&name).unwrap_or(unset);
        all.iter().map(|(value, label)| Choice::of(value, label, *value == chosen)).collect()
    };
    let mut runs = take(&name("for"));
    if runs.value.is_empty() {
        "1".clone_into(&mut runs.value);
    }
    RuleFields {
        index: row,
        id: fields.get(&name("id")).to_owned(),
        name: take(&name("name")),
        when: take(&name("when")),
        severity: choices("severity", &[("warning", "warning"), ("critical", "critical")], "critical"),
        runs,
        on: choices("on", &[("success", "success"), ("fail", "fail"), ("any", "any end")], "success"),
        if_missing: choices("if_missing", &[("alert", "alert"), ("ignore", "ignore")], "alert"),
        check: RuleCheck::default(),
    }
}
