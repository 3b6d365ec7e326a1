//! The rows of rules in a monitor's form: read, written, filled. Neighbours: `rule_try` tries one, `monitor_read` reads the rest.

use uuid::Uuid;
use watchclock_domain::{
    problem::Problem,
    rule::{AppliesTo, Condition, IfMissing, Rule, Severity},
};
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
    for row in fields.rows("rules") {
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

/// The rule in a row, to be tried; none when it cannot be read or the row is empty.
pub(super) fn rule(fields: &Fields, row: usize) -> Option<Result<Rule, Vec<Problem>>> {
    let name = |part: &str| format!("rules[{row}].{part}");
    let condition = match Condition::parse(fields.some(&name("when"))?) {
        Ok(condition) => condition,
        Err(problems) => return Some(Err(problems)),
    };
    Some(Ok(Rule {
        for_runs: fields.get(&name("for")).parse().unwrap_or(1),
        applies_to: AppliesTo::from_word(fields.get(&name("on"))).unwrap_or_default(),
        if_missing: IfMissing::from_word(fields.get(&name("if_missing"))).unwrap_or_default(),
        ..Rule::of(condition)
    }))
}

/// Those rules of a form that can be read.
pub(super) fn readable(fields: &Fields) -> Vec<Rule> {
    fields.rows("rules").into_iter().filter_map(|row| rule(fields, row)?.ok()).collect()
}

/// Puts a rule below those that are there; nothing happens when one says the same.
pub(super) fn add(fields: &mut Fields, when: &str) {
    let used = used(fields);
    if (0..used).any(|row| fields.get(&format!("rules[{row}].when")) == when) {
        return;
    }
    fields.set(&format!("rules[{used}].when"), when.to_owned());
}

/// How many rows there are up to the last that holds something.
fn used(fields: &Fields) -> usize {
    let rows = fields.rows("rules");
    let last = rows.iter().filter(|row| fields.some(&format!("rules[{row}].when")).is_some()).max();
    last.map_or(0, |row| row + 1)
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
    let used = used(fields);
    let blank = if fields.is_ticked("more") { BLANK_ROWS + MORE_ROWS } else { BLANK_ROWS };
    let shown = (used + blank).min(MOST_ROWS).max(used);
    (0..shown).map(|row| RuleFields { is_used: row < used, ..one(row, fields, take) }).collect()
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
        is_used: false,
        check: RuleCheck::default(),
    }
}
