//! Reads the runs that a rule is tried on. What is left out of them is filled in, so that a few fields are enough.

use chrono::Duration;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    ping::Source,
    problem::{Problem, did_you_mean},
    rule::{Extractor, extract_all},
    run::{Run, RunStatus},
    timeline::PastRun,
    value::{MAX_KEYS, Meta, Number, Value},
};

use super::super::fields::{Fields, Problems, kind_of, list};

/// Most runs that a rule is tried on at once.
const MAX_RUNS: usize = 1_000;
/// Fields of a run.
pub(in super::super) const FIELDS: [&str; 12] = [
    "status",
    "duration",
    "exit_code",
    "message",
    "output",
    "output_size",
    "host",
    "env",
    "meta",
    "overlaps",
    "started_at",
    "ended_at",
];

/// A run to try a rule on; all fields may be left out.
#[derive(Debug, ToSchema)]
#[schema(as = RuleTryRun)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(in super::super) struct RunInput {
    /// `success` unless given; `ok` and `fail` are understood, too.
    #[schema(example = "success")]
    status: Option<String>,
    /// Seconds, or text such as `90s`.
    #[schema(example = 42.5)]
    duration: Option<f64>,
    exit_code: Option<u8>,
    message: Option<String>,
    output: Option<String>,
    /// That of `output` unless given.
    output_size: Option<u64>,
    host: Option<String>,
    env: Option<String>,
    #[schema(value_type = Option<Object>, example = json!({"records_processed": 1204}))]
    meta: Option<()>,
    /// How many runs it overlapped.
    overlaps: Option<u32>,
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// Unless given, runs ended one second apart, the last one now.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
}

/// Takes the runs, oldest first.
pub(super) fn read(fields: &mut Fields<'_>, extractors: &[Extractor], now: Time) -> Vec<PastRun> {
    let Some(items) = fields.list("runs") else { return Vec::new() };
    let count = items.len();
    if count > MAX_RUNS {
        fields.wrong("runs", format!("at most {MAX_RUNS} runs at once; these are {count}"));
        return Vec::new();
    }
    let mut before = i64::try_from(count).unwrap_or(0);
    let mut runs = Vec::with_capacity(count);
    for (number, (field, item)) in (1..).zip(items) {
        before -= 1;
        if let Some(mut fields) = Fields::of(item, &field, &FIELDS, fields.problems) {
            runs.push(run(&mut fields, number, now - Duration::seconds(before), extractors));
        }
    }
    runs
}

fn run(fields: &mut Fields<'_>, number: i64, usual_end: Time, extractors: &[Extractor]) -> PastRun {
    // As in a run that was answered by the API.
    fields.drop_nulls();
    let status = status(fields).unwrap_or(RunStatus::Success);
    let duration = fields.span("duration");
    let started = fields.time("started_at");
    let ended = fields.time("ended_at");
    // A duration is shown as it was given, whatever the times say.
    let ended_at = ended
        .or_else(|| started?.checked_add_signed(duration?))
        .or_else(|| (status != RunStatus::Running).then_some(usual_end));
    let started_at = match (duration, ended_at) {
        (Some(duration), Some(ended)) => ended.checked_sub_signed(duration),
        _ => started,
    };
    let output = fields.text("output");
    let size = output.as_ref().map_or(0, |output| output.len() as u64);
    let size =
        fields.whole("output_size", 0..=i64::MAX).and_then(|size| u64::try_from(size).ok()).unwrap_or(size);
    let mut meta = meta(fields);
    if let Some(output) = &output {
        extract_all(extractors, output, &mut meta);
    }
    let run = Run {
        id: Uuid::nil(),
        monitor: Uuid::nil(),
        number,
        run_id: None,
        status,
        flags: Vec::new(),
        slot: None,
        started_at,
        ended_at,
        first_seen_at: started_at.unwrap_or(usual_end),
        limit_at: None,
        hung_at: None,
        exit_code: fields.whole("exit_code", 0..=255).and_then(|code| u8::try_from(code).ok()),
        message: fields.text("message"),
        meta,
        source: Source { host: fields.text("host"), env: fields.text("env"), ..Source::default() },
        overlaps: Vec::new(),
        overlap_count: fields.whole("overlaps", 0..=i64::MAX).unwrap_or(0),
        output_size: size,
        notes: Vec::new(),
    };
    PastRun { run, output }
}

fn status(fields: &mut Fields<'_>) -> Option<RunStatus> {
    let text = fields.text("status")?;
    let word = match text.as_str() {
        "ok" | "succeeded" => "success",
        "fail" | "failure" => "failed",
        word => word,
    };
    let status = RunStatus::from_word(word);
    if status.is_none() {
        let words = RunStatus::ALL.map(RunStatus::word);
        let hint =
            did_you_mean(word, words).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        fields.wrong("status", format!("must be one of {}{hint}", list(&words)));
    }
    status
}

/// Nested values under dotted keys, lists as their length: as with pings.
fn meta(fields: &mut Fields<'_>) -> Meta {
    let mut meta = Meta::new();
    match fields.take("meta") {
        None | Some(Json::Null) => {}
        Some(Json::Object(map)) => {
            let field = fields.field("meta");
            for (key, json) in map {
                flatten(key, json, &mut meta, &field, fields.problems);
            }
            if meta.len() > MAX_KEYS {
                fields.wrong("meta", format!("at most {MAX_KEYS} values"));
            }
        }
        Some(other) => fields.wrong("meta", format!("must be an object, not {}", kind_of(&other))),
    }
    meta
}

fn flatten(key: String, json: Json, meta: &mut Meta, field: &str, problems: &mut Problems) {
    let value = match json {
        Json::Null => return,
        Json::Object(map) => {
            for (name, json) in map {
                flatten(format!("{key}.{name}"), json, meta, field, problems);
            }
            return;
        }
        Json::Array(items) => {
            let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
            meta.insert(format!("{key}.length"), Value::Number(count.into()));
            return;
        }
        Json::String(text) if text.contains('\0') => {
            problems.push(Problem::new(format!("{field}.{key}"), "must not hold NUL characters"));
            return;
        }
        Json::String(text) => Value::Text(text),
        Json::Bool(flag) => Value::Flag(flag),
        Json::Number(number) => {
            let text = number.to_string();
            Number::parse(&text).map_or(Value::Text(text), Value::Number)
        }
    };
    meta.insert(key, value);
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
