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
use watchclock_domain::rule::{Condition, Extractor, Verdict};
use watchclock_service::rule::judge_each;

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
pub(super) const FIELDS: [&str; 4] = ["when", "extractors", "runs", "monitor"];

/// A rule, and the runs to try it on: `runs`, or the last 100 of a `monitor`.
#[derive(Debug, ToSchema)]
#[schema(as = RuleTryInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct TryInput {
    #[schema(example = "records_processed eq 0")]
    when: String,
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
    /// What was read, by name; null where there was nothing.
    read: Pairs,
    /// The facts of a true one, the reasons of an unknown one.
    #[schema(example = "records_processed is 0")]
    why: Option<String>,
    /// Of a monitor's run: its id and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
}

impl ResultShape {
    fn of(verdict: &Verdict) -> Self {
        let read =
            verdict.read.iter().map(|(name, found)| (name.clone(), found.as_ref().map_or(Json::Null, value)));
        Self {
            verdict: verdict.truth.word(),
            read: Pairs(read.collect()),
            why: verdict.why.clone(),
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
        {"verdict": "false", "read": {"records_processed": 1204}, "why": null},
        {"verdict": "true", "read": {"records_processed": 0}, "why": "records_processed is 0"}]}))))]
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
        let condition = condition(&mut fields);
        let own = fields.has("extractors");
        let extractors = extractors(&mut fields);
        let now = web.watchclock().now();
        if fields.has("runs") == fields.has("monitor") {
            fields.wrong("runs", "give either `runs` or a `monitor`");
        }
        let runs = runs::read(&mut fields, &extractors, now);
        (condition, fields.text("monitor"), runs, own.then_some(extractors))
    });
    let Some((Some(condition), monitor, runs, extractors)) = read.filter(|_| problems.is_empty()) else {
        return Err(Refusal::wrong(problems));
    };
    let results = match monitor {
        None => judge_each(&runs, &condition).iter().map(ResultShape::of).collect(),
        Some(monitor) => {
            let monitor = monitor::find(&web, &caller, &monitor).await?.monitor.id.to_string();
            let judged = web
                .watchclock()
                .try_rule(caller.project(), &monitor, &condition, extractors.as_deref())
                .await?;
            let result = |(past, verdict): &(watchclock_domain::timeline::PastRun, Verdict)| ResultShape {
                run: Some(past.run.id),
                number: Some(past.run.number),
                ..ResultShape::of(verdict)
            };
            judged.iter().map(result).collect()
        }
    };
    Ok(Answer(ResultsShape { results }))
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
