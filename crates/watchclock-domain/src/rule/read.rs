//! Gets the values of names and of calculations while a rule is evaluated. Neighbours: [`super::eval`] asks, [`super::history`] looks back.

use std::borrow::Cow;

use chrono::{DateTime, Duration, TimeZone, Utc};

use super::{
    earlier::Earlier,
    eval::{Evaluation, Unknown},
    explain,
    facts::Judged,
    got::Got,
    tree::{Expr, Field, Source},
};
use crate::{
    Time,
    value::{Number, Value},
};

/// Longest piece of a text that is kept with a verdict, in characters.
const MAX_READ_CHARS: usize = 200;

impl<'a> Evaluation<'a> {
    pub(super) fn value(&mut self, expr: &'a Expr) -> Result<Got<'a>, Unknown> {
        match expr {
            Expr::Number(number) => Ok(Got::Number(Cow::Borrowed(number))),
            Expr::Text(text) => Ok(Got::Text(Cow::Borrowed(text))),
            Expr::Flag(flag) => Ok(Got::Flag(*flag)),
            Expr::Field(field) => self.field(*field),
            Expr::History(call) => self.history(*call),
            Expr::Negative(inner) => Ok(Got::number(self.number(inner)?.negated())),
            Expr::Sum(first, rest) => {
                let mut total = self.number(first)?;
                for (minus, expr) in rest {
                    let next = self.number(expr)?;
                    let result = if *minus { total.minus(&next) } else { total.plus(&next) };
                    total = Cow::Owned(result.ok_or_else(too_large)?);
                }
                Ok(Got::Number(total))
            }
            Expr::Product(first, rest) => {
                let mut total = self.number(first)?;
                for (divided, expr) in rest {
                    let next = self.number(expr)?;
                    if *divided && next.is_zero() {
                        return Err(Unknown::Because("division by zero".to_owned()));
                    }
                    let result = if *divided { total.over(&next) } else { total.times(&next) };
                    total = Cow::Owned(result.ok_or_else(too_large)?);
                }
                Ok(Got::Number(total))
            }
        }
    }

    fn number(&mut self, expr: &'a Expr) -> Result<Cow<'a, Number>, Unknown> {
        let got = self.value(expr)?;
        match got {
            Got::Number(number) => Ok(number),
            other => match other.to_number() {
                Some(number) => Ok(Cow::Owned(number.into_owned())),
                None => Err(Unknown::Because(format!("{}, which is no number", self.says(expr, &other)))),
            },
        }
    }

    fn says(&self, expr: &Expr, got: &Got<'_>) -> String {
        let name = match expr {
            Expr::Field(field) => self.tree.fields[*field].shown.as_str(),
            Expr::History(call) => self.call(*call).shown.as_str(),
            _ => "a part of it",
        };
        format!("{name} is {}", explain::shown(got))
    }

    /// The value of a name, noted as read.
    pub(super) fn field(&mut self, index: usize) -> Result<Got<'a>, Unknown> {
        let field = &self.tree.fields[index];
        let got = of_run(&self.facts.run, field);
        self.note(index, got.as_ref());
        match got {
            Some(got) => Ok(got),
            None if field.source == Source::Output => {
                Err(Unknown::Because("the output of this run is no longer kept".to_owned()))
            }
            None => Err(Unknown::Missing(index)),
        }
    }

    pub(super) fn is_present(&mut self, index: usize) -> bool {
        let field = &self.tree.fields[index];
        if field.source == Source::LastSuccess {
            return self.moment(index).is_ok();
        }
        match field.source {
            Source::Output => {
                let run = &self.facts.run;
                let got = of_run(run, field);
                self.note(index, got.as_ref());
                run.output_size > 0 || run.output.is_some_and(|output| !output.is_empty())
            }
            _ => self.field(index).is_ok(),
        }
    }

    fn note(&mut self, index: usize, got: Option<&Got<'_>>) {
        if !std::mem::replace(&mut self.seen[index], true) {
            let value = got.map(|got| match got {
                Got::Text(text) if text.len() > MAX_READ_CHARS => {
                    Value::Text(explain::piece(text, text.len(), MAX_READ_CHARS))
                }
                got => got.to_value(),
            });
            self.read.push((self.tree.fields[index].shown.clone(), value));
        }
    }

    fn history(&mut self, index: usize) -> Result<Got<'a>, Unknown> {
        if let Some(result) = &self.called[index] {
            return result.clone();
        }
        let result = self.compute(index);
        let value = result.as_ref().ok().map(Got::to_value);
        self.read.push((self.call(index).shown.clone(), value));
        self.called[index] = Some(result.clone());
        result
    }

    /// The point in time that a name stands for: the last good run, or what metadata says
    /// (RFC 3339, or seconds or milliseconds since 1970).
    pub(super) fn moment(&mut self, index: usize) -> Result<Time, Unknown> {
        let field = &self.tree.fields[index];
        if field.source == Source::LastSuccess {
            let runs = std::iter::once(Earlier::from(&self.facts.run)).chain(self.facts.history.iter());
            let last = runs.filter(|run| run.is_good()).filter_map(Earlier::at).max();
            let shown = last.map(|at| Got::Text(at.format("%Y-%m-%dT%H:%M:%SZ").to_string().into()));
            self.note(index, shown.as_ref());
            return last.ok_or_else(|| Unknown::Because("no run has succeeded yet".to_owned()));
        }
        let got = self.field(index)?;
        let no_time = || {
            let hint = "is no point in time (2026-01-31T04:00:00Z, or seconds since 1970)";
            Unknown::Because(format!("{} is {}, which {hint}", field.shown, explain::shown(&got)))
        };
        match &got {
            Got::Text(text) if DateTime::parse_from_rfc3339(text.trim()).is_ok() => {
                DateTime::parse_from_rfc3339(text.trim()).map(|at| at.to_utc()).map_err(|_| no_time())
            }
            other => other.to_number().and_then(|number| from_epoch(&number)).ok_or_else(no_time),
        }
    }
}

pub(super) fn too_large() -> Unknown {
    Unknown::Because("the result is too large".to_owned())
}

#[expect(clippy::cast_possible_truncation, reason = "checked to fit before the cast")]
fn from_epoch(number: &Number) -> Option<Time> {
    let number = number.to_f64();
    // Seconds up to the year 5138; what is larger are milliseconds, from 1973 on.
    let millis = if number < 1e11 { number * 1e3 } else { number };
    if !(0.0..1e14).contains(&millis) {
        return None;
    }
    Utc.timestamp_millis_opt(millis as i64).single()
}

/// A length of time as a number of seconds.
pub(super) fn seconds(duration: Duration) -> Option<Number> {
    match duration.num_microseconds() {
        Some(micros) if micros % 1_000_000 == 0 => Some(Number::from(micros / 1_000_000)),
        Some(micros) => Number::scaled(micros.into(), 6),
        None => Some(Number::from(duration.num_seconds())),
    }
}

/// The same of an earlier run.
pub(super) fn of_earlier<'a>(run: Earlier<'a>, field: &Field) -> Option<Got<'a>> {
    match field.source {
        Source::Meta => run.reported(&field.key).map(Got::of),
        _ => of_run(&run.judged(), field),
    }
}

/// What a run says for a name. A run without output has an empty one, unless it was not kept.
pub(super) fn of_run<'a>(run: &Judged<'a>, field: &Field) -> Option<Got<'a>> {
    let text = |text: Option<&'a str>| text.map(|text| Got::Text(Cow::Borrowed(text)));
    let count = |count: i64| Some(Got::number(Number::from(count)));
    match field.source {
        Source::Meta => run.meta.get(&field.key).map(Got::of),
        Source::Status => text(Some(run.status.word())),
        Source::Duration => run.duration.and_then(seconds).map(Got::number),
        Source::ExitCode => run.exit_code.and_then(|code| count(code.into())),
        Source::Output if run.output.is_none() && run.output_size == 0 => text(Some("")),
        Source::Output => text(run.output),
        Source::OutputSize => count(i64::try_from(run.output_size).unwrap_or(i64::MAX)),
        Source::Message => text(run.message),
        Source::Host => text(run.host),
        Source::Env => text(run.env),
        Source::Overlaps => count(run.overlaps),
        Source::Attempts => count(run.attempts),
        Source::LastSuccess => None,
    }
}
