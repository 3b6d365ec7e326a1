//! Reads the parameters of a query; unknown, repeated and malformed ones are told by name, all at once.

use axum::{extract::FromRequestParts, http::request::Parts};
use uuid::Uuid;
use watchclock_domain::{Time, problem::Problem};

use super::{
    fields::{Problems, hint, time_of, word_of},
    refusal::Refusal,
};

/// Entries of a page unless `limit` says otherwise.
const USUAL_LIMIT: i64 = 50;
/// Most entries of a page.
const MAX_LIMIT: i64 = 500;

/// A page of a list, after the id from which the next one goes on.
type Page<T> = (Option<Uuid>, Vec<T>);

/// The text of a query, not looked at yet.
#[derive(Debug)]
pub(super) struct Query(String);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(parts.uri.query().unwrap_or_default().to_owned()))
    }
}

impl Query {
    /// Its parameters, of which only the `known` may be there.
    pub(super) fn params(&self, known: &[&str]) -> Params {
        Params::parse(&self.0, known)
    }

    /// For lists without filters.
    pub(super) fn paging(&self) -> Params {
        self.params(&["limit", "cursor"])
    }

    /// For paths that take no parameters.
    pub(super) fn none(&self) -> Result<(), Refusal> {
        self.params(&[]).done()
    }
}

/// The parameters of a query, each at most once. An empty one is as good as none.
#[derive(Debug)]
pub(super) struct Params {
    given: Vec<(String, String)>,
    problems: Problems,
}

impl Params {
    fn parse(query: &str, known: &[&str]) -> Self {
        let mut params = Self { given: Vec::new(), problems: Problems::new() };
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let shown: String = name.chars().take(100).collect();
            if !known.contains(&name.as_ref()) {
                let hint = hint(&name, known);
                params.wrong(&shown, format!("unknown parameter `{shown}`; {hint}"));
            } else if params.given.iter().any(|(given, _)| *given == name) {
                params.wrong(&shown, "is given more than once");
            } else if value.contains('\0') {
                params.wrong(&shown, "must not hold NUL characters");
            } else if !value.is_empty() {
                params.given.push((name.into_owned(), value.into_owned()));
            }
        }
        params
    }

    pub(super) fn wrong(&mut self, name: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(name, message));
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let at = self.given.iter().position(|(given, _)| given == name)?;
        Some(self.given.swap_remove(at).1)
    }

    fn read<T>(&mut self, name: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let text = self.text(name)?;
        read(&text).map_err(|message| self.wrong(name, message)).ok()
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.read(name, |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("must be true or false".to_owned()),
        })
    }

    pub(super) fn word<T: Copy>(&mut self, name: &str, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
        self.read(name, |text| word_of(text, all, word))
    }

    pub(super) fn time(&mut self, name: &str) -> Option<Time> {
        // A `+` of an offset that was not escaped arrives as a blank.
        self.read(name, |text| time_of(&text.trim().replace(' ', "+")))
    }

    pub(super) fn limit(&mut self) -> i64 {
        let read = self.read("limit", |text| match text.parse() {
            Ok(limit) if (1..=MAX_LIMIT).contains(&limit) => Ok(limit),
            _ => Err(format!("must be a whole number from 1 to {MAX_LIMIT}")),
        });
        read.unwrap_or(USUAL_LIMIT)
    }

    /// Where a list goes on, from the `next` of the page before.
    pub(super) fn cursor<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let wrong = "is not from here: take `next` of the page before as it is";
        self.read("cursor", |text| read(text).ok_or_else(|| wrong.to_owned()))
    }

    pub(super) fn id_cursor(&mut self) -> Option<Uuid> {
        self.cursor(|text| Uuid::try_parse(text).ok())
    }

    /// Cuts the page that was asked for out of a list that is known as a whole, newest first by id.
    pub(super) fn page<T>(mut self, mut all: Vec<T>, id: impl Fn(&T) -> Uuid) -> Result<Page<T>, Refusal> {
        let (limit, before) = (self.limit(), self.id_cursor());
        self.done()?;
        all.sort_by_key(|item| std::cmp::Reverse(id(item)));
        all.retain(|item| before.is_none_or(|before| id(item) < before));
        let limit = usize::try_from(limit).unwrap_or(1);
        let more = all.len() > limit;
        all.truncate(limit);
        Ok((all.last().map(&id).filter(|_| more), all))
    }

    /// Refuses the request if anything was wrong.
    pub(super) fn done(self) -> Result<(), Refusal> {
        if self.problems.is_empty() { Ok(()) } else { Err(Refusal::wrong(self.problems)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_told_by_name() {
        let query = "limit=0&sttus=failed&from=yesterday&open=maybe&q=a&q=b&x=1&cursor=7";
        let mut params = Params::parse(query, &["limit", "status", "from", "open", "q", "cursor"]);
        params.limit();
        params.time("from");
        params.flag("open");
        params.id_cursor();
        let told: Vec<String> = params.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "sttus: unknown parameter `sttus`; did you mean `status`?",
                "q: is given more than once",
                "x: unknown parameter `x`; known are `limit`, `status`, `from`, `open`, `q`, `cursor`",
                "limit: must be a whole number from 1 to 500",
                "from: must be a time of RFC 3339: 2026-01-31T04:00:00Z",
                "open: must be true or false",
                "cursor: is not from here: take `next` of the page before as it is",
            ]
        );
    }

    #[test]
    fn pages_follow_each_other_without_a_gap() {
        let ids: Vec<Uuid> = (1..=5).map(Uuid::from_u128).collect();
        let mut cursor = String::new();
        let mut seen = Vec::new();
        for expected in [2, 2, 1] {
            let params = Query(format!("limit=2{cursor}")).paging();
            let (next, items) = params.page(ids.clone(), |id| *id).unwrap();
            assert_eq!(items.len(), expected);
            seen.extend(items);
            cursor = next.map_or_else(String::new, |next| format!("&cursor={next}"));
        }
        assert_eq!((cursor.as_str(), seen), ("", ids.into_iter().rev().collect()));
        assert!(Query("limit=501".to_owned()).paging().page(Vec::<Uuid>::new(), |id| *id).is_err());
    }

    #[test]
    fn offsets_may_come_unescaped() {
        let mut params =
            Params::parse("from=2026-01-31T04:00:00+02:00&to=2026-01-31T04:00:00%2B02:00", &["from", "to"]);
        let (from, to) = (params.time("from"), params.time("to"));
        assert!(from.is_some());
        assert_eq!(from, to);
        assert!(params.done().is_ok());
    }
}
