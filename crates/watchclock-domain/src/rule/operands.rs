//! Reads what operators stand between: values, names, calls, brackets. Neighbours: [`super::parser`], [`super::operators`].

use super::{
    parser::{Parser, as_comparison, is_reserved, level},
    syntax::{Kind, Node},
    token::{Token, TokenKind},
    units,
};

impl Parser<'_> {
    /// Reads a value, a bracket, or `not` with what follows.
    pub(super) fn prefix(&mut self) -> Node {
        if self.at_not() {
            let start = self.advance().start;
            return self.deeper(start, |parser| {
                let inner = parser.expression(level::TEST);
                let end = inner.end;
                Node { kind: Kind::Not(Box::new(inner)), start, end }
            });
        }
        let Token { kind, start, end } = self.token().clone();
        match kind {
            TokenKind::Minus => {
                self.advance();
                self.deeper(start, |parser| {
                    let inner = parser.expression(level::VALUE);
                    let end = inner.end;
                    Node { kind: Kind::Negative(Box::new(inner)), start, end }
                })
            }
            TokenKind::Plus => {
                self.advance();
                self.deeper(start, |parser| parser.expression(level::VALUE))
            }
            TokenKind::Open => {
                self.advance();
                self.deeper(start, |parser| {
                    let inner = parser.whole(Some(start));
                    let end = parser.before().map_or(inner.end, |close| close.end);
                    Node { kind: inner.kind, start, end }
                })
            }
            TokenKind::Word(word) => self.word(word),
            TokenKind::Digits(unit) => {
                self.advance();
                self.digits(unit, start, end)
            }
            kind => {
                let kind = match kind {
                    TokenKind::Number(literal) => Kind::Number(literal),
                    TokenKind::Text(text) => Kind::Text(text),
                    TokenKind::Key(key) => Kind::Key(key),
                    TokenKind::Bad => Kind::Bad,
                    _ => return self.no_value(),
                };
                self.advance();
                Node { kind, start, end }
            }
        }
    }

    /// `not` is an operator except where it can only be a name: `not eq 0`.
    fn at_not(&self) -> bool {
        let name = as_comparison(self.peek(1)).is_some() && as_comparison(self.peek(2)).is_none();
        self.token().is_word("not") && !name
    }

    fn word(&mut self, word: String) -> Node {
        if is_reserved(&word) && as_comparison(self.peek(1)).is_none() {
            return self.no_value();
        }
        let Token { start, end, .. } = self.advance();
        if matches!(self.token().kind, TokenKind::Open) {
            self.advance();
            return self.deeper(start, |parser| parser.call(word, start, end));
        }
        let kind = match word.to_ascii_lowercase().as_str() {
            "true" => Kind::Flag(true),
            "false" => Kind::Flag(false),
            _ => Kind::Word(word),
        };
        Node { kind, start, end }
    }

    fn call(&mut self, name: String, start: usize, name_end: usize) -> Node {
        let mut args = Vec::new();
        let mut good = true;
        while !matches!(self.token().kind, TokenKind::Close | TokenKind::End) {
            args.push(self.expression(level::SUM));
            match self.token().kind {
                TokenKind::Comma => {
                    self.advance();
                }
                TokenKind::Close | TokenKind::End => {}
                _ => {
                    self.problem_here(format!("expected `,` or `)` in `{name}(…)`"));
                    good = false;
                    while !matches!(self.token().kind, TokenKind::Close | TokenKind::End) {
                        self.advance();
                    }
                }
            }
        }
        if matches!(self.token().kind, TokenKind::End) {
            if good {
                self.problem(start, name_end, format!("the bracket of `{name}(` is never closed"));
            }
            good = false;
        }
        let end = self.advance().end;
        Node { kind: if good { Kind::Call { name, args } } else { Kind::Bad }, start, end }
    }

    /// Something like `2xx_count`, a name where an operator follows, or like `10min`, a number with a wrong unit.
    fn digits(&mut self, unit: usize, start: usize, end: usize) -> Node {
        let written = &self.text[start..end];
        if self.at_test() {
            return Node { kind: Kind::Word(written.to_owned()), start, end };
        }
        let (number, unit) = written.split_at(unit);
        let hint = match units::meant(unit) {
            Some(meant) => format!("did you mean `{number}{meant}`?"),
            None => {
                "units are ms, s, m, h, d, w; k, M, G, Ki, Mi, Gi; B, KB, MB, GB, KiB, MiB, GiB".to_owned()
            }
        };
        let name = if unit.len() > 3 {
            format!(" A name that begins with a digit is written `meta.\"{written}\"`.")
        } else {
            String::new()
        };
        let message = if unit.is_empty() {
            format!("`{written}` ends without a unit")
        } else {
            format!("unknown unit `{unit}`: {hint}{name}")
        };
        self.problem(start, end, message);
        Node { kind: Kind::Bad, start, end }
    }
}
