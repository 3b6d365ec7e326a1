//! What a schedule or a rule means, told while one types it: fragments of the form.

use axum::extract::State;
use uuid::Uuid;
use watchclock_domain::{
    problem::Problem as Found,
    rule::{AppliesTo, Condition, Truth},
    schedule::{Kind, Schedule},
};

use super::{
    errors::PageResult,
    fields::{Fields, Form, Query},
    moments::{Moments, machine},
    monitor_read,
    problems::Problems,
    respond, run_words,
    session::Member,
    views::{
        monitor_form::{RuleCheck, ScheduleCheck, SlotPreview},
        parts::Problem,
    },
};
use crate::state::Web;

/// How many runs that would have fired are named.
const EXAMPLES: usize = 3;

/// `POST /monitors/check?part=schedule` and `?part=rule&index=N`, with the fields of the form.
pub(crate) async fn check(
    State(web): State<Web>,
    member: Member,
    Query(query): Query,
    Form(form): Form,
) -> PageResult {
    if query.get("part") == "rule" {
        let row = query.get("index").parse().unwrap_or(0);
        let monitor = Uuid::try_parse(form.get("monitor")).ok();
        return Ok(respond::page(&rule(&web, member.project.id, monitor, &form, row).await?));
    }
    Ok(respond::page(&schedule(&web, &form)))
}

/// What the schedule of a form means.
pub(crate) fn schedule(web: &Web, fields: &Fields) -> ScheduleCheck {
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
            return ScheduleCheck::default();
        }
        match Schedule::compile(text) {
            Ok(schedule) => return meaning(web, &schedule),
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
    ScheduleCheck { problem, ..ScheduleCheck::default() }
}

fn meaning(web: &Web, schedule: &Schedule) -> ScheduleCheck {
    let moments = Moments::new(*schedule.zone(), web.watchclock().now());
    let preview = |slot| SlotPreview {
        local: moments.zone.local(slot).format("%a %-d %b %H:%M").to_string(),
        utc: slot.format("%-d %b %H:%M").to_string(),
        machine: machine(slot),
        ago: moments.ago(slot),
    };
    let words = schedule.words();
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    ScheduleCheck {
        words: format!("{first}{}", letters.as_str()),
        slots: schedule.preview(moments.now, 5).into_iter().map(preview).collect(),
        zone: moments.zone.name().to_owned(),
        note: match schedule.text().kind {
            Kind::Every => {
                "Counted from the start of each run; these are the slots if it started now.".to_owned()
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

/// What the rule in one row of a form would have said of the runs so far.
pub(crate) async fn rule(
    web: &Web,
    project: Uuid,
    monitor: Option<Uuid>,
    fields: &Fields,
    row: usize,
) -> PageResult<RuleCheck> {
    let Some(when) = fields.some(&format!("rules[{row}].when")) else { return Ok(RuleCheck::default()) };
    let condition = match Condition::parse(when) {
        Ok(condition) => condition,
        Err(found) => return Ok(RuleCheck { problem: shown(&found, when), ..RuleCheck::default() }),
    };
    let Some(monitor) = monitor else { return Ok(understood()) };
    let on = AppliesTo::from_word(fields.get(&format!("rules[{row}].on"))).unwrap_or_default();
    let mut tried = web.watchclock().try_rule(project, &monitor.to_string(), &condition, None).await?;
    tried.retain(|(past, _)| on.covers(past.run.status));
    if tried.is_empty() {
        return Ok(understood());
    }
    let view = web.watchclock().monitor(project, &monitor.to_string()).await?;
    let moments = Moments::new(*view.monitor.schedule.zone(), web.watchclock().now());
    let count = |truth| tried.iter().filter(|(_, verdict)| verdict.truth == truth).count();
    let (fired, unknown) = (count(Truth::True), count(Truth::Unknown));
    let mut words = match (fired, tried.len()) {
        (0, 1) => "Would have been quiet for the one run so far".to_owned(),
        (1, 1) => "Would have fired for the one run so far".to_owned(),
        (0, all) => format!("Would have fired for none of the last {all} runs"),
        (fired, all) => format!("Would have fired for {fired} of the last {all} runs"),
    };
    if unknown > 0 {
        words = format!("{words}; unknown for {unknown}");
    }
    words.push('.');
    let named = tried.iter().rev().filter(|(_, verdict)| verdict.truth == Truth::True).take(EXAMPLES);
    let examples = named.map(|(past, verdict)| {
        let why = verdict.why.as_deref().unwrap_or("is true");
        format!("#{}, {}: {why}", past.run.number, run_words::when(&past.run, &moments).text)
    });
    Ok(RuleCheck { words, examples: examples.collect(), problem: None })
}

fn understood() -> RuleCheck {
    let words = "Understood; there are no runs yet to try it on.".to_owned();
    RuleCheck { words, ..RuleCheck::default() }
}

fn shown(found: &[Found], text: &str) -> Option<Problem> {
    found.first().map(|problem| Problem::of(&problem.with_caret(text)))
}
