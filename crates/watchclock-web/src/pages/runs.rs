//! One run: how it went, beside whom it ran, what it reported, what rules say, what it printed.

use axum::{
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};
use uuid::Uuid;
use watchclock_domain::{
    ping::Output,
    run::{Run, RunStatus},
    span,
};
use watchclock_service::{incident::IncidentFilter, monitor::MonitorView, run::RunView};

use super::{
    errors::{PageError, PageResult},
    moments::Moments,
    respond, run_words, said,
    session::Member,
    verdicts,
    views::{
        parts::{Fact, Link},
        run_page::{Overlap, RunPage, Verdict},
        shell::Section,
    },
};
use crate::state::Web;

/// An id of an address; what is none leads nowhere.
pub(crate) fn id(text: &str) -> PageResult<Uuid> {
    Uuid::try_parse(text).map_err(|_| PageError::NotFound)
}

/// `GET /runs/{id}`
pub(crate) async fn show(State(web): State<Web>, member: Member, Path(run): Path<String>) -> PageResult {
    let watchclock = web.watchclock();
    let project = member.project.id;
    let view = watchclock.run_view(project, id(&run)?).await?;
    let run = &view.run;
    let of = watchclock.monitor(project, &run.monitor.to_string()).await?;
    let title = format!("{} #{}", of.monitor.name, run.number);
    let shell = member.shell(&web, &title, Section::Monitors).await?;
    let base = shell.base.clone();
    let moments = Moments::new(*of.monitor.schedule.zone(), watchclock.now());
    let output = view.output.clone().unwrap_or_default();
    let text = view.output.as_ref().map(Output::text);
    let verdicts = verdicts::of_run(watchclock, &of.monitor, run, text.as_deref()).await?;
    let (previous, next) = neighbours(&web, &view, project).await?;
    let page = RunPage {
        id: run.id.to_string(),
        number: run.number,
        monitor: Link {
            href: format!("{base}/monitors/{}", of.monitor.id),
            text: of.monitor.name.clone(),
            current: false,
        },
        status: run.status.word().to_owned(),
        status_words: run_words::status(run),
        marks: run_words::marks(run, &moments.zone),
        slot: run.slot.map(|at| moments.full(at)),
        refused: (run.status == RunStatus::Skipped).then(|| moments.full(run.first_seen_at)),
        started: run.started_at.map(|at| moments.full(at)),
        ended: run.ended_at.map(|at| moments.full(at)),
        zone: moments.zone.name().to_owned(),
        duration: run_words::duration(run, &moments),
        limit: limit(run, &of, &moments),
        run_id: run.run_id.as_ref().map(|id| id.shown.clone()).unwrap_or_default(),
        source: source(run),
        message: run.message.clone().unwrap_or_default(),
        overlaps: view.overlapping.iter().map(|other| overlap(&base, run, other, &moments)).collect(),
        more_overlaps: u64::try_from(run.overlap_count)
            .unwrap_or(0)
            .saturating_sub(view.overlapping.len() as u64),
        notes: run.notes.clone(),
        meta: run.meta.iter().map(|(key, value)| Fact::of(key, &value.words())).collect(),
        verdicts: verdicts
            .iter()
            .map(|(rule, verdict)| Verdict {
                name: if rule.condition.text().starts_with(&rule.name) {
                    String::new()
                } else {
                    rule.name.clone()
                },
                when: rule.condition.text().to_owned(),
                verdict: verdict.truth.word().to_owned(),
                why: verdicts::why(&rule.condition, verdict),
            })
            .collect(),
        incidents: incidents(&web, &base, project, run, &moments).await?,
        output: text.unwrap_or_default(),
        output_cut: if output.cut > 0 {
            format!("The first {} were cut.", size(output.cut))
        } else {
            String::new()
        },
        output_size: size(output.size()),
        previous,
        next,
        shell,
    };
    Ok(respond::page(&page))
}

/// `GET /runs/{id}/output`: as plain text, never as anything that a browser would run.
pub(crate) async fn output(State(web): State<Web>, member: Member, Path(run): Path<String>) -> PageResult {
    let output = web.watchclock().output(member.project.id, id(&run)?).await?.unwrap_or_default();
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], output.text()).into_response())
}

fn limit(run: &Run, of: &MonitorView, moments: &Moments) -> String {
    let Some((limit, started)) = run.limit_at.or(run.hung_at).zip(run.started_at) else {
        return String::new();
    };
    // The limit is that of its start; what the monitor says now may be another.
    let (allowed, memory) = (limit - started, &of.memory);
    let how = match of.monitor.max_duration {
        None if allowed == memory.learned_limit() && memory.good_durations.is_empty() => {
            ", until good runs are known"
        }
        None if allowed == memory.learned_limit() => ", learned",
        _ => "",
    };
    match run.status {
        RunStatus::Running => format!("{}{how}: until {}", span::words(allowed), moments.short(limit).text),
        RunStatus::Hung => format!("{}{how}", span::words(allowed)),
        _ => String::new(),
    }
}

fn source(run: &Run) -> Vec<Fact> {
    let source = &run.source;
    [
        ("Host", &source.host),
        ("Environment", &source.env),
        ("Address", &source.addr),
        ("User agent", &source.user_agent),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(Fact::of(name, value.as_deref()?)))
    .collect()
}

/// A run beside this one, and for how long both were active.
fn overlap(base: &str, run: &Run, other: &Run, moments: &Moments) -> Overlap {
    let until = |run: &Run| run.ended_at.or(run.hung_at).unwrap_or(moments.now);
    let shared = run
        .started_at
        .zip(other.started_at)
        .map(|(mine, theirs)| until(run).min(until(other)) - mine.max(theirs));
    let shared = shared.filter(|shared| *shared > chrono::Duration::zero());
    let source = &other.source;
    Overlap {
        number: other.number,
        href: run_words::href(base, other),
        status: other.status.word().to_owned(),
        started: run_words::when(other, moments),
        shared: shared.map(|shared| format!("both active for {}", span::words(shared))).unwrap_or_default(),
        source: source.host.clone().or_else(|| source.addr.clone()).unwrap_or_default(),
    }
}

/// The incidents that name a run, among the latest of its monitor.
async fn incidents(
    web: &Web,
    base: &str,
    project: Uuid,
    run: &Run,
    moments: &Moments,
) -> PageResult<Vec<Link>> {
    let filter = IncidentFilter { monitor: Some(run.monitor), limit: 200, ..IncidentFilter::default() };
    let page = web.watchclock().incidents(project, &filter).await?;
    let mine = page.items.into_iter().filter(|incident| incident.runs.contains(&run.id));
    Ok(mine
        .map(|incident| Link {
            href: format!("{base}/incidents/{}", incident.id),
            text: format!(
                "{}: {}",
                incident.kind.word(),
                said::line(incident.kind, &incident.summary, moments)
            ),
            current: false,
        })
        .collect())
}

async fn neighbours(web: &Web, view: &RunView, project: Uuid) -> PageResult<(Option<Link>, Option<Link>)> {
    let ids: Vec<Uuid> = view.before.into_iter().chain(view.after).collect();
    let runs = web.watchclock().runs_by_id(project, &ids).await?;
    let link = |id: Option<Uuid>| {
        let run = runs.iter().find(|run| Some(run.id) == id)?;
        let href = run_words::href(web.base_path(), run);
        Some(Link { href, text: format!("#{}", run.number), current: false })
    };
    Ok((link(view.before), link(view.after)))
}

/// A size in words: `812 B`, `2.2 MB`.
#[expect(clippy::cast_precision_loss, reason = "rounded for people")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
