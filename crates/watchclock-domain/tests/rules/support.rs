//! Runs as JSON, in the shape of `POST /v1/rules/try`, for tests of rules. Neighbour: [`super::table`], which uses it.

use serde_json::Value as Json;
use watchclock_domain::{
    Time,
    rule::{Condition, Facts, Judged, Verdict},
    run::RunStatus,
    value::{Meta, Number, Value},
};

/// A run that owns what [`Judged`] borrows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    pub(crate) status: Option<RunStatus>,
    pub(crate) duration: Option<chrono::Duration>,
    pub(crate) exit_code: Option<u8>,
    pub(crate) message: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) env: Option<String>,
    pub(crate) meta: Meta,
    pub(crate) overlaps: i64,
    pub(crate) ended_at: Option<Time>,
}

impl Run {
    /// `{"status", "duration", "exit_code", "message", "output", "host", "env", "meta", "ended_at"}`, all optional.
    pub(crate) fn of_json(json: &Json) -> Self {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        let seconds = json["duration"].as_f64();
        Self {
            status: text("status").map(|word| RunStatus::from_word(&word).expect("a status")),
            #[expect(clippy::cast_possible_truncation, reason = "small numbers in tests")]
            duration: seconds.map(|seconds| chrono::Duration::milliseconds((seconds * 1_000.0) as i64)),
            exit_code: json["exit_code"].as_u64().map(|code| code.try_into().expect("an exit code")),
            message: text("message"),
            output: text("output"),
            host: text("host"),
            env: text("env"),
            meta: meta(&json["meta"]),
            overlaps: json["overlaps"].as_i64().unwrap_or(0),
            ended_at: text("ended_at").map(|at| at.parse().expect("a time")),
        }
    }

    pub(crate) fn judged(&self) -> Judged<'_> {
        Judged {
            status: self.status.unwrap_or(RunStatus::Success),
            duration: self.duration,
            exit_code: self.exit_code,
            message: self.message.as_deref(),
            output: self.output.as_deref(),
            output_size: self.output.as_ref().map_or(0, |output| output.len() as u64),
            host: self.host.as_deref(),
            env: self.env.as_deref(),
            meta: (&self.meta).into(),
            overlaps: self.overlaps,
            attempts: 1,
            started_at: None,
            ended_at: self.ended_at,
        }
    }
}

/// Metadata as a job sends it: nested objects by dotted keys, nothing for null.
pub(crate) fn meta(json: &Json) -> Meta {
    fn collect(prefix: &str, json: &Json, meta: &mut Meta) {
        let Some(object) = json.as_object() else { return };
        for (key, json) in object {
            let key = format!("{prefix}{key}");
            let value = match json {
                Json::Object(_) => {
                    collect(&format!("{key}."), json, meta);
                    continue;
                }
                Json::Null | Json::Array(_) => continue,
                Json::Bool(flag) => Value::Flag(*flag),
                Json::Number(number) => Number::parse(&number.to_string())
                    .map_or_else(|| Value::Text(number.to_string()), Value::Number),
                Json::String(text) => Value::Text(text.clone()),
            };
            meta.insert(key, value);
        }
    }
    let mut found = Meta::new();
    collect("", json, &mut found);
    found
}

/// Judges the last of the runs with the others as its history.
pub(crate) fn judge(condition: &Condition, runs: &[Run], now: Time) -> Verdict {
    let judged: Vec<Judged<'_>> = runs.iter().map(Run::judged).collect();
    let (run, history) = judged.split_last().expect("a run");
    condition.judge(&Facts { run: *run, history: history.into(), now })
}

/// A fixed moment.
pub(crate) fn noon() -> Time {
    "2026-01-31T12:00:00Z".parse().expect("a time")
}
