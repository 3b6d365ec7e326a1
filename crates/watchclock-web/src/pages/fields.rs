//! What a form or a query carries: names and values in order, never refused for their spelling.

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};

use super::errors::PageError;
use crate::state::Web;

/// Names and values; a name may come several times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads `a=1&b=2`. NUL characters, which no text of ours may hold, are dropped.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let clean = |text: std::borrow::Cow<'_, str>| text.replace('\0', "");
        Self(url::form_urlencoded::parse(text).map(|(name, value)| (clean(name), clean(value))).collect())
    }

    /// Fields as a form would send them.
    pub(crate) fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Adds a field.
    pub(crate) fn put(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    /// Sets a field to one value.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.0.retain(|(key, _)| key != name);
        self.put(name.to_owned(), value);
    }

    /// The places of rows `list[0].part`, `list[1].part` … that came.
    pub(crate) fn rows(&self, list: &str) -> Vec<usize> {
        const MOST: usize = 100;
        let rows = self.names().filter_map(|name| Some(row(name, list)?.0)).filter(|row| *row < MOST);
        let mut rows: Vec<usize> = rows.collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Takes a row out of a list; those below move up.
    pub(crate) fn drop_row(&mut self, list: &str, at: usize) {
        self.0.retain_mut(|(name, _)| match row(name, list) {
            Some((row, _)) if row == at => false,
            Some((row, part)) if row > at => {
                *name = format!("{list}[{}].{part}", row - 1);
                true
            }
            _ => true,
        });
    }

    /// The first value of a name, as it came.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a name without blanks around it; empty when it did not come.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.raw(name).unwrap_or_default().trim()
    }

    /// The same, none when it is empty.
    pub(crate) fn some(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|value| !value.is_empty())
    }

    /// The version that a form was filled from; none where it came without. One that cannot be read is no version that is.
    pub(crate) fn version(&self) -> Option<i64> {
        Some(self.raw("version")?.trim().parse().unwrap_or(i64::MIN))
    }

    /// Every value of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.trim())
    }

    /// Whether a box was ticked or a button with `yes` pressed.
    pub(crate) fn is_ticked(&self, name: &str) -> bool {
        self.raw(name) == Some("yes")
    }

    /// Lines of a text area that hold something.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let lines = self.raw(name).unwrap_or_default().lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Every name that came.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// `rules[2].when` is 2 and `when`, in the list `rules`.
pub(super) fn row<'n>(name: &'n str, list: &str) -> Option<(usize, &'n str)> {
    let (row, part) = name.strip_prefix(list)?.strip_prefix('[')?.split_once("].")?;
    Some((row.parse().ok()?, part))
}

/// The fields of a posted form.
#[derive(Debug)]
pub(crate) struct Form(pub(crate) Fields);

impl FromRequest<Web> for Form {
    type Rejection = PageError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, PageError> {
        let body = Bytes::from_request(request, web).await.map_err(|_| PageError::TooLarge)?;
        Ok(Self(Fields::parse(&body)))
    }
}

/// The fields of the address.
#[derive(Debug)]
pub(crate) struct Query(pub(crate) Fields);

impl FromRequestParts<Web> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, Self::Rejection> {
        Ok(Self(Fields::parse(parts.uri.query().unwrap_or_default().as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_whatever_they_hold() {
        let fields =
            Fields::parse(b"a=1&a=+2+&b=%00x%FF&rules%5B0%5D.when=x+eq+1&lines=one%0D%0A%0D%0Atwo&t=yes");
        assert_eq!(fields.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(fields.get("b"), "x\u{fffd}");
        assert_eq!(fields.get("rules[0].when"), "x eq 1");
        assert_eq!(fields.lines("lines"), ["one", "two"]);
        assert_eq!(row("rules[2].when", "rules"), Some((2, "when")));
        let mut rows = Fields::parse(b"r[0].a=x&r[1].a=y&r[3].a=z&s[1].a=k");
        rows.drop_row("r", 1);
        assert_eq!((rows.rows("r"), rows.get("r[2].a"), rows.get("s[1].a")), (vec![0, 2], "z", "k"));
        let version = |form: &str| Fields::parse(form.as_bytes()).version();
        let versions = ["a=1", "version=7", "version=+7+"].map(version);
        assert_eq!(versions, [None, Some(7), Some(7)]);
        let unreadable =
            ["version=", "version=x", "version=7.0", "version=99999999999999999999"].map(version);
        assert_eq!(unreadable, [Some(i64::MIN); 4], "never written over whatever there is");
        assert!(fields.is_ticked("t") && !fields.is_ticked("a") && fields.some("none").is_none());
    }
}
