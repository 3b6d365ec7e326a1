//! `POST /v1/rules/try`: what a rule says of runs, before it is saved.

pub(super) mod convert;
mod runs;
pub(super) mod suggest;

use axum::{Json as Answer, extract::State};
#[cfg(test)]
pub(super) use runs::FIELDS as RUN_FIELDS;

use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    rule::{AppliesTo, Condition, Extractor, IfMissing, Rule, Tried},
    timeline::PastRun,
};
use watchclock_service::rule::{HISTORY, try_on};

use super::{
    auth::Reader,
    fields::{Fields, Problems, kind_of, text_of},
    monitor,
    params::Query,
    refusal::Refusal,
    sent::Sent,
    shape::{Pairs, value},
};
use crate::state::Web;

/// Fields of the call.
pub(super) const FIELDS: [&str; 7] = ["when", "for", "on", "if_missing", "extractors", "runs", "monitor"];

/// A rule, and the runs to try it on: `runs`, or the last 100 of a `monitor`.
#[derive(Debug, ToSchema)]
#[schema(as = RuleTryInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct TryInput {
    #[schema(example = "records_processed eq 0")]
    when: String,
    /// How many runs in a row must break it before it fires, 1 unless given; with a `monitor` at least its `thresholds.rule`.
    #[schema(rename = "for", example = 1)]
    for_runs: Option<u16>,
    /// Which ends it looks at; `success` unless given.
    #[schema(example = "success", pattern = "^(success|fail|any)$")]
    on: Option<String>,
    /// Whether a field that earlier runs had breaks it by being missing; `alert` unless given.
    #[schema(example = "alert", pattern = "^(alert|ignore)$")]
    if_missing: Option<String>,
    /// Metadata that is found in the output: `{"records_processed": "/Processed (\\d+) records/"}`. With a `monitor`
    /// they replace its own, over its past outputs.
    #[schema(value_type = Option<Object>)]
    extractors: Option<std::collections::BTreeMap<String, String>>,
    /// Oldest first; history functions read the runs before each.
    runs: Option<Vec<runs::RunInput>>,
    /// Id or slug.
    monitor: Option<String>,
}

/// What a rule says of each run, oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleTryResults)]
pub(super) struct ResultsShape {
    results: Vec<ResultShape>,
}

/// What a rule says of one run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleTryResult)]
struct ResultShape {
    #[schema(example = "true", pattern = "^(true|false|unknown)$")]
    verdict: &'static str,
    /// Whether people would have heard, given `for`, `on` and `if_missing`: the run opens the rule's incident or adds to it.
    fires: bool,
    /// What was read, by name; null where there was nothing.
    read: Pairs,
    /// The facts of a true one, the reasons of an unknown one.
    #[schema(example = "records_processed is 0")]
    why: Option<String>,
    /// What the `extractors` that were sent find in the run's output; null where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    extracted: Option<Pairs>,
    /// Of a monitor's run: its id and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
}

impl ResultShape {
    fn of(past: &PastRun, tried: &Tried, extractors: Option<&[Extractor]>) -> Self {
        let verdict = &tried.verdict;
        let read =
            verdict.read.iter().map(|(name, found)| (name.clone(), found.as_ref().map_or(Json::Null, value)));
        let output = past.output.as_deref();
        let find = |extractor: &Extractor| {
            let found = output.and_then(|output| extractor.extract(output));
            (extractor.name().to_owned(), found.as_ref().map_or(Json::Null, value))
        };
        Self {
            verdict: verdict.truth.word(),
            fires: tried.fires,
            read: Pairs(read.collect()),
            why: verdict.why.clone(),
            extracted: extractors.map(|extractors| Pairs(extractors.iter().map(find).collect())),
            run: None,
            number: None,
        }
    }
}

/// Tries a rule before it is saved
///
/// Nothing is stored. A rule that cannot be read is answered with 422 and, as `at`, the place in its text.
#[utoipa::path(post, path = "/v1/rules/try", tag = "rules", operation_id = "tryRule",
    request_body(content = TryInput, example = json!({
        "when": "records_processed eq 0",
        "runs": [{"status": "success", "meta": {"records_processed": 1204}},
                 {"status": "success", "meta": {"records_processed": 0}}]})),
    responses((status = 200, body = ResultsShape, example = json!({"results": [
        {"verdict": "false", "fires": false, "read": {"records_processed": 1204}, "why": null},
        {"verdict": "true", "fires": true, "read": {"records_processed": 0}, "why": "records_processed is 0"}]}))))]
pub(super) async fn try_rule(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    sent: Sent,
) -> Result<Answer<ResultsShape>, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let read = Fields::of(sent.json()?, "", &FIELDS, &mut problems).map(|mut fields| {
        fields.drop_nulls();
        let rule = rule(&mut fields);
        let own = fields.has("extractors");
        let extractors = extractors(&mut fields);
        let now = web.watchclock().now();
        if fields.has("runs") == fields.has("monitor") {
            fields.wrong("runs", "give either `runs` or a `monitor`");
        }
        let runs = runs::read(&mut fields, &extractors, now);
        (rule, fields.text("monitor"), runs, own.then_some(extractors))
    });
    let Some((Some(rule), monitor, runs, extractors)) = read.filter(|_| problems.is_empty()) else {
        return Err(Refusal::wrong(problems));
    };
    let extractors = extractors.as_deref();
    let results = match monitor {
        None => {
            let tried = try_on(&runs, &rule);
            runs.iter().zip(&tried).map(|(past, tried)| ResultShape::of(past, tried, extractors)).collect()
        }
        Some(monitor) => {
            let monitor = monitor::find(&web, &caller, &monitor).await?.monitor.id.to_string();
            let depth = (HISTORY, rule.condition.reads_output());
            let trial = web.watchclock().trial(caller.project(), &monitor, extractors, depth).await?;
            let result = |(past, tried): &(&PastRun, Tried)| ResultShape {
                run: Some(past.run.id),
                number: Some(past.run.number),
                ..ResultShape::of(past, tried, extractors)
            };
            trial.rule(&rule).iter().map(result).collect()
        }
    };
    Ok(Answer(ResultsShape { results }))
}

/// The rule as it is to be tried.
fn rule(fields: &mut Fields<'_>) -> Option<Rule> {
    let for_runs = fields.whole("for", 1..=100).and_then(|runs| u16::try_from(runs).ok());
    let applies_to = fields.word("on", &AppliesTo::ALL, AppliesTo::word);
    let if_missing = fields.word("if_missing", &IfMissing::ALL, IfMissing::word);
    let plain = Rule::of(condition(fields)?);
    Some(Rule {
        for_runs: for_runs.unwrap_or(plain.for_runs),
        applies_to: applies_to.unwrap_or(plain.applies_to),
        if_missing: if_missing.unwrap_or(plain.if_missing),
        ..plain
    })
}

fn condition(fields: &mut Fields<'_>) -> Option<Condition> {
    if !fields.has("when") {
        fields.wrong("when", "give the rule: \"records_processed eq 0\"");
    }
    let text = fields.text("when")?;
    match Condition::parse(&text) {
        Ok(condition) => Some(condition),
        Err(found) => {
            fields.problems.extend(found.into_iter().map(|problem| problem.in_field("when")));
            None
        }
    }
}

fn extractors(fields: &mut Fields<'_>) -> Vec<Extractor> {
    let map = match fields.take("extractors") {
        None => return Vec::new(),
        Some(Json::Object(map)) => map,
        Some(other) => {
            fields.wrong("extractors", format!("must be an object, not {}", kind_of(&other)));
            return Vec::new();
        }
    };
    let mut extractors = Vec::new();
    for (name, json) in map {
        let field = format!("extractors.{name}");
        let Some(text) = text_of(json, field.clone(), fields.problems) else { continue };
        match Extractor::parse(&name, &text) {
            Ok(extractor) => extractors.push(extractor),
            Err(problem) => fields.problems.push(problem.in_field(field)),
        }
    }
    extractors
}
