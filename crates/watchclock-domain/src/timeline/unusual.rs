//! Runs far outside the usual, without a rule: too slow (also while they go on), too fast, or with unusual metadata. Neighbour: [`crate::usual`] knows what is usual.

use chrono::Duration;

use super::{NewIds, Timeline};
use crate::{
    Time,
    incident::Kind,
    monitor::{Memory, Monitor},
    rule::History,
    run::{Run, RunFlag, RunStatus},
    span,
    usual::{self, Band},
    value::{Number, Value, grouped},
};

/// Durations that differ by less are never unusual, in milliseconds.
const LEAST: f64 = 10_000.0;
/// The name under which unusual metadata is told.
const NAME: &str = "unusual metadata";

/// The usual durations of a monitor's runs in milliseconds, where they are judged and known.
pub fn usual_duration(monitor: &Monitor, memory: &Memory) -> Option<Band> {
    if !monitor.anomalies.duration || memory.good_durations.len() < usual::FEWEST {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a job fit")]
    let values: Vec<f64> = memory.good_durations.iter().map(|millis| *millis as f64).collect();
    Band::of(&values, LEAST)
}

impl Timeline<'_> {
    /// The usual durations, computed once until another run teaches.
    pub(super) fn usual_duration(&mut self) -> Option<Band> {
        *self.usual.get_or_insert_with(|| usual_duration(self.monitor, &self.memory))
    }

    /// When an active run becomes slower than usual; nothing where it is known to be, or nobody watches.
    pub(super) fn slow_at(&self, band: Option<&Band>, run: &Run) -> Option<Time> {
        if !run.is_active() || run.has(RunFlag::TooSlow) || !self.is_watched() {
            return None;
        }
        let started = run.started_at?;
        let slow = started.checked_add_signed(span_of(band?.high))?;
        // Pings that were held back come in a bunch: the end may be right behind the start.
        let late = run.first_seen_at - started > Duration::seconds(5);
        // Nobody heard of an end that came while we were down.
        if let Some(gap) = self.gaps.iter().rfind(|gap| gap.holds(slow)) {
            return gap.to.checked_add_signed(self.monitor.grace);
        }
        Some(if late { slow.max(run.first_seen_at + Duration::minutes(1)) } else { slow })
    }

    /// Tells of runs that go on for longer than usual.
    pub(super) fn find_slow_runs(&mut self, now: Time, ids: &mut dyn NewIds) {
        if !self.runs.iter().any(Run::is_active) {
            return;
        }
        let Some(band) = self.usual_duration() else { return };
        for at in 0..self.runs.len() {
            if self.slow_at(Some(&band), &self.runs[at]).is_some_and(|slow| slow <= now) {
                let number = self.runs[at].number;
                let summary = format!(
                    "run #{number} has been running for more than {}, usually {}",
                    span::words(span_of(band.high)),
                    span::words(span_of(band.median))
                );
                self.slow(at, &band, summary, now, ids);
            }
        }
    }

    fn slow(&mut self, at: usize, band: &Band, summary: String, now: Time, ids: &mut dyn NewIds) {
        let run = &mut self.runs[at];
        run.flag(RunFlag::TooSlow);
        let id = run.id;
        let mut facts = Vec::new();
        if let Some(duration) = run.duration() {
            facts.push(("duration".to_owned(), span::words(duration)));
        } else if let Some(started) = run.started_at {
            facts.push(("started".to_owned(), self.monitor.schedule.zone().show(started)));
        }
        facts.extend(in_words(band));
        self.touch(at);
        let is_open = self.open_index(Kind::Slow, None).is_some();
        if self.is_quiet(now) && !is_open {
            return;
        }
        self.memory.slow_streak = self.memory.slow_streak.max(0).saturating_add(1);
        self.changes.memory = true;
        if is_open || self.memory.slow_streak >= i32::from(self.monitor.thresholds.slow.max(1)) {
            self.open_or_add(Kind::Slow, None, summary, facts, &[id], now, ids);
        }
    }

    /// Judges how long a good run took: by `min_duration`, and by what is usual.
    pub(super) fn judge_duration(&mut self, at: usize, took: Duration, now: Time, ids: &mut dyn NewIds) {
        let band = self.usual_duration();
        let millis = millis_of(took);
        let recover = i32::from(self.monitor.thresholds.recover.max(1));
        let id = self.runs[at].id;
        if let Some(band) = &band {
            if millis > band.high {
                // One that was found while it went on has been counted.
                if !self.runs[at].has(RunFlag::TooSlow) {
                    let usual = span::words(span_of(band.median));
                    let summary = format!("took {}, usually {usual}", span::words(took));
                    self.slow(at, band, summary, now, ids);
                }
            } else {
                self.memory.slow_streak = self.memory.slow_streak.min(0).saturating_sub(1);
                if -self.memory.slow_streak >= recover {
                    self.resolve(Kind::Slow, None, "a run took as long as usual", Some(id), now);
                }
            }
        } else {
            self.resolve(Kind::Slow, None, "durations are no longer judged", Some(id), now);
        }
        let min = self.monitor.min_duration;
        let below_usual = band.filter(|band| millis < band.low);
        if min.is_some_and(|min| took < min) || below_usual.is_some() {
            self.runs[at].flag(RunFlag::TooFast);
            let is_open = self.open_index(Kind::Fast, None).is_some();
            if self.is_quiet(now) && !is_open {
                return;
            }
            self.memory.fast_streak = self.memory.fast_streak.max(0).saturating_add(1);
            if is_open || self.memory.fast_streak >= i32::from(self.monitor.thresholds.fast.max(1)) {
                let mut facts = vec![("duration".to_owned(), span::words(took))];
                let summary = if let Some(min) = min.filter(|min| took < *min) {
                    facts.push(("at least".to_owned(), span::words(min)));
                    format!("finished in {}, sooner than {}", span::words(took), span::words(min))
                } else {
                    let usual = span::words(span_of(band.map_or(0.0, |band| band.median)));
                    format!("finished in {}, usually {usual}", span::words(took))
                };
                facts.extend(below_usual.iter().flat_map(in_words));
                self.open_or_add(Kind::Fast, None, summary, facts, &[id], now, ids);
            }
        } else if min.is_some() || band.is_some() {
            self.memory.fast_streak = self.memory.fast_streak.min(0).saturating_sub(1);
            if -self.memory.fast_streak >= recover {
                self.resolve(Kind::Fast, None, "a run took as long as it should", Some(id), now);
            }
        } else {
            self.resolve(Kind::Fast, None, "durations are no longer judged", Some(id), now);
        }
    }

    /// Judges the metadata that is watched without a rule, of a good run.
    pub(super) fn judge_metadata(&mut self, at: usize, now: Time, ids: &mut dyn NewIds) {
        let monitor = self.monitor;
        if monitor.anomalies.meta.is_empty() || self.runs[at].status != RunStatus::Success {
            return;
        }
        let id = self.runs[at].id;
        let mut found = Vec::new();
        let mut facts = Vec::new();
        let mut judged = false;
        {
            let history = self.past.before(id);
            for key in &monitor.anomalies.meta {
                let Some(value) = self.runs[at].meta.get(key) else { continue };
                let (Some(number), Some(band)) = (number(value), usual_value(history, key)) else {
                    continue;
                };
                judged = true;
                if !band.holds(number) {
                    let usual = shown(band.median);
                    found.push(format!("{key} is {}, usually {usual}", value.words()));
                    facts.push((key.clone(), value.to_string()));
                    let range = format!("{} to {}", shown(band.low), shown(band.high));
                    facts.push((format!("usual {key}"), format!("{usual} (median of {})", band.of)));
                    facts.push((format!("usual range of {key}"), range));
                }
            }
        }
        if found.is_empty() {
            if judged {
                self.resolve(Kind::Rule, None, "a run reported usual values", Some(id), now);
            }
            return;
        }
        self.runs[at].flag(RunFlag::RuleBroken);
        self.touch(at);
        if let Some(index) = self.open_or_add(Kind::Rule, None, found.join("; "), facts, &[id], now, ids) {
            self.incidents[index].rule_name = Some(NAME.to_owned());
        }
    }
}

/// The usual values of a metadata key, by the good runs of a history, oldest first.
pub fn usual_value(history: History<'_>, key: &str) -> Option<Band> {
    let values: Vec<f64> =
        history.iter().filter(|run| run.is_good()).filter_map(|run| number(run.reported(key)?)).collect();
    Band::of(&values, 0.0)
}

fn in_words(band: &Band) -> Vec<(String, String)> {
    let words = |millis: f64| span::words(span_of(millis));
    let mut facts = vec![("usual".to_owned(), format!("{} (median of {})", words(band.median), band.of))];
    let range = if band.low > 0.0 {
        format!("{} to {}", words(band.low), words(band.high))
    } else {
        format!("up to {}", words(band.high))
    };
    facts.push(("usual range".to_owned(), range));
    facts
}

pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.to_f64(),
        Value::Text(text) => Number::parse(text.trim())?.to_f64(),
        Value::Flag(_) => return None,
    };
    number.is_finite().then_some(number)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a job fit")]
fn millis_of(duration: Duration) -> f64 {
    duration.num_milliseconds() as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a float that is too large becomes the largest number")]
fn span_of(millis: f64) -> Duration {
    Duration::try_milliseconds(millis.round() as i64).unwrap_or(Duration::MAX)
}

/// A number for people, to four digits.
pub fn shown(number: f64) -> String {
    let rounded = if number.abs() >= 1_000.0 || number == 0.0 {
        number.round()
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a float is small")]
        let digits = 3 - number.abs().log10().floor() as i32;
        (number * 10f64.powi(digits)).round() / 10f64.powi(digits)
    };
    grouped(&rounded.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        for (number, text) in [
            (0.0, "0"),
            (1_204.4, "1,204"),
            (-1_204_567.0, "-1,204,567"),
            (0.012_345, "0.01235"),
            (999.96, "1,000"),
            (12.5, "12.5"),
        ] {
            assert_eq!(shown(number), text);
        }
    }
}
