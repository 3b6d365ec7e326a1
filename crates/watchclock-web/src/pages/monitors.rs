//! The list of monitors: what fails first, with search, tags and health. Neighbour: `monitor_page` shows one.

use axum::{extract::State, response::Response};
use watchclock_domain::{Time, monitor::Health, run::Run};
use watchclock_service::monitor::{MonitorFilter, MonitorView};

use super::{
    awaited,
    errors::PageResult,
    fields::{Fields, Query},
    mini::{MINI_RUNS, mini_tape},
    moments::Moments,
    respond, run_words,
    session::Member,
    views::{
        monitors::{HealthCount, LastRun, MonitorList, MonitorRow},
        parts::Choice,
        shell::Section,
    },
};
use crate::state::Web;

/// Rows of one page.
const ROWS: usize = 100;
/// In the order in which the counts stand.
const HEALTHS: [Health; 5] =
    [Health::Failing, Health::Late, Health::Healthy, Health::Waiting, Health::Paused];

/// What the address asks for.
#[derive(Debug, Clone, Default)]
struct Asked {
    q: String,
    tag: String,
    health: String,
}

impl Asked {
    fn of(query: &Fields) -> Self {
        let health = Health::from_word(query.get("health")).map(Health::word).unwrap_or_default();
        Self { q: query.get("q").to_owned(), tag: query.get("tag").to_owned(), health: health.to_owned() }
    }

    fn path(&self, base: &str, after: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in [("q", &*self.q), ("tag", &self.tag), ("health", &self.health), ("after", after)]
        {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        let query = query.finish();
        if query.is_empty() { format!("{base}/") } else { format!("{base}/?{query}") }
    }

    fn takes(&self, view: &MonitorView) -> bool {
        let monitor = &view.monitor;
        let q = self.q.to_lowercase();
        let texts = [&monitor.name, &monitor.slug, &monitor.description];
        let mut texts = texts.into_iter().chain(&monitor.tags);
        (q.is_empty() || texts.any(|text| text.to_lowercase().contains(&q)))
            && (self.tag.is_empty() || monitor.tags.contains(&self.tag))
    }
}

/// `GET /`
pub(crate) async fn list(State(web): State<Web>, member: Member, Query(query): Query) -> PageResult {
    let shell = member.shell(&web, "Monitors", Section::Monitors).await?;
    let watchclock = web.watchclock();
    let all = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?;
    let asked = Asked::of(&query);
    let found: Vec<&MonitorView> = all.iter().filter(|view| asked.takes(view)).collect();
    let counts = HEALTHS.map(|health| count(&shell.base, &asked, health, &found));
    let healthy = |view: &&&MonitorView| asked.health.is_empty() || view.health.word() == asked.health;
    let listed: Vec<&MonitorView> = found.iter().filter(healthy).copied().collect();
    let after = query.get("after");
    let start = listed.iter().position(|view| view.monitor.id.to_string() == after).map_or(0, |at| at + 1);
    let shown = &listed[start..listed.len().min(start + ROWS)];
    let ids: Vec<_> = shown.iter().map(|view| view.monitor.id).collect();
    let recent = watchclock.recent_runs(&ids, i64::try_from(MINI_RUNS).unwrap_or(20)).await?;
    let tells_offset = differ(shown, watchclock.now());
    let last = shown.last().filter(|_| listed.len() > start + ROWS);
    let view = MonitorList {
        total: all.len() as u64,
        counts: counts.into(),
        tags: tags(&all, &asked.tag),
        rows: shown
            .iter()
            .map(|view| {
                let moments = Moments::new(*view.monitor.schedule.zone(), watchclock.now());
                let moments = Moments { tells_offset, ..moments };
                row(&shell.base, view, recent.get(&view.monitor.id).map_or(&[], Vec::as_slice), &moments)
            })
            .collect(),
        here: asked.path(&shell.base, after),
        next: last.map(|view| asked.path(&shell.base, &view.monitor.id.to_string())).unwrap_or_default(),
        first_ping: format!(
            "curl -fsS -m 10 --retry 5 '{}'",
            web.url(&format!("/ping/{}/my-first-job?create=1", member.project.ping_key))
        ),
        may_change: member.may_change().is_ok(),
        q: asked.q,
        health: asked.health,
        shell,
    };
    Ok(respond::page(&view))
}

/// `GET /monitors`: the list stands at the root.
pub(crate) async fn to_list(State(web): State<Web>) -> Response {
    respond::to(&web, "/")
}

/// Whether clocks of several offsets stand on one page.
fn differ(shown: &[&MonitorView], now: Time) -> bool {
    let offset = |view: &&MonitorView| view.monitor.schedule.zone().local(now).offset().local_minus_utc();
    let mut offsets = shown.iter().map(offset);
    let first = offsets.next();
    offsets.any(|offset| Some(offset) != first)
}

fn count(base: &str, asked: &Asked, health: Health, found: &[&MonitorView]) -> HealthCount {
    let chosen = asked.health == health.word();
    let wanted = if chosen { String::new() } else { health.word().to_owned() };
    HealthCount {
        health: health.word().to_owned(),
        count: found.iter().filter(|view| view.health == health).count() as u64,
        href: Asked { health: wanted, ..asked.clone() }.path(base, ""),
        chosen,
    }
}

fn tags(all: &[MonitorView], chosen: &str) -> Vec<Choice> {
    let mut tags: Vec<&str> =
        all.iter().flat_map(|view| view.monitor.tags.iter().map(String::as_str)).chain([chosen]).collect();
    tags.sort_unstable();
    tags.dedup();
    let some = tags.into_iter().filter(|tag| !tag.is_empty()).map(|tag| Choice::of(tag, tag, tag == chosen));
    std::iter::once(Choice::of("", "All tags", chosen.is_empty())).chain(some).collect()
}

fn row(base: &str, view: &MonitorView, recent: &[Run], moments: &Moments) -> MonitorRow {
    let monitor = &view.monitor;
    let broken = monitor.broken.as_ref().map(|why| format!("its configuration cannot be read: {why}"));
    let told = view.incidents.first().map(|incident| awaited::trouble(incident, recent, moments));
    MonitorRow {
        href: format!("{base}/monitors/{}", monitor.id),
        name: monitor.name.clone(),
        health: view.health.word().to_owned(),
        trouble: told.or(broken).unwrap_or_default(),
        awaited: awaited::late(view, moments),
        open_incidents: view.incidents.len() as u64,
        tags: monitor.tags.clone(),
        schedule: monitor.schedule.words(),
        last: recent.first().map(|run| LastRun {
            href: run_words::href(base, run),
            status: run.status.word().to_owned(),
            when: run_words::when(run, moments),
            duration: if run.is_active() { String::new() } else { run_words::duration(run, moments) },
        }),
        next_slot: view.next_slot(moments.now).map(|slot| moments.short(slot)),
        running: u64::try_from(view.memory.active).unwrap_or(0),
        tape: mini_tape(&recent.iter().rev().map(run_words::mini).collect::<Vec<_>>()),
    }
}
