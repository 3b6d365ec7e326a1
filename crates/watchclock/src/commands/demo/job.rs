//! A job of the demo and the pings that it sent; what the jobs are is told in the files of their departments.

use chrono::Duration;
use watchclock_domain::{
    Time,
    ping::{Output, Ping, RunId, Signal, Source},
    schedule::{Schedule, ScheduleText},
    value::{Meta, Value},
};
use watchclock_service::monitor::{MonitorChange, Past, RuleChange};

use super::chance::Chance;

/// From when until when the demo tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) since: Time,
    pub(super) now: Time,
}

/// A job with its pings so far.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) change: MonitorChange,
    pub(super) chance: Chance,
    /// When it was paused, if it still is.
    pub(super) paused: Option<Time>,
    span: Span,
    host: &'static str,
    schedule: Schedule,
    pings: Vec<Ping>,
    runs: u32,
}

/// One run of a job: when it started, and what became of it.
#[derive(Debug)]
pub(super) struct Told {
    start: Option<Time>,
    end: Option<Time>,
    exit: u8,
    meta: Meta,
    output: String,
    message: Option<String>,
    named: bool,
    host: Option<&'static str>,
}

impl Job {
    /// `schedule` as people write it: cron, `every 5m`, OnCalendar or `none`.
    pub(super) fn new(span: Span, name: &str, schedule: &str, tz: &str, host: &'static str) -> Self {
        let text = ScheduleText::from_shorthand(schedule, Some(tz)).expect("the demo's schedules are tested");
        let change = MonitorChange {
            name: Some(name.to_owned()),
            slug: Some(name.to_owned()),
            schedule: Some(text.clone()),
            ..MonitorChange::default()
        };
        Self {
            change,
            chance: Chance::of(name),
            paused: None,
            span,
            host,
            schedule: Schedule::compile(&text).expect("the demo's schedules are tested"),
            pings: Vec::new(),
            runs: 0,
        }
    }

    pub(super) fn about(mut self, description: &str, tags: &[&str], runbook: &str) -> Self {
        self.change.description = Some(description.to_owned());
        self.change.tags = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
        self.change.runbook = Some(runbook.to_owned());
        self
    }

    /// How late it may start, and how long it may take, in minutes.
    pub(super) fn limits(mut self, grace: i64, longest: i64) -> Self {
        self.change.grace = Some(Duration::minutes(grace));
        self.change.max_duration = Some(Some(Duration::minutes(longest)));
        self
    }

    pub(super) fn rules(mut self, rules: &[&str]) -> Self {
        self.change.rules = Some(rules.iter().map(|when| RuleChange::when(*when)).collect());
        self
    }

    /// Its slots with how many come after each, the oldest first: `(0, …)` is the last one.
    pub(super) fn slots(&self) -> Vec<(usize, Time)> {
        let slots =
            std::iter::successors(self.schedule.next(self.span.since), |slot| self.schedule.next(*slot));
        let slots: Vec<Time> = slots.take_while(|slot| *slot < self.span.now).collect();
        (0..slots.len()).rev().zip(slots).collect()
    }

    /// Sends the pings of a run; those that lie in the future are not sent yet.
    pub(super) fn tell(&mut self, told: Told) {
        self.runs += 1;
        let slug = self.change.slug.as_deref().unwrap_or_default();
        let rid = told.named.then(|| format!("{slug}-{:05}", self.runs));
        let ping = |signal, at| Ping {
            signal,
            run_id: rid.clone().map(|rid| RunId { key: rid.clone(), shown: rid }),
            received_at: at,
            happened_at: None,
            exit_code: None,
            message: None,
            meta: Meta::new(),
            output: Output::default(),
            source: Source {
                addr: Some("10.20.0.17".to_owned()),
                user_agent: Some("curl/8.14.1".to_owned()),
                host: Some(told.host.unwrap_or(self.host).to_owned()),
                env: Some("production".to_owned()),
            },
            notes: Vec::new(),
            idempotency_key: None,
        };
        if let Some(start) = told.start.filter(|at| *at <= self.span.now) {
            self.pings.push(ping(Signal::Start, start));
        }
        if let Some(end) = told.end.filter(|at| *at <= self.span.now) {
            self.pings.push(Ping {
                exit_code: Some(told.exit),
                message: told.message,
                meta: told.meta,
                output: Output { tail: told.output.into_bytes(), cut: 0 },
                ..ping(Signal::Exit(told.exit), end)
            });
        }
    }

    pub(super) fn into_past(mut self) -> Past {
        self.pings.sort_by_key(|ping| ping.received_at);
        Past { monitor: self.change, since: self.span.since, pings: self.pings, paused: self.paused }
    }
}

impl Told {
    /// A good run without a run id that took so many seconds.
    pub(super) fn run(start: Time, seconds: i64) -> Self {
        Self { start: Some(start), end: Some(start + Duration::seconds(seconds)), ..Self::end(start) }
    }

    /// A run that never tells its end.
    pub(super) fn endless(start: Time) -> Self {
        Self { start: Some(start), end: None, ..Self::end(start) }
    }

    /// A run of which only the end is told.
    pub(super) fn end(at: Time) -> Self {
        let (meta, output) = (Meta::new(), String::new());
        Self { start: None, end: Some(at), exit: 0, meta, output, message: None, named: false, host: None }
    }

    /// With a run id.
    pub(super) fn named(mut self) -> Self {
        self.named = true;
        self
    }

    pub(super) fn failed(mut self, exit: u8, message: &str) -> Self {
        self.exit = exit;
        self.message = Some(message.to_owned());
        self
    }

    /// Reports a number.
    pub(super) fn with(mut self, key: &str, number: i64) -> Self {
        self.meta.insert(key.to_owned(), Value::Number(number.into()));
        self
    }

    pub(super) fn says(mut self, output: String) -> Self {
        self.output = output;
        self
    }

    pub(super) fn on(mut self, host: &'static str) -> Self {
        self.host = Some(host);
        self
    }
}
