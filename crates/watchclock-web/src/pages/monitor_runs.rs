//! The table of a monitor's runs: filters, pages, rows. Neighbour: `run_page` shows one.

use std::collections::HashMap;

use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor,
    run::{Run, RunFlag, RunStatus},
};
use watchclock_service::run::RunFilter;

use super::{
    errors::PageResult,
    fields::Fields,
    moments::Moments,
    run_words,
    views::{monitor_page::RunRow, parts::Link},
};
use crate::state::Web;

/// Rows of one page.
const ROWS: i64 = 25;
/// Overlapping runs that a row names.
const NAMED: usize = 3;
/// What the table can be narrowed to: the name in the address, its value, the words.
const FILTERS: [(&str, &str, &str); 7] = [
    ("", "", "all"),
    ("status", "failed", "failed"),
    ("status", "hung", "hung"),
    ("status", "missed", "missed"),
    ("status", "running", "running"),
    ("flag", "overlapped", "overlapped"),
    ("flag", "rule_broken", "rule broken"),
];

/// What the address asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    path: String,
    window: &'static str,
    status: Option<RunStatus>,
    flag: Option<RunFlag>,
    /// A number, or with a flag the id of a run.
    before: String,
}

impl Asked {
    pub(crate) fn of(base: &str, monitor: &Monitor, query: &Fields, window: &'static str) -> Self {
        Self {
            path: format!("{base}/monitors/{}", monitor.id),
            window,
            status: RunStatus::from_word(query.get("status")),
            flag: RunFlag::from_word(query.get("flag")),
            before: query.get("before").to_owned(),
        }
    }

    /// The address of the page with some of what is asked for set otherwise.
    pub(crate) fn path(&self, changes: &[(&str, &str)]) -> String {
        let asked = [
            ("window", self.window),
            ("status", self.status.map_or("", RunStatus::word)),
            ("flag", self.flag.map_or("", RunFlag::word)),
            ("before", &self.before),
        ];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in asked {
            let value =
                changes.iter().find(|(changed, _)| *changed == name).map_or(value, |(_, value)| value);
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        format!("{}?{}", self.path, query.finish())
    }

    /// The page itself, for asking again; empty where old runs are shown, which do not change.
    pub(crate) fn here(&self) -> String {
        if self.before.is_empty() { self.path(&[]) } else { String::new() }
    }

    /// Back to the newest runs; empty when they are shown.
    pub(crate) fn newest(&self) -> String {
        if self.before.is_empty() { String::new() } else { format!("{}#runs", self.path(&[("before", "")])) }
    }

    pub(crate) fn filters(&self) -> Vec<Link> {
        let (status, flag) = (self.status.map_or("", RunStatus::word), self.flag.map_or("", RunFlag::word));
        FILTERS
            .map(|(name, value, text)| {
                let pick = |wanted: &str| if name == wanted { value } else { "" };
                let (new_status, new_flag) = (pick("status"), pick("flag"));
                Link {
                    href: format!(
                        "{}#runs",
                        self.path(&[("status", new_status), ("flag", new_flag), ("before", "")])
                    ),
                    text: text.to_owned(),
                    current: (status, flag) == (new_status, new_flag),
                }
            })
            .into()
    }

    /// The rows, and the address of older ones.
    pub(crate) async fn runs(
        &self,
        web: &Web,
        monitor: &Monitor,
        moments: &Moments,
    ) -> PageResult<(Vec<RunRow>, String)> {
        let (runs, next) = self.read(web, monitor).await?;
        let overlapping: Vec<Uuid> =
            runs.iter().flat_map(|run| run.overlaps.iter().rev().take(NAMED)).copied().collect();
        let numbers = web.watchclock().runs_by_id(monitor.project, &overlapping).await?;
        let numbers: HashMap<Uuid, i64> = numbers.into_iter().map(|run| (run.id, run.number)).collect();
        let base = web.base_path();
        let rows = runs.iter().map(|run| row(base, run, &numbers, moments)).collect();
        let older = next.map(|next| format!("{}#runs", self.path(&[("before", &next)])));
        Ok((rows, older.unwrap_or_default()))
    }

    async fn read(&self, web: &Web, monitor: &Monitor) -> PageResult<(Vec<Run>, Option<String>)> {
        let watchclock = web.watchclock();
        if let Some(flag) = self.flag {
            let filter = RunFilter {
                monitor: Some(monitor.id),
                status: self.status,
                flag: Some(flag),
                before: Uuid::try_parse(&self.before).ok(),
                limit: ROWS,
                ..RunFilter::default()
            };
            let page = watchclock.runs(monitor.project, &filter).await?;
            return Ok((page.items, page.next.map(|id| id.to_string())));
        }
        let before = self.before.parse().ok();
        let mut runs = watchclock.runs_of_monitor(monitor.id, self.status, before, ROWS + 1).await?;
        let rows = usize::try_from(ROWS).unwrap_or(25);
        let more = runs.len() > rows;
        runs.truncate(rows);
        let next = runs.last().filter(|_| more).map(|run| run.number.to_string());
        Ok((runs, next))
    }
}

fn row(base: &str, run: &Run, numbers: &HashMap<Uuid, i64>, moments: &Moments) -> RunRow {
    let (_, when_is) = run_words::moment(run);
    let overlaps: Vec<Link> = run
        .overlaps
        .iter()
        .rev()
        .take(NAMED)
        .filter_map(|id| {
            let number = numbers.get(id)?;
            Some(Link { href: format!("{base}/runs/{id}"), text: format!("#{number}"), current: false })
        })
        .collect();
    RunRow {
        number: run.number,
        href: run_words::href(base, run),
        status: run.status.word().to_owned(),
        marks: run_words::marks(run, &moments.zone),
        when: Some(run_words::when(run, moments)),
        when_is: when_is.to_owned(),
        duration: run_words::duration(run, moments),
        meta: run_words::meta(run),
        more_overlaps: u64::try_from(run.overlap_count).unwrap_or(0).saturating_sub(overlaps.len() as u64),
        overlaps,
    }
}
