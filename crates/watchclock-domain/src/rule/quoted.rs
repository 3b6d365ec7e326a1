//! Reads what has delimiters: `"text"`, `'text'`, `/pattern/i`. Neighbour: [`super::lexer`], which finds where it begins.

use super::token::TokenKind;

/// What was read: its token, its length in bytes, and problems by bytes from its start.
pub(super) struct Read {
    pub(super) kind: TokenKind,
    pub(super) len: usize,
    pub(super) problems: Vec<(usize, usize, String)>,
}

/// Text between `"` or `'`, with `\"`, `\'`, `\\`, `\n`, `\r`, `\t`. The input begins with the quote.
pub(super) fn text(input: &str) -> Read {
    let mut chars = input.char_indices();
    let quote = chars.next().map_or('"', |(_, quote)| quote);
    let mut text = String::new();
    let mut problems = Vec::new();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Read { kind: TokenKind::Text(text), len: at + 1, problems };
        }
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some((_, 'n')) => text.push('\n'),
            Some((_, 'r')) => text.push('\r'),
            Some((_, 't')) => text.push('\t'),
            Some((_, same @ ('"' | '\'' | '\\' | '/'))) => text.push(same),
            Some((end, other)) => {
                let message = format!("`\\{other}` means nothing in a text: for a backslash write `\\\\`");
                problems.push((at, end + other.len_utf8(), message));
            }
            None => break,
        }
    }
    problems.push((0, 1, format!("this text has no closing {quote}")));
    Read { kind: TokenKind::Bad, len: input.len(), problems }
}

/// A regular expression between slashes, with flags behind, or between quotes. The input begins with the delimiter.
pub(super) fn pattern(input: &str) -> Read {
    let mut chars = input.char_indices();
    let delimiter = chars.next().map_or('/', |(_, delimiter)| delimiter);
    let mut source = String::new();
    // A slash inside brackets ends nothing: [^/]+
    let mut in_class = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped)) if escaped == delimiter => source.push(escaped),
                Some((_, escaped)) => source.extend(['\\', escaped]),
                None => break,
            },
            '\n' | '\r' => break,
            _ if c == delimiter && !(in_class && delimiter == '/') => {
                let flags = if delimiter == '/' { &input[at + 1..] } else { "" };
                return flagged(source, at + 1, flags);
            }
            _ => {
                in_class = match c {
                    '[' => true,
                    ']' => false,
                    _ => in_class,
                };
                source.push(c);
            }
        }
    }
    let problem = (0, 1, format!("this regular expression has no closing {delimiter}"));
    Read { kind: TokenKind::Bad, len: input.len(), problems: vec![problem] }
}

fn flagged(source: String, len: usize, rest: &str) -> Read {
    let flags = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    let mut problems = Vec::new();
    let (mut ignore_case, mut dot_all) = (false, false);
    for (at, flag) in flags.char_indices() {
        match flag {
            'i' => ignore_case = true,
            's' => dot_all = true,
            _ => {
                let message = format!(
                    "`{flag}` is not a flag of a regular expression: `i` ignores upper and lower case, `s` lets `.` match line ends"
                );
                problems.push((len + at, len + at + flag.len_utf8(), message));
            }
        }
    }
    Read { kind: TokenKind::Pattern { source, ignore_case, dot_all }, len: len + flags.len(), problems }
}
