//! What a schedule means, told while one types it: a fragment of the form. Neighbour: `bench` tells of rules and
//! extractors.

use std::sync::Arc;

use axum::extract::State;
use chrono::{Datelike as _, Timelike as _};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    calendar::DaysOff,
    schedule::{Kind, Schedule},
};
use watchclock_service::calendar::Calendar;

use super::{
    bench::{Bench, Part},
    errors::PageResult,
    fields::{Fields, Form, Query},
    moments::{Moments, machine},
    monitor_read,
    problems::Problems,
    respond, rule_import,
    session::Member,
    views::{
        monitor_form::{ScheduleCheck, SlotPreview},
        rules::{ImportCheck, Suggestions},
    },
};
use crate::state::Web;

/// `POST /monitors/check?part=…` with the fields of the form: `schedule`, `rule&index=N`, `extractor&index=N`, `suggestions`,
/// `import`.
pub(crate) async fn check(
    State(web): State<Web>,
    member: Member,
    Query(query): Query,
    Form(form): Form,
) -> PageResult {
    let row = query.get("index").parse().unwrap_or(0);
    let monitor = Uuid::try_parse(form.get("monitor")).ok();
    let action = match monitor {
        Some(monitor) => format!("{}/monitors/{monitor}/edit", web.base_path()),
        None => format!("{}/monitors", web.base_path()),
    };
    let bench = async |part| Bench::of(&web, member.project.id, monitor, &form, part).await;
    Ok(match query.get("part") {
        "rule" => respond::page(&bench(Part::Rule(row)).await?.rule(row)),
        "extractor" => respond::page(&bench(Part::Extractor(row)).await?.extractor(row)),
        "suggestions" => respond::page(&Suggestions { items: bench(Part::All).await?.suggestions(), action }),
        "import" => respond::page(&ImportCheck { action, ..rule_import::check(&form) }),
        _ => respond::page(&schedule(&web, member.project.id, &form).await?),
    })
}

/// What the schedule of a form means.
pub(crate) async fn schedule(web: &Web, project: Uuid, fields: &Fields) -> PageResult<ScheduleCheck> {
    let mut problems = Problems::default();
    let names = ["schedule.every", "schedule.cron", "schedule.oncalendar", "schedule.tz"];
    let text = monitor_read::schedule(fields, &mut problems);
    if let Some(text) = &text {
        let is_blank = match text.kind {
            Kind::Every => text.every.is_none(),
            Kind::Cron | Kind::OnCalendar => text.lines.is_empty(),
            Kind::None => false,
        };
        if is_blank {
            return Ok(ScheduleCheck::default());
        }
        match Schedule::compile(text) {
            Ok(schedule) => {
                let days = days_off(web, project, fields).await?;
                return Ok(meaning(web, &schedule.with_days_off(days)));
            }
            Err(found) => problems.extend(found.into_iter().map(|problem| {
                let field = format!("schedule.{}", problem.field);
                problem.in_field(field)
            })),
        }
    }
    let mut problem = None;
    for name in names {
        problem = problem.or_else(|| problems.take(name, fields.raw(name).unwrap_or_default()));
    }
    Ok(ScheduleCheck { problem, ..ScheduleCheck::default() })
}

/// The days that the ticked calendars take off.
async fn days_off(web: &Web, project: Uuid, fields: &Fields) -> PageResult<DaysOff> {
    let (own, of_project) = (monitor_read::calendars(fields), fields.is_ticked("project_calendars"));
    let calendars = web.watchclock().calendars(project).await?;
    let counts = |calendar: &Calendar| own.contains(&calendar.id) || (of_project && calendar.project_wide);
    let counted = calendars.into_iter().filter(|view| counts(&view.calendar));
    Ok(DaysOff::of(counted.map(|view| Arc::new(view.days.into_set()))))
}

fn meaning(web: &Web, schedule: &Schedule) -> ScheduleCheck {
    let moments = Moments::new(*schedule.zone(), web.watchclock().now());
    let slots = schedule.preview(moments.now, 5);
    let tells_second = slots.iter().any(|slot| slot.second() != 0);
    let tells_year = slots.iter().any(|slot| slot.year() != moments.now.year());
    let date = if tells_year { "%-d %b %Y" } else { "%-d %b" };
    let clock = if tells_second { "%H:%M:%S" } else { "%H:%M" };
    let preview = |slot: Time| SlotPreview {
        local: moments.zone.local(slot).format(&format!("%a {date} {clock}")).to_string(),
        utc: slot.format(&format!("{date} {clock}")).to_string(),
        machine: machine(slot),
        ago: moments.ago(slot),
    };
    let words = schedule.words();
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    ScheduleCheck {
        words: format!("{first}{}", letters.as_str()),
        slots: slots.into_iter().map(preview).collect(),
        zone: moments.zone.name().to_owned(),
        note: match schedule.text().kind {
            Kind::Every if schedule.next(moments.now).is_some() => {
                "Counted from the start of each run; these are the slots if it started now.".to_owned()
            }
            kind if kind != Kind::None && schedule.next(moments.now).is_none() => {
                let without_days = schedule.clone().with_days_off(DaysOff::none());
                let why = if without_days.next(moments.now).is_some() {
                    "Every slot falls on a day off"
                } else {
                    "All its slots are over"
                };
                format!("{why}: no run would ever be expected, so it cannot be saved.")
            }
            _ => clock_change(schedule, &moments).unwrap_or_default(),
        },
        problem: None,
    }
}

/// What daylight saving will do to a job with one time of day: told when a slot of the next year stands elsewhere.
fn clock_change(schedule: &Schedule, moments: &Moments) -> Option<String> {
    let slots = schedule.preview(moments.now, 400);
    let time = |slot| moments.zone.local(slot).format("%H:%M").to_string();
    let usual = time(*slots.first()?);
    let odd = slots.iter().copied().filter(|slot| time(*slot) != usual);
    let odd: Vec<_> = odd.take(3).collect();
    // A job with several times of day has no usual one.
    let slot = *odd.first().filter(|_| odd.len() < 3 && slots.len() > 20)?;
    let day = moments.zone.local(slot).format("%-d %b");
    Some(format!("On {day} the clock skips {usual}; that run is expected at {}.", time(slot)))
}
