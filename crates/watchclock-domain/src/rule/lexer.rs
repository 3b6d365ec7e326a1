//! Splits the text of a rule into tokens. Neighbours: [`super::quoted`] reads what has delimiters, [`super::parser`] what this finds.

use super::{
    quoted,
    token::{Comparison, Token, TokenKind},
    units::{self, Unreadable},
};
use crate::problem::Problem;

/// All tokens, the last of them [`TokenKind::End`], and what is wrong with the text so far.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<Problem>) {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), problems: Vec::new() };
    while lexer.step() {}
    lexer.push(TokenKind::End, text.len());
    (lexer.tokens, lexer.problems)
}

/// A problem at bytes of the text, told in characters. An end within a character takes all of it, so that one byte after
/// the start is one character, whichever it is.
pub(super) fn problem_at(text: &str, start: usize, end: usize, message: impl Into<String>) -> Problem {
    let end = text.ceil_char_boundary(end);
    Problem::at(text[..start].chars().count(), text[start..end].chars().count(), message)
}

pub(super) fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    problems: Vec<Problem>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.tokens.push(Token { kind, start: self.at, end });
        self.at = end;
    }

    fn bad(&mut self, end: usize, message: impl Into<String>) {
        self.problems.push(problem_at(self.text, self.at, end, message));
        self.push(TokenKind::Bad, end);
    }

    /// Reads one token; false at the end of the text.
    fn step(&mut self) -> bool {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        self.at += blanks;
        let Some(first) = self.rest().chars().next() else { return false };
        if self.after_text_operator() && !matches!(first, '"' | '\'' | '(' | ')' | ',') {
            self.bare();
        } else if self.after_matches() && matches!(first, '/' | '"' | '\'') {
            self.delimited(quoted::pattern(self.rest()));
        } else if first.is_ascii_digit() {
            self.number();
        } else if first.is_alphabetic() || first == '_' {
            self.word();
        } else if matches!(first, '"' | '\'') {
            self.delimited(quoted::text(self.rest()));
        } else {
            self.sign(first);
        }
        true
    }

    fn delimited(&mut self, read: quoted::Read) {
        self.problems.extend(
            read.problems
                .into_iter()
                .map(|(start, end, message)| problem_at(self.text, self.at + start, self.at + end, message)),
        );
        self.push(read.kind, self.at + read.len);
    }

    /// Whether the last token is this operator word, standing behind a value.
    fn after_operator(&self, is_operator: impl Fn(&Token) -> bool, words: usize) -> bool {
        let Some(before) = self.tokens.len().checked_sub(words) else { return false };
        if !self.tokens.last().is_some_and(is_operator) {
            return false;
        }
        let value = &self.tokens[..before];
        match value.split_last() {
            Some((last, earlier)) if last.is_word("not") => earlier.last().is_some_and(Token::ends_value),
            Some((last, _)) => last.ends_value(),
            None => false,
        }
    }

    fn after_matches(&self) -> bool {
        self.after_operator(|token| token.is_word("matches"), 1)
    }

    /// After `contains`, `starts with` and `ends with` a word needs no quotes.
    fn after_text_operator(&self) -> bool {
        let with = |token: &Token| token.is_word("with");
        let two_words = self.tokens.len() > 2
            && self.tokens[self.tokens.len() - 2]
                .word()
                .is_some_and(|word| word.eq_ignore_ascii_case("starts") || word.eq_ignore_ascii_case("ends"));
        self.after_operator(|token| token.is_word("contains"), 1) || two_words && self.after_operator(with, 2)
    }

    /// A word without quotes, up to the next blank, bracket or comma. What says `meta.` is a name even here,
    /// and what looks like a comparison shows that the operator was a name: `contains eq 5`.
    fn bare(&mut self) {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\''));
        let word = &rest[..end.unwrap_or(rest.len())];
        let is_operator = Comparison::from_word(word).is_some()
            || ["and", "or", "missing", "present"].contains(&word)
            || word.starts_with(['=', '!', '<', '>']);
        if word.starts_with("meta.") {
            self.word();
        } else if is_operator {
            let first = rest.chars().next().unwrap_or(' ');
            if in_word(first) { self.word() } else { self.sign(first) }
        } else {
            self.push(TokenKind::Bare(word.to_owned()), self.at + word.len());
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let mut end = 0;
        loop {
            end += rest[end..].find(|c| !in_word(c)).unwrap_or(rest.len() - end);
            let dotted = rest[end..].strip_prefix('.').is_some_and(|more| more.starts_with(in_word));
            if !dotted {
                break;
            }
            end += 1;
        }
        let word = &rest[..end];
        if word == "meta" && (rest[end..].starts_with(".\"") || rest[end..].starts_with(".'")) {
            return self.quoted_key(end + 1);
        }
        if rest[end..].starts_with('.') {
            return self
                .bad(self.at + end + 1, "a name ends with a letter, a digit or `_`, not with a point");
        }
        let dash = rest[end..].strip_prefix('-').is_some_and(|more| more.starts_with(in_word));
        if dash {
            let whole =
                end + rest[end..].find(|c| !in_word(c) && c != '-' && c != '.').unwrap_or(rest.len() - end);
            let (left, right) = (word, &rest[end + 1..whole]);
            let message = format!(
                "`{word}-{right}` can be read in two ways: write `{left} - {right}` to subtract, \
                 or `meta.\"{word}-{right}\"` for a name with a dash"
            );
            return self.bad(self.at + whole, message);
        }
        let kind = match word.strip_prefix("meta.") {
            Some(key) => TokenKind::Key(key.to_owned()),
            None => TokenKind::Word(word.to_owned()),
        };
        self.push(kind, self.at + end);
    }

    fn quoted_key(&mut self, from: usize) {
        let mut read = quoted::text(&self.rest()[from..]);
        for (start, end, _) in &mut read.problems {
            *start += from;
            *end += from;
        }
        read.len += from;
        read.kind = match read.kind {
            TokenKind::Text(key) if !key.is_empty() => TokenKind::Key(key),
            TokenKind::Text(_) => {
                read.problems.push((0, read.len, "the name is empty".to_owned()));
                TokenKind::Bad
            }
            other => other,
        };
        self.delimited(read);
    }

    fn number(&mut self) {
        let rest = self.rest();
        let number = units::digits(rest);
        let unit = rest[number..].find(|c| !in_word(c)).unwrap_or(rest.len() - number);
        let percent = unit == 0 && rest[number..].starts_with('%');
        let end = number + unit + usize::from(percent);
        match units::read(&rest[..end]) {
            Ok(literal) => self.push(TokenKind::Number(literal), self.at + end),
            Err(Unreadable::Unit(at)) => self.push(TokenKind::Digits(at), self.at + end),
            Err(Unreadable::OutOfRange) => {
                self.bad(self.at + end, "this number is out of range: exponents go from -400 to 400");
            }
        }
    }

    fn sign(&mut self, first: char) {
        let rest = self.rest();
        let foreign = |sign: &str, hint: &str| format!("`{sign}` is not an operator here: {hint}");
        for (sign, hint) in [
            ("&&", "write `and`"),
            ("||", "write `or`"),
            ("===", "write `eq`"),
            ("!==", "write `ne`"),
            ("<>", "write `ne`"),
            ("=~", "write `matches /…/`"),
            ("!~", "write `not matches /…/`"),
            ("=>", "write `>=` or `ge`"),
            ("=<", "write `<=` or `le`"),
        ] {
            if rest.starts_with(sign) {
                return self.bad(self.at + sign.len(), foreign(sign, hint));
            }
        }
        for (sign, kind) in [
            ("==", TokenKind::Comparison(Comparison::Eq)),
            ("!=", TokenKind::Comparison(Comparison::Ne)),
            ("<=", TokenKind::Comparison(Comparison::Le)),
            (">=", TokenKind::Comparison(Comparison::Ge)),
            ("≠", TokenKind::Comparison(Comparison::Ne)),
            ("≤", TokenKind::Comparison(Comparison::Le)),
            ("≥", TokenKind::Comparison(Comparison::Ge)),
            ("=", TokenKind::Comparison(Comparison::Eq)),
            ("<", TokenKind::Comparison(Comparison::Lt)),
            (">", TokenKind::Comparison(Comparison::Gt)),
            ("+", TokenKind::Plus),
            ("-", TokenKind::Minus),
            ("*", TokenKind::Star),
            ("/", TokenKind::Slash),
            ("(", TokenKind::Open),
            (")", TokenKind::Close),
            (",", TokenKind::Comma),
        ] {
            if rest.starts_with(sign) {
                return self.push(kind, self.at + sign.len());
            }
        }
        let end = self.at + first.len_utf8();
        match first {
            '!' => self.bad(end, foreign("!", "write `not`")),
            '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '`' => {
                self.bad(end, "write text between straight quotes: \"…\"");
            }
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.bad(end, "write a digit before the point: 0.5");
            }
            '[' | ']' | '{' | '}' => self.bad(end, "write round brackets: ( and )"),
            '$' | '@' | '#' | ':' | '\\' | '.' | '?' => {
                let hint =
                    "a name with other signs than letters, digits, `_` and `.` is written `meta.\"…\"`";
                self.bad(end, format!("`{first}` means nothing here: {hint}"));
            }
            _ => self.bad(end, format!("`{first}` means nothing here: text stands between quotes, \"…\"")),
        }
    }
}
