//! The page of a monitor: what is wrong, the tape, durations, runs, rules, where alerts go, how to ping.

use axum::extract::{Path, State};
use watchclock_domain::{
    incident::Incident,
    monitor::{Monitor, OverlapPolicy},
    rule::{AppliesTo, Extractor, IfMissing, Rule},
    schedule::Kind,
    span,
};
use watchclock_service::monitor::MonitorView;

use super::{
    awaited, channel_words,
    errors::PageResult,
    fields::Query,
    incident_words,
    moments::Moments,
    monitor_chart, monitor_curves, monitor_form, monitor_hints, monitor_runs, monitor_tape, names, respond,
    run_words, said,
    session::Member,
    snippets, snooze, verdicts,
    views::{
        monitor_page::{ExtractorRow, MonitorPage, Note, OpenIncident, RuleRow},
        parts::{Fact, Link},
        rules::Suggestion,
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// Most rules that are suggested where there is none.
const SUGGESTED: usize = 3;

/// `GET /monitors/{id}`
pub(crate) async fn show(
    State(web): State<Web>,
    member: Member,
    Path(id): Path<String>,
    Query(query): Query,
) -> PageResult {
    let view = monitor_form::find(&web, &member, &id).await?;
    let monitor = &view.monitor;
    let shell = member.shell(&web, &monitor.name, Section::Monitors).await?;
    let base = shell.base.clone();
    let watchclock = web.watchclock();
    let moments = Moments::new(*monitor.schedule.zone(), watchclock.now());
    let may_change = member.may_change().is_ok();
    let window = monitor_tape::choose(query.get("window"), &view, moments.now);
    let asked = monitor_runs::Asked::of(&base, monitor, &query, window);
    let (tape, tape_words) = monitor_tape::draw(&web, &base, &view, window, &moments).await?;
    let (chart, chart_words) = monitor_chart::draw(&base, &view, &moments);
    let (curves, more_curves) = monitor_curves::draw(watchclock, &base, &view, &moments).await?;
    let (runs, older) = asked.runs(&web, monitor, &moments).await?;
    let channels = watchclock.channels_of(member.project.id, &monitor.channels).await?;
    let ping_url = web.url(&format!("/ping/{}", monitor.id));
    let notes = watchclock.monitor_notes(monitor.id).await?;
    let rules = rules(&web, &view).await?;
    // Where there are rules, the form offers more of them.
    let suggestions = if monitor.rules.is_empty() && view.memory.last_ended_at.is_some() {
        let found = watchclock.suggest_rules(member.project.id, &monitor.id.to_string()).await?;
        let shown = found.into_iter().take(SUGGESTED);
        shown.map(|found| Suggestion { when: found.when, why: found.why }).collect()
    } else {
        Vec::new()
    };
    let page = MonitorPage {
        id: monitor.id.to_string(),
        name: monitor.name.clone(),
        slug: monitor.slug.clone(),
        health: view.health.word().to_owned(),
        awaited: awaited::late(&view, &moments),
        description: monitor.description.clone(),
        runbook: monitor.runbook.clone(),
        runbook_is_link: is_link(&monitor.runbook),
        tags: monitor.tags.clone(),
        schedule: monitor.schedule.words(),
        expression: monitor.schedule.text().lines.join(", "),
        zone: moments.zone.name().to_owned(),
        next_slot: view.next_slot(moments.now).map(|slot| moments.short(slot)),
        last_success: view.memory.last_success_at.map(|at| moments.short(at)),
        running: u64::try_from(view.memory.active).unwrap_or(0),
        paused: monitor.paused,
        settings: settings(&view),
        hints: monitor_hints::all(&view, &moments),
        refused: monitor_hints::refused(&view, &moments),
        incidents: view.incidents.iter().map(|incident| open(&base, incident, monitor, &moments)).collect(),
        tape,
        windows: monitor_tape::links(window, |word| asked.path(&[("window", word)])),
        tape_words,
        chart,
        chart_words,
        curves,
        more_curves,
        filters: asked.filters(),
        runs,
        older,
        newest: asked.newest(),
        here: asked.here(),
        extractors: monitor
            .extractors
            .iter()
            .map(|extractor| found(&base, extractor, &view, &moments))
            .collect(),
        rules,
        suggestions,
        channels: channels
            .iter()
            .map(|channel| Link {
                href: channel_words::href(&base, channel.id, may_change),
                text: if channel.enabled { channel.name.clone() } else { format!("{} (off)", channel.name) },
                current: false,
            })
            .collect(),
        notes: notes.into_iter().map(|(at, text)| Note { at: moments.short(at), text }).collect(),
        snippets: snippets::snippets(&ping_url),
        ping_url,
        is_new: view.memory.last_ping_at.is_none() && view.recent.is_empty(),
        may_change,
        shell,
    };
    Ok(respond::page(&page))
}

/// Whether a runbook is an address that may become a link.
pub(crate) fn is_link(runbook: &str) -> bool {
    let plain = !runbook.contains(char::is_whitespace);
    plain && url::Url::parse(runbook).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn settings(view: &MonitorView) -> Vec<Fact> {
    let monitor = &view.monitor;
    let mut facts = Vec::new();
    if monitor.schedule.text().kind != Kind::None {
        facts.push(Fact::of("Grace", &span::words(monitor.grace)));
    }
    let limit = match monitor.max_duration {
        Some(limit) => span::words(limit),
        None if view.memory.good_durations.len() >= 5 => format!(
            "{} (learned from {} good runs)",
            span::words(view.memory.learned_limit()),
            view.memory.good_durations.len()
        ),
        None => "24 h (until five good runs are known)".to_owned(),
    };
    facts.push(Fact::of("Must finish within", &limit));
    if let Some(least) = monitor.min_duration {
        facts.push(Fact::of("Suspicious when faster than", &span::words(least)));
    }
    let allowed = monitor.overlap.allowed;
    let overlap = match monitor.overlap.policy {
        OverlapPolicy::Alert => "recorded, and you are told".to_owned(),
        OverlapPolicy::Allow => format!("fine, up to {allowed} at once"),
        OverlapPolicy::Refuse if allowed > 1 => format!("refused beyond {allowed} at once"),
        OverlapPolicy::Refuse => "the start is refused".to_owned(),
    };
    facts.push(Fact::of("Overlap", &overlap));
    if let Some(limit) = monitor.ping_limit {
        facts.push(Fact::of("Most pings a minute", &words::thousands(limit.per_minute())));
    }
    facts
}

fn open(base: &str, incident: &Incident, monitor: &Monitor, moments: &Moments) -> OpenIncident {
    let acknowledged = incident.acknowledged_by.as_ref().map(|by| format!("acknowledged by {by}"));
    OpenIncident {
        id: incident.id.to_string(),
        href: format!("{base}/incidents/{}", incident.id),
        kind: incident.kind.word().to_owned(),
        severity: incident.severity.word().to_owned(),
        summary: said::line(incident.kind, &incident.summary, moments),
        meaning: incident_words::meaning(incident, monitor),
        since: moments.short(incident.opened_at),
        acknowledged: acknowledged.unwrap_or_default(),
        snoozed: snooze::until(incident, moments.now)
            .map(|until| format!("snoozed until {}", moments.short(until).text))
            .unwrap_or_default(),
    }
}

/// An extractor, with what it last found.
fn found(base: &str, extractor: &Extractor, view: &MonitorView, moments: &Moments) -> ExtractorRow {
    let name = extractor.name();
    let last = view.recent.iter().find(|run| run.meta.contains_key(name));
    let ended = view.recent.iter().filter(|run| run.has_ended()).count();
    ExtractorRow {
        name: name.to_owned(),
        pattern: extractor.text().to_owned(),
        value: last.and_then(|run| run.meta.get(name)).map(names::shown).unwrap_or_default(),
        run: last.map(|run| Link {
            href: run_words::href(base, run),
            text: format!("#{}", run.number),
            current: false,
        }),
        ago: last.map(|run| run_words::when(run, moments).ago).unwrap_or_default(),
        nothing: match ended {
            0 => "No run has ended yet.".to_owned(),
            1 => "The only run so far printed nothing that it finds.".to_owned(),
            ended => format!("It found nothing in the last {}.", words::count(ended, "run")),
        },
    }
}

/// The rules, each with what it says of the last run that it looks at.
async fn rules(web: &Web, view: &MonitorView) -> PageResult<Vec<RuleRow>> {
    let last = view.recent.iter().find(|run| run.has_ended());
    let judged = match last {
        Some(run) => {
            let output = web.watchclock().output(view.monitor.project, run.id).await?;
            let output = output.map(|output| output.text());
            verdicts::of_run(web.watchclock(), &view.monitor, run, output.as_deref()).await?
        }
        None => Vec::new(),
    };
    let row = |rule: &Rule| {
        let verdict = judged.iter().find(|(judged, _)| judged.id == rule.id).map(|(_, verdict)| verdict);
        let when = rule.condition.text();
        RuleRow {
            name: if when.starts_with(&rule.name) { String::new() } else { rule.name.clone() },
            when: when.to_owned(),
            severity: rule.severity.word().to_owned(),
            details: details(rule),
            verdict: verdict.map(|verdict| verdict.truth.word().to_owned()).unwrap_or_default(),
            why: verdict.map(|verdict| verdicts::why(&rule.condition, verdict)).unwrap_or_default(),
        }
    };
    Ok(view.monitor.rules.iter().map(row).collect())
}

fn details(rule: &Rule) -> String {
    let mut details = Vec::new();
    if rule.for_runs > 1 {
        details.push(format!("for {} runs in a row", rule.for_runs));
    }
    match rule.applies_to {
        AppliesTo::Success => {}
        AppliesTo::Fail => details.push("after failed runs".to_owned()),
        AppliesTo::Any => details.push("also after failed runs".to_owned()),
    }
    if rule.if_missing == IfMissing::Ignore {
        details.push("a missing value is ignored".to_owned());
    }
    details.join(", ")
}
