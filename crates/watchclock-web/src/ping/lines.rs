//! Metadata inside plain output, `watchclock: key=value key="two words"`; other text is kept by [`super::kept`].

use watchclock_domain::value::Value;

use super::{clean, form, meta::Metadata, notes::Notes};

const MARK: &str = "watchclock:";
/// Longest line that is read for metadata, in bytes; 200 keys with short values fit.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// Reads every marked line of a text.
pub(super) fn read(text: &[u8], meta: &mut Metadata, notes: &mut Notes) {
    for line in text.split(|b| *b == b'\n') {
        read_line(line, meta, notes);
    }
}

/// Reads marked lines of a text that comes in pieces and is too long to be kept whole.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    pub(super) meta: Metadata,
    pub(super) notes: Notes,
    /// The last line so far, unless it is too long to matter.
    line: Vec<u8>,
    too_long: bool,
}

impl Scanner {
    pub(super) fn feed(&mut self, piece: &[u8]) {
        let mut lines = piece.split(|b| *b == b'\n').peekable();
        while let Some(part) = lines.next() {
            let ended = lines.peek().is_some();
            if ended && self.line.is_empty() && !self.too_long {
                read_line(part, &mut self.meta, &mut self.notes);
                continue;
            }
            self.too_long |= self.line.len() + part.len() > MAX_LINE_BYTES;
            if !self.too_long {
                self.line.extend_from_slice(part);
            }
            if ended {
                self.end_line();
            }
        }
    }

    /// Reads what stands after the last line break.
    pub(super) fn end_line(&mut self) {
        if !self.too_long {
            read_line(&self.line, &mut self.meta, &mut self.notes);
        }
        self.line.clear();
        self.too_long = false;
    }
}

fn read_line(line: &[u8], meta: &mut Metadata, notes: &mut Notes) {
    let Some(words) = line.trim_ascii_start().strip_prefix(MARK.as_bytes()) else { return };
    if words.len() > MAX_LINE_BYTES {
        return notes.add(format!("a `{MARK}` line longer than {MAX_LINE_BYTES} bytes was not read"));
    }
    let words = String::from_utf8_lossy(words);
    let mut rest = words.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        if let Some(after) = after.strip_prefix('=').filter(|_| form::is_key(key.as_bytes())) {
            let (value, after) = value(after);
            match value {
                Word::Bare(word) => meta.put_word(key, word, notes),
                Word::Quoted(text) => meta.put(key, Value::Text(text), notes),
            }
            rest = after.trim_start();
        } else {
            let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            notes.add(format!("`{MARK}` line: `{}` is not key=value", clean::short(word, 40)));
            rest = after.trim_start();
        }
    }
}

enum Word<'a> {
    Bare(&'a str),
    Quoted(String),
}

/// The value at the start of `text`, and what follows it. In quotes a backslash takes the next character as it is.
fn value(text: &str) -> (Word<'_>, &str) {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let mut value = String::new();
        let mut chars = text[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => value.extend(chars.next().map(|(_, c)| c)),
                c if c == quote => return (Word::Quoted(value), &text[at + 2..]),
                c => value.push(c),
            }
        }
        // A quote that never ends is no quote.
    }
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    (Word::Bare(word), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(meta: Metadata) -> String {
        let meta = meta.finish(&mut Notes::default());
        meta.iter().map(|(key, value)| format!("{key}={value:?}")).collect::<Vec<_>>().join(" ")
    }

    fn read_all(text: &str) -> (String, usize) {
        let (mut meta, mut notes) = (Metadata::default(), Notes::default());
        read(text.as_bytes(), &mut meta, &mut notes);
        (shown(meta), notes.into_sentences().len())
    }

    #[test]
    fn marked_lines() {
        for (text, keys, notes) in [
            ("watchclock: a=1", "a=1", 0),
            ("noise\r\n  watchclock: a=1 b=true\r\nnoise", "a=1 b=true", 0),
            ("watchclock:a=1", "a=1", 0),
            ("watchclock: a=\"two words\" b='it\\'s' c=x", "a=two words b=it's c=x", 0),
            ("watchclock: a=\"5\"", "a=5", 0),
            ("watchclock: a=", "a=", 0),
            ("watchclock: a=x=y", "a=x=y", 0),
            ("watchclock: a=\"open b=1", "a=\"open b=1", 0),
            ("watchclock: a=1\nwatchclock: a=2", "a=2", 0),
            ("watchclock: rows 1=2 a=1 é=3", "a=1", 3),
            ("watchclock: n=NaN a=1", "a=1", 1),
            ("watchclock: café=1 a=\"é\"", "a=é", 1),
            ("watchclock:", "", 0),
            ("the watchclock: a=1", "", 0),
            ("Watchclock: a=1", "", 0),
            ("", "", 0),
        ] {
            let (mut meta, mut noted) = (Metadata::default(), Notes::default());
            read(text.as_bytes(), &mut meta, &mut noted);
            let meta = meta.finish(&mut Notes::default());
            let read: Vec<_> = meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
            assert_eq!(read.join(" "), keys, "{text}");
            assert_eq!(noted.into_sentences().len(), notes, "{text}");
        }
        assert!(read_all("watchclock: a=\"5\" b=5").0.starts_with("a=Text(\"5\") b=Number("));
    }

    #[test]
    fn pieces_read_like_the_whole() {
        let text = "x\nwatchclock: a=1 b=\"two words\"\n\nwatchclock: c=3\r\nlast\nwatchclock: d=4";
        for size in 1..text.len() {
            let mut scanner = Scanner::default();
            text.as_bytes().chunks(size).for_each(|piece| scanner.feed(piece));
            scanner.end_line();
            assert_eq!(shown(scanner.meta), read_all(text).0, "{size}");
        }
    }

    #[test]
    fn an_endless_line_is_not_kept() {
        let mut scanner = Scanner::default();
        scanner.feed(b"watchclock: a=");
        for _ in 0..100 {
            scanner.feed(&[b'x'; 1_000]);
            assert!(scanner.line.len() <= MAX_LINE_BYTES);
        }
        scanner.feed(b"\nwatchclock: b=1\n");
        assert!(shown(scanner.meta).starts_with("b=Number("));
    }
}
