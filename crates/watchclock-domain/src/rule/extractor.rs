//! Turns plain output into metadata: `records_processed = /Processed (\d+) records/`. Neighbour: [`super::pattern`] compiles, [`super::Condition`] reads the result.

use std::ops::Range;

use super::{
    pattern::Pattern,
    quoted,
    search::{Seen, Work},
    token::TokenKind,
};
use crate::{
    problem::Problem,
    value::{MAX_KEY_CHARS, MAX_KEYS, MAX_TEXT_CHARS, Meta, Value},
};

/// Longest text of an extractor, in characters.
pub const MAX_EXTRACTOR_CHARS: usize = 500;

/// What an extractor read, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'o> {
    pub value: Value,
    /// The line that matched.
    pub line: &'o str,
    /// The bytes of the line that were read.
    pub place: Range<usize>,
}

/// A name, and the expression that finds its value in the output. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Extractor {
    name: String,
    text: String,
    pattern: Pattern,
}

impl Extractor {
    /// Parses `/Processed (\d+) records/`, with flags `i` and `s` as in a rule.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problem> {
        let name = name.trim();
        if let Some(problem) = Self::name_problem(name) {
            return Err(problem);
        }
        let length = text.chars().count();
        if length > MAX_EXTRACTOR_CHARS {
            let message =
                format!("an extractor has at most {MAX_EXTRACTOR_CHARS} characters, this one has {length}");
            return Err(Problem::at(MAX_EXTRACTOR_CHARS, length - MAX_EXTRACTOR_CHARS, message));
        }
        let indent = text.len() - text.trim_start().len();
        let body = text[indent..].trim_end();
        let at = |byte: usize| text[..indent + byte].chars().count();
        if !body.starts_with('/') {
            let message = "expected a regular expression between slashes: /Processed (\\d+) records/";
            return Err(Problem::at(at(0), body.chars().count(), message));
        }
        let read = quoted::pattern(body);
        if let Some((start, end, message)) = read.problems.into_iter().next() {
            return Err(Problem::at(at(start), body[start..end].chars().count(), message));
        }
        let TokenKind::Pattern { source, ignore_case, dot_all } = read.kind else {
            return Err(Problem::at(at(0), 1, "this regular expression cannot be read"));
        };
        if read.len < body.len() {
            let rest = body[read.len..].chars().count();
            return Err(Problem::at(at(read.len), rest, "nothing may follow the regular expression"));
        }
        let pattern = Pattern::with_groups(&source, ignore_case, dot_all).map_err(|bad| match bad.at {
            Some(character) => Problem::at(at(1) + character, 1, bad.message),
            None => Problem::at(at(0), body.chars().count(), bad.message),
        })?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), pattern })
    }

    /// What is wrong with a name, if anything is.
    pub fn name_problem(name: &str) -> Option<Problem> {
        let name = name.trim();
        let message = if name.is_empty() {
            "the extractor needs a name: records_processed".to_owned()
        } else if name.chars().count() > MAX_KEY_CHARS || name.chars().any(char::is_control) {
            format!("the name of an extractor is one line of at most {MAX_KEY_CHARS} characters")
        } else {
            return None;
        };
        Some(Problem::new("", message))
    }

    /// The metadata key that it fills.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value in the **last** line that matches: totals stand at the end, and the end of the output is what is
    /// kept. Within the line the first match counts, and of it the first group that took part, else all of it.
    /// A carriage return ends a line, too, so that of a progress bar the last state counts.
    pub fn extract(&self, output: &str) -> Option<Value> {
        self.find(output).map(|found| found.value)
    }

    /// The same, with the line it stands in.
    pub fn find<'o>(&self, output: &'o str) -> Option<Found<'o>> {
        self.find_within(output, &mut Work::default())
    }

    fn find_within<'o>(&self, output: &'o str, work: &mut Work) -> Option<Found<'o>> {
        let mut seen = Seen::of(&self.pattern);
        let mut lines = output.rsplit(['\n', '\r']).filter(|line| !line.is_empty());
        let (line, place) = lines
            .find_map(|line| match work.group(&self.pattern, &mut seen, line) {
                Ok(Some(place)) => Some(Ok((line, place))),
                Ok(None) => None,
                Err(too_much) => Some(Err(too_much)),
            })?
            .ok()?;
        let found = line.get(place.clone())?.trim();
        if found.is_empty() {
            return None;
        }
        let plain = without_separators(found).unwrap_or_else(|| found.to_owned());
        let value = Value::of_word(&plain.chars().take(MAX_TEXT_CHARS).collect::<String>());
        Some(Found { value, line, place })
    }
}

/// Adds what extractors find in an output to metadata; what is there already stays, and no text makes it slow.
pub fn extract_all(extractors: &[Extractor], output: &str, meta: &mut Meta) {
    let mut work = Work::default();
    for extractor in extractors {
        if meta.len() < MAX_KEYS
            && !meta.contains_key(&extractor.name)
            && let Some(found) = extractor.find_within(output, &mut work)
        {
            meta.insert(extractor.name.clone(), found.value);
        }
    }
}

/// `1,204,567.5` without its commas, where they group digits by three.
fn without_separators(found: &str) -> Option<String> {
    let unsigned = found.strip_prefix(['-', '+']).unwrap_or(found);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let mut groups = whole.split(',');
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().is_some_and(|first| digits(first) && first.len() <= 3);
    let grouped = whole.contains(',') && first && groups.all(|group| digits(group) && group.len() == 3);
    (grouped && digits(fraction)).then(|| found.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(pattern: &str, output: &str) -> Option<String> {
        Extractor::parse("rows", pattern).unwrap().extract(output).map(|value| format!("{value:?}"))
    }

    #[test]
    fn the_last_line_that_matches_counts() {
        let value = |text: &str| Some(format!("{:?}", Value::of_word(text)));
        let output = "Processed 10 records\nProcessed 20 records\nbye\n";
        assert_eq!(extract(r"/Processed (\d+) records/", output), value("20"));
        assert_eq!(extract(r"/^Processed \d+/", output), value("Processed 20"));
        assert_eq!(extract(r"/(\d+) rows|rows: (\d+)/", "rows: 7"), value("7"));
        assert_eq!(extract(r"/(\d+)%/", "10%\r20%\r99%"), value("99"));
        assert_eq!(extract(r"/size is ([\d,.]+)/", "total size is 1,204,567.5"), value("1204567.5"));
        assert_eq!(extract(r"/v([\d,]+)/", "v1,2"), value("1,2"));
        assert_eq!(extract(r"/processed (\d+)/i", "PROCESSED 5"), value("5"));
        assert_eq!(extract(r"/nothing (\d+)/", output), None);
        assert_eq!(extract(r"/verified: (\w+)/", "verified: true"), Some("Flag(true)".to_owned()));
    }

    #[test]
    fn a_value_is_found_with_its_line_and_place() {
        let extractor = Extractor::parse("rows", r"/Processed ([\d,]+)/").unwrap();
        let found = extractor.find("begin\n12:00 Processed 1,204 records\nbye").unwrap();
        assert_eq!((found.value, found.line), (Value::of_word("1204"), "12:00 Processed 1,204 records"));
        assert_eq!(&found.line[found.place], "1,204");
        assert_eq!(Extractor::name_problem("rows"), None);
        assert!(Extractor::name_problem("a\nb").is_some());
    }

    #[test]
    fn problems_have_a_place() {
        for (pattern, at, message) in [
            ("Processed", Some(0), "between slashes"),
            ("/a(b/", Some(2), "unclosed group"),
            ("/ab", Some(0), "no closing"),
            ("/ab/x", Some(4), "not a flag"),
            ("/ab/ c", Some(4), "nothing may follow"),
        ] {
            let problem = Extractor::parse("rows", pattern).unwrap_err();
            assert_eq!(problem.at, at, "{pattern}: {problem}");
            assert!(problem.message.contains(message), "{pattern}: {problem}");
        }
        assert!(Extractor::parse(" ", "/a/").is_err());
    }
}
