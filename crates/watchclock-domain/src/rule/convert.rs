//! Translates rules as other services write them into ours, with an explanation to confirm. Neighbour: [`super::Condition`] reads the outcome.

use super::{Condition, suggest::written};
use crate::problem::Problem;

/// Whose words they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `field op number`, says what is wrong.
    Crontify,
    /// `metric.duration < 5 min`, says what should be so.
    Cronitor,
    /// `field == value`, says what is wrong.
    Cronping,
}

impl Dialect {
    pub const ALL: [Self; 3] = [Self::Crontify, Self::Cronitor, Self::Cronping];

    pub fn word(self) -> &'static str {
        match self {
            Self::Crontify => "crontify",
            Self::Cronitor => "cronitor",
            Self::Cronping => "cronping",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.word() == word)
    }

    /// Whose words a text seems to be.
    fn guess(text: &str) -> Self {
        let signs = ["==", "&&", "||", "!=", ">=", "<=", "<", ">"];
        if text.starts_with("metric.") || text.starts_with("response.") {
            Self::Cronitor
        } else if signs.iter().any(|sign| text.contains(sign)) {
            Self::Cronping
        } else {
            Self::Crontify
        }
    }
}

/// A translated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    pub from: Dialect,
    pub when: String,
    /// What was done, in a sentence or two.
    pub why: String,
}

/// Translates; the places of problems are those of the text as given.
pub fn convert(text: &str, from: Option<Dialect>) -> Result<Converted, Vec<Problem>> {
    let indent = text.chars().take_while(|c| c.is_whitespace()).count();
    let body = text.trim();
    if body.is_empty() {
        return Err(vec![Problem::at(0, 1, "there is no rule: metric.duration < 5 min")]);
    }
    if body.chars().count() > super::condition::MAX_CHARS {
        return Err(vec![Problem::at(0, 1, "this is longer than a rule may be")]);
    }
    let from = from.unwrap_or_else(|| Dialect::guess(body));
    let moved = |problems: Vec<Problem>| -> Vec<Problem> {
        let there = |problem: Problem| Problem { at: problem.at.map(|at| at + indent), ..problem };
        problems.into_iter().map(there).collect()
    };
    let (when, why) = match from {
        Dialect::Crontify => Ok(crontify(body)),
        Dialect::Cronitor => cronitor(body),
        Dialect::Cronping => cronping(body),
    }
    .map_err(moved)?;
    match Condition::parse(&when) {
        Ok(_) => Ok(Converted { from, when, why }),
        // What stayed as it was has its places.
        Err(problems) if when == body => Err(moved(problems)),
        Err(problems) => {
            let whole = |problem: Problem| {
                Problem::at(
                    indent,
                    body.chars().count(),
                    format!("this became `{when}`: {}", problem.message),
                )
            };
            Err(problems.into_iter().map(whole).take(1).collect())
        }
    }
}

type Translated = Result<(String, String), Vec<Problem>>;

fn crontify(text: &str) -> (String, String) {
    let why = "It says what is wrong, as rules do here, and stays as it is. A run that does not report the field is \
               told, too, once earlier runs had it; choose \"ignore\" where that is wrong.";
    (text.to_owned(), why.to_owned())
}

/// `metric.NAME OPERATOR VALUE`, turned round.
fn cronitor(text: &str) -> Translated {
    const OPERATORS: [(&str, &str); 8] = [
        ("<=", "gt"),
        (">=", "lt"),
        ("!=", "eq"),
        ("==", "ne"),
        ("<", "ge"),
        (">", "le"),
        ("=", "ne"),
        ("contains", "not contains"),
    ];
    let name_end = text.find(|c: char| c.is_whitespace() || "<>=!".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let Some(metric) = name.strip_prefix("metric.").filter(|metric| !metric.is_empty()) else {
        let message = "an assertion about a job begins with `metric.`: metric.duration < 5 min";
        return Err(vec![Problem::at(0, name.chars().count().max(1), message)]);
    };
    let operator_at = text.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let Some((sign, turned)) = OPERATORS.into_iter().find(|(sign, _)| rest.starts_with(sign)) else {
        let at = text[..operator_at].chars().count();
        let message = "expected an operator: <, <=, >, >=, =, != or contains";
        return Err(vec![Problem::at(at, 1, message)]);
    };
    let written_value = rest[sign.len()..].trim();
    let value_at = text[..text.len() - written_value.len()].chars().count();
    if written_value.is_empty() {
        return Err(vec![Problem::at(value_at, 1, format!("expected a value after `{sign}`"))]);
    }
    let name = if metric == "duration" { metric.to_owned() } else { written(metric) };
    let value = value(written_value)
        .map_err(|message| vec![Problem::at(value_at, written_value.chars().count(), message)])?;
    let why = format!(
        "An assertion says what should be so, a rule here what is wrong, so it is turned round: `{sign}` became \
         `{turned}`. A run that does not report {metric} is told, too, once earlier runs did."
    );
    Ok((format!("{name} {turned} {value}"), why))
}

/// `5 min` as `5m`, text in quotes.
fn value(text: &str) -> Result<String, String> {
    const UNITS: [(&str, &[&str]); 7] = [
        ("ms", &["ms", "millisecond", "milliseconds"]),
        ("s", &["s", "sec", "secs", "second", "seconds"]),
        ("m", &["m", "min", "mins", "minute", "minutes"]),
        ("h", &["h", "hr", "hrs", "hour", "hours"]),
        ("d", &["d", "day", "days"]),
        ("w", &["w", "week", "weeks"]),
        ("%", &["%", "percent"]),
    ];
    if text.starts_with(['"', '\'']) {
        return Ok(text.to_owned());
    }
    let digits = text.find(|c: char| !(c.is_ascii_digit() || ".-".contains(c))).unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim());
    if number.is_empty() {
        let plain = text.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
        return if plain { Ok(format!("\"{text}\"")) } else { Err("expected a number or a text".to_owned()) };
    }
    if unit.is_empty() {
        return Ok(number.to_owned());
    }
    let known = UNITS.iter().find(|(_, words)| words.contains(&unit.to_lowercase().as_str()));
    match known {
        Some((short, _)) => Ok(format!("{number}{short}")),
        None => Err(format!("unknown unit `{unit}`: expected ms, s, min, hours, days, weeks or %")),
    }
}

/// Signs become words; what stands in quotes stays.
fn cronping(text: &str) -> Translated {
    const SIGNS: [(&str, &str); 11] = [
        ("===", "eq"),
        ("!==", "ne"),
        ("==", "eq"),
        ("!=", "ne"),
        ("<=", "le"),
        (">=", "ge"),
        ("&&", "and"),
        ("||", "or"),
        ("<", "lt"),
        (">", "gt"),
        ("!", "not"),
    ];
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if matches!(first, '"' | '\'') {
            let end = rest[1..].find(first).map(|end| end + 2);
            end.ok_or_else(|| {
                let at = text[..text.len() - rest.len()].chars().count();
                vec![Problem::at(at, 1, format!("this text has no closing {first}"))]
            })?
        } else if let Some((sign, word)) = SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
            words.push(word.to_owned());
            rest = rest[sign.len()..].trim_start();
            continue;
        } else if "(),".contains(first) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || "(),<>=!&|\"'".contains(c))
                .unwrap_or(rest.len())
                .max(first.len_utf8())
        };
        words.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    // There is no null: a field is missing or present.
    let mut at = 1;
    while at + 1 < words.len() {
        let is_null = words[at + 1].eq_ignore_ascii_case("null");
        if is_null && matches!(words[at].as_str(), "eq" | "ne") {
            let word = if words[at] == "eq" { "missing" } else { "present" };
            words.splice(at..at + 2, [word.to_owned()]);
        }
        at += 1;
    }
    let joined = words.join(" ").replace("( ", "(").replace(" )", ")").replace(" ,", ",");
    let why = "It says what is wrong, as rules do here; its signs are written as words. A run that does not report \
        a field is told, too, once earlier runs had it; choose \"ignore\" where that is wrong.";
    Ok((joined, why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_others_become_ours() {
        for (text, from, when) in [
            ("records_processed eq 0", Dialect::Crontify, "records_processed eq 0"),
            ("404 gt 5", Dialect::Crontify, "404 gt 5"),
            ("metric.duration < 5 min", Dialect::Cronitor, "duration ge 5m"),
            ("metric.duration <= 1.5 hours", Dialect::Cronitor, "duration gt 1.5h"),
            ("  metric.duration>30s ", Dialect::Cronitor, "duration le 30s"),
            ("metric.count > 0", Dialect::Cronitor, "count le 0"),
            ("metric.error_count = 0", Dialect::Cronitor, "error_count ne 0"),
            ("metric.error_rate < 5%", Dialect::Cronitor, "error_rate ge 5%"),
            ("metric.status != partial", Dialect::Cronitor, "meta.status eq \"partial\""),
            ("metric.rows-written >= 10", Dialect::Cronitor, "meta.\"rows-written\" lt 10"),
            ("metric.message contains done", Dialect::Cronitor, "meta.message not contains \"done\""),
            ("records == 0", Dialect::Cronping, "records eq 0"),
            ("records==0&&errors>=3", Dialect::Cronping, "records eq 0 and errors ge 3"),
            ("state == 'a == b' || (rows != null)", Dialect::Cronping, "state eq 'a == b' or (rows present)"),
            ("!(rows === null)", Dialect::Cronping, "not (rows missing)"),
        ] {
            let converted = convert(text, None).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
            assert_eq!((converted.from, converted.when.as_str()), (from, when), "{text}");
            assert!(!converted.why.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_translated_has_a_place() {
        for (text, from, at, message) in [
            (" ", None, 0, "no rule"),
            ("response.time < 2s", None, 0, "begins with `metric.`"),
            (" metric.duration is 5", None, 17, "expected an operator"),
            ("metric.duration < 5 lightyears", None, 18, "unknown unit"),
            ("metric.duration <", None, 17, "expected a value"),
            ("a == \"x", None, 5, "no closing"),
            ("rows gtt 5", Some(Dialect::Crontify), 5, "did you mean `gt`"),
            (" rows == ", None, 1, "expected a value"),
        ] {
            let problems = convert(text, from).unwrap_err();
            assert_eq!(problems[0].at, Some(at), "{text}: {problems:?}");
            assert!(problems[0].message.contains(message), "{text}: {problems:?}");
        }
    }
}
