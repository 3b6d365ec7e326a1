//! Reads the fields of a JSON object by hand, so that everything that is wrong is told at once and by name.

use std::ops::RangeInclusive;

use chrono::{DateTime, Datelike as _, Duration};
use serde_json::{Map, Value as Json};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    problem::{Problem, did_you_mean},
    span,
    value::Number,
};

/// What is wrong so far, in the order of finding.
pub(super) type Problems = Vec<Problem>;

/// The fields of one object. Reading a field takes it; what is wrong is recorded and reads as not given.
#[derive(Debug)]
pub(super) struct Fields<'p> {
    path: String,
    map: Map<String, Json>,
    pub(super) problems: &'p mut Problems,
}

impl<'p> Fields<'p> {
    /// The object at `path` (empty: the body itself), which may have the `known` fields and no others.
    pub(super) fn of(json: Json, path: &str, known: &[&str], problems: &'p mut Problems) -> Option<Self> {
        Self::with_read_only(json, path, (known, &[]), problems)
    }

    /// The same, where some fields are answered but never set.
    pub(super) fn with_read_only(
        json: Json,
        path: &str,
        (known, read_only): (&[&str], &[&str]),
        problems: &'p mut Problems,
    ) -> Option<Self> {
        let Json::Object(map) = json else {
            let found = kind_of(&json);
            let message = if path.is_empty() {
                format!("the body must be a JSON object, not {found}")
            } else {
                format!("must be an object, not {found}")
            };
            problems.push(Problem::new(path, message));
            return None;
        };
        let fields = Self { path: path.to_owned(), map, problems };
        // Sorted, so that the answer does not depend on how the JSON map keeps its keys.
        let mut others: Vec<&String> =
            fields.map.keys().filter(|name| !known.contains(&name.as_str())).collect();
        others.sort_unstable();
        for name in others {
            let shown: String = name.chars().take(100).collect();
            let message = if read_only.contains(&name.as_str()) {
                format!("`{shown}` cannot be set; leave it out")
            } else {
                format!("unknown field `{shown}`; {}", hint(name, known))
            };
            let field = fields.field(&shown);
            fields.problems.push(Problem::new(field, message));
        }
        Some(fields)
    }

    /// The full name of a field: `rules[0].when`.
    pub(super) fn field(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(super) fn wrong(&mut self, name: &str, message: impl Into<String>) {
        let field = self.field(name);
        self.problems.push(Problem::new(field, message));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    pub(super) fn is_text(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Json::is_string)
    }

    /// Takes a field as it came, null included.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        self.map.remove(name)
    }

    /// Where null is as good as nothing.
    pub(super) fn drop_nulls(&mut self) {
        self.map.retain(|_, json| !json.is_null());
    }

    /// Where null means what a new one has; a field for which that is nothing keeps its null.
    pub(super) fn fill_nulls(&mut self, usual: impl Fn(&str) -> Option<Json>) {
        for (name, json) in self.map.iter_mut().filter(|(_, json)| json.is_null()) {
            if let Some(usual) = usual(name) {
                *json = usual;
            }
        }
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let json = self.take(name)?;
        let field = self.field(name);
        text_of(json, field, self.problems)
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        match self.take(name)? {
            Json::Bool(flag) => Some(flag),
            other => {
                self.wrong(name, format!("must be true or false, not {}", kind_of(&other)));
                None
            }
        }
    }

    /// A whole number; `3.0` is one.
    pub(super) fn whole(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let json = self.take(name)?;
        let whole = match &json {
            Json::Number(number) => {
                Number::parse(&number.to_string()).and_then(|n| n.to_string().parse::<i64>().ok())
            }
            _ => None,
        };
        if let Some(whole) = whole.filter(|whole| range.contains(whole)) {
            return Some(whole);
        }
        let found = if json.is_number() { json.to_string() } else { kind_of(&json).to_owned() };
        let (from, to) = range.into_inner();
        self.wrong(name, format!("must be a whole number from {from} to {to}, not {found}"));
        None
    }

    /// A length of time: a number of seconds, or text as `90s`, `5m`, `PT5M`.
    pub(super) fn span(&mut self, name: &str) -> Option<Duration> {
        let json = self.take(name)?;
        let field = self.field(name);
        span_of(&json, field, self.problems)
    }

    /// Takes a field if it is null; tells whether it was.
    pub(super) fn drop_null(&mut self, name: &str) -> bool {
        let is_null = self.map.get(name).is_some_and(Json::is_null);
        if is_null {
            self.take(name);
        }
        is_null
    }

    /// A length of time, or null for none.
    #[expect(clippy::option_option, reason = "not given, unset, set")]
    pub(super) fn limit(&mut self, name: &str) -> Option<Option<Duration>> {
        if self.drop_null(name) {
            return Some(None);
        }
        self.span(name).map(Some)
    }

    /// A point in time.
    pub(super) fn time(&mut self, name: &str) -> Option<Time> {
        let text = self.text(name)?;
        match time_of(&text) {
            Ok(time) => Some(time),
            Err(message) => {
                self.wrong(name, message);
                None
            }
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, name: &str, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
        let text = self.text(name)?;
        match word_of(&text, all, word) {
            Ok(value) => Some(value),
            Err(message) => {
                self.wrong(name, message);
                None
            }
        }
    }

    pub(super) fn id(&mut self, name: &str) -> Option<Uuid> {
        let text = self.text(name)?;
        let id = Uuid::try_parse(&text).ok();
        if id.is_none() {
            self.wrong(name, "must be an id: 0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40");
        }
        id
    }

    /// A list, each entry with its place: `tags[0]`.
    pub(super) fn list(&mut self, name: &str) -> Option<Vec<(String, Json)>> {
        match self.take(name)? {
            Json::Array(items) => {
                let field = self.field(name);
                let at = |(at, item)| (format!("{field}[{at}]"), item);
                Some(items.into_iter().enumerate().map(at).collect())
            }
            other => {
                self.wrong(name, format!("must be a list, not {}", kind_of(&other)));
                None
            }
        }
    }

    /// A list of texts; a single text stands for a list of one.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        if self.is_text(name) {
            return self.text(name).map(|text| vec![text]);
        }
        let items = self.list(name)?;
        let count = items.len();
        let texts: Vec<String> =
            items.into_iter().filter_map(|(field, item)| text_of(item, field, self.problems)).collect();
        (texts.len() == count).then_some(texts)
    }
}

/// Text; NUL can be stored nowhere.
pub(super) fn text_of(json: Json, field: String, problems: &mut Problems) -> Option<String> {
    let message = match json {
        Json::String(text) if !text.contains('\0') => return Some(text),
        Json::String(_) => "must not hold NUL characters".to_owned(),
        other => format!("must be text, not {}", kind_of(&other)),
    };
    problems.push(Problem::new(field, message));
    None
}

fn span_of(json: &Json, field: String, problems: &mut Problems) -> Option<Duration> {
    let read = match json {
        Json::Number(number) => {
            let text = number.to_string();
            // Plain digits, also of `6e2`.
            let text = Number::parse(&text).map_or(text, |number| number.to_string());
            span::parse(&text).map_err(|problem| Problem { at: None, len: 0, ..problem })
        }
        Json::String(text) => span::parse(text),
        other => Err(Problem::new(
            "",
            format!("must be a length of time: seconds, or text such as \"5m\"; not {}", kind_of(other)),
        )),
    };
    read.map_err(|problem| problems.push(problem.in_field(field))).ok()
}

/// A point in time, or what is wrong with it.
pub(super) fn time_of(text: &str) -> Result<Time, String> {
    let time = DateTime::parse_from_rfc3339(text.trim())
        .map_err(|_| "must be a time of RFC 3339: 2026-01-31T04:00:00Z".to_owned())?
        .to_utc();
    // An offset can lead out of the years that can be written.
    if (1..10_000).contains(&time.year()) {
        Ok(time)
    } else {
        Err("must lie in the years 1 to 9999, also in UTC".to_owned())
    }
}

/// One of a few words, or what is wrong with it.
pub(super) fn word_of<T: Copy>(text: &str, all: &[T], word: fn(T) -> &'static str) -> Result<T, String> {
    if let Some(value) = all.iter().copied().find(|value| word(*value) == text) {
        return Ok(value);
    }
    let words: Vec<&str> = all.iter().map(|value| word(*value)).collect();
    let shown: String = text.chars().take(50).collect();
    Err(match did_you_mean(text, words.iter().copied()) {
        Some(near) => format!("`{shown}` is none of {}; did you mean `{near}`?", list(&words)),
        None => format!("`{shown}` is none of {}", list(&words)),
    })
}

/// What an unknown name may have meant.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    // Any letter is near to any other.
    let near = did_you_mean(name, known.iter().copied()).filter(|_| name.chars().count() > 2);
    match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there is none here".to_owned(),
        None => format!("known are {}", list(known)),
    }
}

pub(super) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

pub(super) fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// Adds what the domain says, except about fields that are known to be wrong already.
pub(super) fn add(problems: &mut Problems, more: Vec<Problem>) {
    let known = problems.len();
    for problem in more {
        let told = problems[..known].iter().any(|told| within(&told.field, &problem.field));
        if !told {
            problems.push(problem);
        }
    }
}

/// Whether `inner` is `outer` or a part of it, or the other way round.
fn within(outer: &str, inner: &str) -> bool {
    let part = |whole: &str, part: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    // A problem with the body as a whole covers everything.
    outer.is_empty() || part(outer, inner) || part(inner, outer)
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
