//! Reads the rules of a monitor, each in the long form or as its condition alone.

use serde_json::Value as Json;
use uuid::Uuid;
use watchclock_domain::{
    monitor::ChannelChoice,
    problem::Problem,
    rule::{AppliesTo, Condition, IfMissing, Severity},
};
use watchclock_service::monitor::RuleChange;

use super::{
    super::fields::{Fields, Problems, kind_of, text_of},
    input,
};

/// Fields of the long form.
pub(in super::super) const FIELDS: [&str; 8] =
    ["id", "name", "when", "severity", "for", "on", "if_missing", "channels"];

/// Takes the rules; none when they were not given. One that cannot be read leaves its place filled, so that what is wrong
/// with the others is told under theirs.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Vec<RuleChange>> {
    let items = fields.list("rules")?;
    let place = || RuleChange::when("duration present");
    let read =
        items.into_iter().map(|(field, item)| rule(item, &field, fields.problems).unwrap_or_else(place));
    Some(read.collect())
}

fn rule(json: Json, field: &str, problems: &mut Problems) -> Option<RuleChange> {
    match json {
        json @ Json::String(_) => {
            let when = text_of(json, field.to_owned(), problems)?;
            check(&when, field, problems);
            Some(RuleChange::when(when))
        }
        json @ Json::Object(_) => {
            let mut fields = Fields::of(json, field, &FIELDS, problems)?;
            fields.drop_nulls();
            if !fields.has("when") {
                fields.wrong("when", "a rule needs its condition: \"records_processed eq 0\"");
            }
            let when = fields.text("when");
            let plain = RuleChange::when(when.clone().unwrap_or_default());
            let rule = RuleChange {
                id: fields.id("id"),
                name: fields.text("name").unwrap_or_default(),
                severity: fields.word("severity", &Severity::ALL, Severity::word).unwrap_or(plain.severity),
                for_runs: fields
                    .whole("for", 1..=100)
                    .and_then(|runs| u16::try_from(runs).ok())
                    .unwrap_or(plain.for_runs),
                applies_to: fields.word("on", &AppliesTo::ALL, AppliesTo::word).unwrap_or(plain.applies_to),
                if_missing: fields
                    .word("if_missing", &IfMissing::ALL, IfMissing::word)
                    .unwrap_or(plain.if_missing),
                channels: Some(own_channels(&mut fields)),
                ..plain
            };
            if let Some(when) = when {
                check(&when, &format!("{field}.when"), problems);
            }
            Some(rule)
        }
        other => {
            let message = format!("must be a condition or an object, not {}", kind_of(&other));
            problems.push(Problem::new(field, message));
            None
        }
    }
}

/// Those of the monitor, said by nothing, null or `["*"]`; or its own.
fn own_channels(fields: &mut Fields<'_>) -> Option<Vec<Uuid>> {
    match input::channels(fields)? {
        ChannelChoice::All => None,
        ChannelChoice::Some(ids) => Some(ids),
    }
}

/// Conditions are parsed here already, so that those of all rules are told together with all else.
fn check(when: &str, field: &str, problems: &mut Problems) {
    if let Err(found) = Condition::parse(when) {
        problems.extend(found.into_iter().map(|problem| problem.in_field(field)));
    }
}
