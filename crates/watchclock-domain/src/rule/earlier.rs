//! The runs before a judged one, and what is kept of them for judgements. Neighbour: [`super::history`] computes over them.

use uuid::Uuid;

use super::facts::{Judged, Reported};
use crate::{
    Time,
    run::{RunStatus, took},
    value::Value,
};

/// The runs before the judged one, oldest first, any status.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    runs: Runs<'a>,
    /// The place of a run that is none of them.
    except: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Runs<'a> {
    Judged(&'a [Judged<'a>]),
    Kept { keys: &'a [String], runs: &'a [EarlierRun] },
}

impl<'a> From<&'a [Judged<'a>]> for History<'a> {
    fn from(runs: &'a [Judged<'a>]) -> Self {
        Self { runs: Runs::Judged(runs), except: None }
    }
}

impl<'a> History<'a> {
    /// Runs of which the metadata under these keys is kept, except one.
    pub(crate) fn of_kept(keys: &'a [String], runs: &'a [EarlierRun], except: Uuid) -> Self {
        Self { runs: Runs::Kept { keys, runs }, except: runs.iter().rposition(|run| run.id == except) }
    }

    pub fn iter(self) -> impl DoubleEndedIterator<Item = Earlier<'a>> {
        let len = match self.runs {
            Runs::Judged(runs) => runs.len(),
            Runs::Kept { runs, .. } => runs.len(),
        };
        (0..len).filter(move |at| self.except != Some(*at)).map(move |at| match self.runs {
            Runs::Judged(runs) => Earlier(Which::Judged(&runs[at])),
            Runs::Kept { keys, runs } => Earlier(Which::Kept(keys, &runs[at])),
        })
    }
}

/// One of them. Most are only passed by, so that what a rule does not ask of a run is not brought together.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a>(Which<'a>);

#[derive(Debug, Clone, Copy)]
enum Which<'a> {
    Judged(&'a Judged<'a>),
    Kept(&'a [String], &'a EarlierRun),
}

impl<'a> From<&'a Judged<'a>> for Earlier<'a> {
    fn from(run: &'a Judged<'a>) -> Self {
        Self(Which::Judged(run))
    }
}

impl<'a> Earlier<'a> {
    pub fn status(self) -> RunStatus {
        match self.0 {
            Which::Judged(run) => run.status,
            Which::Kept(_, run) => run.status,
        }
    }

    pub fn is_good(self) -> bool {
        self.status() == RunStatus::Success
    }

    /// The moment by which it belongs to a window of time.
    pub fn at(self) -> Option<Time> {
        match self.0 {
            Which::Judged(run) => run.at(),
            Which::Kept(_, run) => run.ended_at.or(run.started_at),
        }
    }

    /// What it reported under a key.
    pub fn reported(self, key: &str) -> Option<&'a Value> {
        match self.0 {
            Which::Judged(run) => run.meta.get(key),
            Which::Kept(keys, run) => Reported::Kept { keys, values: &run.values }.get(key),
        }
    }

    pub fn judged(self) -> Judged<'a> {
        match self.0 {
            Which::Judged(run) => *run,
            Which::Kept(keys, run) => run.judged(keys),
        }
    }
}

/// What rules read of a run that is over. Hundreds of them are looked through for one judgement, so they are small and lie
/// side by side.
#[derive(Debug, Clone)]
pub(crate) struct EarlierRun {
    pub(crate) id: Uuid,
    pub(crate) number: i64,
    status: RunStatus,
    exit_code: Option<u8>,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    output_size: u64,
    overlaps: i64,
    attempts: i64,
    texts: Option<Box<Texts>>,
    /// One for each key that is kept.
    values: Box<[Option<Value>]>,
}

#[derive(Debug, Clone)]
struct Texts {
    message: Option<String>,
    host: Option<String>,
    env: Option<String>,
}

impl EarlierRun {
    pub(crate) fn of(id: Uuid, number: i64, run: &Judged<'_>, keys: &[String]) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let texts = Texts { message: text(run.message), host: text(run.host), env: text(run.env) };
        let says = texts.message.is_some() || texts.host.is_some() || texts.env.is_some();
        Self {
            id,
            number,
            status: run.status,
            exit_code: run.exit_code,
            started_at: run.started_at,
            ended_at: run.ended_at,
            output_size: run.output_size,
            overlaps: run.overlaps,
            attempts: run.attempts,
            texts: says.then(|| Box::new(texts)),
            values: keys.iter().map(|key| run.meta.get(key).cloned()).collect(),
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.status, RunStatus::Success | RunStatus::Failed)
    }

    pub(crate) fn judged<'a>(&'a self, keys: &'a [String]) -> Judged<'a> {
        let texts = self.texts.as_deref();
        Judged {
            status: self.status,
            duration: took(self.started_at, self.ended_at),
            exit_code: self.exit_code,
            message: texts.and_then(|texts| texts.message.as_deref()),
            output: None,
            output_size: self.output_size,
            host: texts.and_then(|texts| texts.host.as_deref()),
            env: texts.and_then(|texts| texts.env.as_deref()),
            meta: Reported::Kept { keys, values: &self.values },
            overlaps: self.overlaps,
            attempts: self.attempts,
            started_at: self.started_at,
            ended_at: self.ended_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rule::{Condition, Facts},
        value::{Meta, Value},
    };

    const RULES: [&str; 14] = [
        "rows lt 0.5 * median(rows, 30)",
        "rows lt avg(rows, 7d)",
        "sum(share, 12) gt 2.5 or p90(share, 12) gt 0.9",
        "max(rows, 500) gt 40 and min(rows, 24h) lt 5",
        "change(rows) lt -10%",
        "prev(message) eq \"run 8\" or prev(env) eq prod",
        "prev(host) eq db1",
        "duration gt 3 * median(duration, 30)",
        "count(failed, 24h) ge 3",
        "count(any, 12) ge 3",
        "last_success older than 2h",
        "prev(output_size) gt 7",
        "prev(exit_code) eq 0",
        "median(never_sent, 14) gt 1",
    ];

    /// Runs of all kinds: numbers, texts that are numbers, texts, fields that are not there.
    fn metas() -> Vec<Meta> {
        let value = |run: usize| match run % 5 {
            0 => Value::Text(format!(" {run}")),
            1 => Value::of_word("none"),
            _ => Value::of_word(&run.to_string()),
        };
        let meta = |run: usize| {
            let mut meta = Meta::from([("share".to_owned(), Value::of_word(&format!("0.{run}")))]);
            if run % 7 != 3 {
                meta.insert("rows".to_owned(), value(run));
            }
            meta
        };
        (0..60).map(meta).collect()
    }

    #[test]
    fn what_is_kept_says_the_same_as_the_runs() {
        let (metas, messages): (Vec<_>, Vec<_>) =
            (metas(), (0..60).map(|run| format!("run {run}")).collect());
        let runs: Vec<Judged<'_>> = metas
            .iter()
            .zip(&messages)
            .zip(0..)
            .map(|((meta, message), run)| judged(meta, message, run))
            .collect();
        for text in RULES {
            let condition = Condition::parse(text).unwrap();
            let keys: Vec<String> = condition.names().into_iter().map(str::to_owned).collect();
            let id = |run: usize| Uuid::from_u128(run as u128);
            let kept: Vec<EarlierRun> = runs
                .iter()
                .enumerate()
                .map(|(run, judged)| EarlierRun::of(id(run), 1, judged, &keys))
                .collect();
            for at in 0..runs.len() {
                let now = runs[at].at().unwrap();
                let of = |history| condition.judge(&Facts { run: runs[at], history, now });
                // The run itself is among what is kept, and no part of its own history.
                let history = History::of_kept(&keys, &kept[..=at], id(at));
                assert_eq!(of(history), of(runs[..at].into()), "{text}, run {at}");
            }
        }
    }

    fn judged<'a>(meta: &'a Meta, message: &'a str, run: i64) -> Judged<'a> {
        let started = Time::from_timestamp(1_800_000_000 + run * 3_600, 0).unwrap();
        let ended = started + chrono::Duration::milliseconds(run * 1_001);
        Judged {
            status: match run % 4 {
                1 => RunStatus::Failed,
                3 => RunStatus::Hung,
                _ => RunStatus::Success,
            },
            duration: Some(ended - started),
            exit_code: Some(u8::try_from(run % 3).unwrap()),
            message: (run % 3 != 1).then_some(message),
            output: None,
            output_size: u64::try_from(run).unwrap(),
            host: (run % 6 == 0).then_some("db1"),
            env: (run % 2 == 0).then_some("prod"),
            meta: meta.into(),
            overlaps: run % 2,
            attempts: 1,
            started_at: Some(started),
            ended_at: Some(ended),
        }
    }
}
