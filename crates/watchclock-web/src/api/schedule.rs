//! Schedules: reading them, in the long form or as people type them, and `POST /v1/schedules/preview`.

use axum::{Json as Answer, extract::State};
use chrono::Datelike as _;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    problem::Problem,
    schedule::{Kind, Schedule, ScheduleText},
};
use watchclock_service::monitor::never_fires;

use super::{
    auth::Reader,
    calendar,
    fields::{Fields, Problems, kind_of, list, word_of},
    input::ScheduleOrText,
    params::Query,
    refusal::Refusal,
    sent::Sent,
    shape::At,
};
use crate::state::Web;

/// Slots that are answered unless `count` says otherwise.
const USUAL_COUNT: i64 = 10;
/// Fields of the long form.
pub(super) const FIELDS: [&str; 5] = ["kind", "cron", "oncalendar", "every", "tz"];

/// The next slots of a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SchedulePreview)]
pub(super) struct PreviewShape {
    slots: Vec<At>,
    /// The schedule in words.
    #[schema(example = "at 03:00, Europe/Berlin")]
    words: String,
}

/// What to preview.
#[derive(Debug, ToSchema)]
#[schema(as = SchedulePreviewInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct PreviewInput {
    schedule: ScheduleOrText,
    /// Slots strictly after this moment; now unless given.
    #[schema(format = DateTime, example = "2026-01-31T04:00:00Z")]
    after: Option<String>,
    #[schema(minimum = 1, maximum = 100, default = 10)]
    count: Option<u32>,
    /// Ids of calendars whose days are off.
    calendars: Option<Vec<Uuid>>,
    /// Days that are off: `2026-12-25`, `2026-12-24..2026-12-26`, `12-25` for every year.
    #[schema(example = json!(["12-25"]))]
    not_on: Option<Vec<String>>,
}

pub(super) const PREVIEW_FIELDS: [&str; 5] = ["schedule", "after", "count", "calendars", "not_on"];

/// Tells the next slots of a schedule
///
/// Nothing is stored. A schedule that cannot be read is answered with 422 and, as `at`, the place in its text; so is one that
/// never fires again, as saving it would be.
#[utoipa::path(post, path = "/v1/schedules/preview", tag = "schedules", operation_id = "previewSchedule",
    request_body(content = PreviewInput, example = json!({
        "schedule": {"kind": "cron", "cron": ["30 2 * * 1-5"], "tz": "Europe/Berlin"},
        "after": "2026-03-27T00:00:00Z", "count": 3})),
    responses((status = 200, body = PreviewShape, example = json!({
        "slots": ["2026-03-27T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"],
        "words": "at 02:30 on weekdays, Europe/Berlin"}))))]
pub(super) async fn preview(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    sent: Sent,
) -> Result<Answer<PreviewShape>, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let read = Fields::of(sent.json()?, "", &PREVIEW_FIELDS, &mut problems).map(|mut fields| {
        fields.drop_nulls();
        let after = fields.time("after").unwrap_or_else(|| web.watchclock().now());
        let count = fields.whole("count", 1..=100).unwrap_or(USUAL_COUNT);
        if !fields.has("schedule") {
            fields.wrong("schedule", "give a schedule: \"30 2 * * *\", \"every 5m\", or the long form");
        }
        let own = ids(&mut fields, "calendars").unwrap_or_default();
        let not_on = if fields.has("not_on") { calendar::dates(&mut fields, "not_on") } else { None };
        let schedule = read(&mut fields, "schedule", None);
        (schedule, after, usize::try_from(count).unwrap_or(1), own, not_on)
    });
    match read {
        Some((Some(schedule), after, count, own, not_on)) if problems.is_empty() => {
            let off = web.watchclock().days_off(caller.project(), own).await?;
            let has_not_on = not_on.is_some();
            let off = not_on.map_or(off.clone(), |(_, days)| off.with(days.into_set()));
            let schedule = schedule.with_days_off(off);
            // A schedule that saving refuses is refused here, too.
            if schedule.next(after).is_none()
                && let Some(problem) = never_fires(&schedule, web.watchclock().now())
            {
                let of_days = has_not_on && problem.field == "calendars";
                return Err(Refusal::wrong(vec![if of_days { problem.in_field("not_on") } else { problem }]));
            }
            Ok(Answer(PreviewShape {
                // RFC 3339 ends with the year 9999.
                slots: schedule
                    .preview(after, count)
                    .into_iter()
                    .filter(|slot| slot.year() < 10_000)
                    .map(At)
                    .collect(),
                words: schedule.words(),
            }))
        }
        _ => Err(Refusal::wrong(problems)),
    }
}

/// Takes a list of ids.
pub(super) fn ids(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Uuid>> {
    let field = fields.field(name);
    let known = fields.problems.len();
    let mut ids = Vec::new();
    for (text, at) in fields.texts(name)?.into_iter().zip(0..) {
        match Uuid::try_parse(&text) {
            Ok(id) => ids.push(id),
            Err(_) => {
                fields.problems.push(Problem::new(format!("{field}[{at}]"), "must be the id of a calendar"));
            }
        }
    }
    (fields.problems.len() == known).then_some(ids)
}

/// Takes a schedule from a field. Without a zone of its own it keeps that of `before`, else it is in UTC.
pub(super) fn read(fields: &mut Fields<'_>, name: &str, before: Option<&ScheduleText>) -> Option<Schedule> {
    let field = fields.field(name);
    let tz = before.map(|before| before.tz.as_str());
    match fields.take(name)? {
        Json::String(text) => match ScheduleText::from_shorthand(&text, tz) {
            Ok(text) => compiled(&text, &field, false, fields.problems),
            Err(found) => {
                fields.problems.extend(found.into_iter().map(|problem| under(&field, problem)));
                None
            }
        },
        json @ Json::Object(_) => long_form(json, &field, tz, fields.problems),
        other => {
            let message = format!("must be text or an object, not {}", kind_of(&other));
            fields.wrong(name, message);
            None
        }
    }
}

fn long_form(json: Json, field: &str, tz: Option<&str>, problems: &mut Problems) -> Option<Schedule> {
    let known = problems.len();
    let mut fields = Fields::of(json, field, &FIELDS, problems)?;
    fields.fill_nulls(|name| (name == "tz").then(|| Json::from("UTC")));
    fields.drop_nulls();
    let kind = kind(&mut fields);
    let tz = fields.text("tz").or_else(|| tz.map(str::to_owned)).unwrap_or_else(|| "UTC".to_owned());
    let mut text = ScheduleText { tz, ..ScheduleText::none() };
    let (mut is_one_text, mut is_read) = (false, true);
    for given in [Kind::Cron, Kind::OnCalendar, Kind::Every] {
        let word = given.word();
        if !fields.has(word) {
            continue;
        }
        let before = fields.problems.len();
        match kind.filter(|kind| *kind != given) {
            Some(kind) => {
                fields.wrong(word, format!("does not belong to a schedule of kind `{}`", kind.word()));
                continue;
            }
            None if given == Kind::Every => text.every = interval(&mut fields),
            None => {
                is_one_text = fields.is_text(word);
                text.lines = fields.texts(word).unwrap_or_default();
            }
        }
        is_read &= fields.problems.len() == before;
    }
    // Also where something else is wrong, so that everything is told at once.
    let kind = kind.filter(|_| is_read)?;
    let schedule = compiled(&ScheduleText { kind, ..text }, field, is_one_text, problems);
    schedule.filter(|_| problems.len() == known)
}

/// The kind, said or told by the field that is there.
fn kind(fields: &mut Fields<'_>) -> Option<Kind> {
    if fields.has("kind") {
        let text = fields.text("kind")?;
        return match word_of(&text, &Kind::ALL, Kind::word) {
            Ok(kind) => Some(kind),
            Err(message) => {
                fields.wrong("kind", message);
                None
            }
        };
    }
    let given: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| fields.has(kind.word())).collect();
    if let [kind] = given.as_slice() {
        return Some(*kind);
    }
    fields.wrong("kind", format!("must be one of {}", list(&Kind::ALL.map(Kind::word))));
    None
}

fn interval(fields: &mut Fields<'_>) -> Option<u32> {
    let interval = fields.span("every")?;
    if interval.subsec_nanos() != 0 {
        fields.wrong("every", "an interval is a whole number of seconds");
        return None;
    }
    Some(u32::try_from(interval.num_seconds()).unwrap_or(u32::MAX))
}

fn compiled(
    text: &ScheduleText,
    field: &str,
    is_one_text: bool,
    problems: &mut Problems,
) -> Option<Schedule> {
    let found = match Schedule::compile(text) {
        Ok(schedule) => return Some(schedule),
        Err(found) => found,
    };
    problems.extend(found.into_iter().map(|problem| {
        let problem = under(field, problem);
        match problem.field.strip_suffix("[0]").map(str::to_owned) {
            Some(short) if is_one_text => problem.in_field(short),
            _ => problem,
        }
    }));
    None
}

fn under(field: &str, problem: Problem) -> Problem {
    let inner = problem.field.clone();
    problem.in_field(if inner.is_empty() { field.to_owned() } else { format!("{field}.{inner}") })
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
