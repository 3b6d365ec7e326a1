//! Reads what stands behind a value: comparisons, `contains`, `matches`, `in`, `missing`, `older than`. Neighbour: [`super::parser`].

use super::{
    parser::{Parser, as_comparison, level},
    pattern::Pattern,
    syntax::{Kind, Node, Search},
    token::{Comparison, Token, TokenKind},
};

/// Most regular expressions in one rule: each takes a while to compile, however short it is.
const MAX_PATTERNS: usize = 5;
const TOO_MANY: &str = "a rule takes at most five regular expressions: write `/a|b/` for two of them";

impl Parser<'_> {
    /// Whether the token at hand tests the value before it.
    pub(super) fn at_test(&self) -> bool {
        let token = self.token();
        if as_comparison(token).is_some() || self.at_search(0) {
            return true;
        }
        let plain = ["missing", "present", "older"].iter().any(|word| token.is_word(word));
        plain || token.is_word("not") && self.at_search(1)
    }

    fn at_search(&self, ahead: usize) -> bool {
        let words = ["contains", "starts", "ends", "matches", "in"];
        words.iter().any(|word| self.peek(ahead).is_word(word))
    }

    /// Reads one test of the value; a second one in a row is a problem.
    pub(super) fn test(&mut self, left: Node) -> Node {
        if left.kind.is_condition() && left.end == self.before().map_or(0, |token| token.end) {
            self.problem_here("one comparison at a time: write `and` or `or` between two");
            let mut node = self.single_test(left);
            node.kind = Kind::Bad;
            return node;
        }
        self.single_test(left)
    }

    fn single_test(&mut self, left: Node) -> Node {
        let start = left.start;
        let left = Box::new(left);
        let negated = self.token().is_word("not");
        if negated {
            self.advance();
        }
        let operator = self.advance();
        let kind = if let Some(comparison) = as_comparison(&operator) {
            self.comparison(left, comparison)
        } else if operator.is_word("contains") {
            self.search(left, Search::Contains, negated)
        } else if operator.is_word("starts") || operator.is_word("ends") {
            let search = if operator.is_word("starts") { Search::StartsWith } else { Search::EndsWith };
            if self.token().is_word("with") {
                self.advance();
                self.search(left, search, negated)
            } else {
                self.problem(operator.start, operator.end, format!("write `{}`", search.word()));
                self.skip_value();
                Kind::Bad
            }
        } else if operator.is_word("matches") {
            self.matches(left, negated)
        } else if operator.is_word("in") {
            self.list(left, negated)
        } else if operator.is_word("older") {
            self.older(left, &operator)
        } else {
            Kind::Missing { left, present: operator.is_word("present") }
        };
        let end = self.before().map_or(start, |token| token.end);
        Node { kind, start, end }
    }

    fn comparison(&mut self, left: Box<Node>, comparison: Comparison) -> Kind {
        let right = Box::new(self.expression(level::SUM));
        Kind::Compare { left, comparison, right }
    }

    fn search(&mut self, left: Box<Node>, search: Search, negated: bool) -> Kind {
        let Token { kind, start, end } = self.token().clone();
        let right = match kind {
            TokenKind::Bare(text) => {
                self.advance();
                Node { kind: Kind::Text(text), start, end }
            }
            TokenKind::Text(_) | TokenKind::Key(_) | TokenKind::Bad => self.expression(level::VALUE),
            _ => {
                self.problem_here(format!(
                    "expected a text after `{}`: {} \"…\"",
                    search.word(),
                    search.word()
                ));
                Node { kind: Kind::Bad, start, end: start }
            }
        };
        Kind::Search { left, search, right: Box::new(right), negated }
    }

    fn matches(&mut self, left: Box<Node>, negated: bool) -> Kind {
        let Token { kind, start, end } = self.token().clone();
        match kind {
            TokenKind::Pattern { source, ignore_case, dot_all } => {
                self.advance();
                self.patterns += 1;
                if self.patterns > MAX_PATTERNS {
                    if self.patterns == MAX_PATTERNS + 1 {
                        self.problem(start, end, TOO_MANY);
                    }
                    return Kind::Bad;
                }
                match Pattern::compile(&source, ignore_case, dot_all) {
                    Ok(pattern) => return Kind::Matches { left, pattern, negated },
                    Err(bad) => {
                        let (start, end) = self.in_pattern(start, end, bad.at);
                        self.problem(start, end, bad.message);
                    }
                }
            }
            TokenKind::Bad => {
                self.advance();
            }
            _ => {
                self.problem_here("expected a regular expression between slashes: matches /error [0-9]+/");
                self.skip_value();
            }
        }
        Kind::Bad
    }

    /// The bytes of one character of a pattern, or of the whole pattern where the character is not known.
    fn in_pattern(&self, start: usize, end: usize, at: Option<usize>) -> (usize, usize) {
        let inside = &self.text[start + 1..end];
        let Some((offset, c)) = at.and_then(|at| inside.char_indices().nth(at)) else { return (start, end) };
        (start + 1 + offset, start + 1 + offset + c.len_utf8())
    }

    fn list(&mut self, left: Box<Node>, negated: bool) -> Kind {
        if !matches!(self.token().kind, TokenKind::Open) {
            self.problem_here("expected a list in brackets after `in`: in (1, 2) or in (\"a\", \"b\")");
            self.skip_value();
            return Kind::Bad;
        }
        let open = self.advance();
        let mut items = Vec::new();
        loop {
            if let TokenKind::Comma | TokenKind::Close | TokenKind::End = self.token().kind {
                self.problem_here("expected a value in the list: a number, a word or \"text\"");
            } else {
                items.push(self.item());
            }
            match self.token().kind {
                TokenKind::Comma => {
                    self.advance();
                }
                TokenKind::Close => {
                    self.advance();
                    return Kind::In { left, items, negated };
                }
                TokenKind::End => {
                    self.problem(open.start, open.end, "this bracket is never closed");
                    return Kind::Bad;
                }
                _ => {
                    self.problem_here("expected `,` or `)` in the list");
                    while !matches!(self.token().kind, TokenKind::Close | TokenKind::End) {
                        self.advance();
                    }
                }
            }
        }
    }

    /// A value of a list; a word is a text there.
    fn item(&mut self) -> Node {
        let Token { kind, start, end } = self.token().clone();
        match kind {
            TokenKind::Word(word) if !matches!(self.peek(1).kind, TokenKind::Open) => {
                self.advance();
                let kind = match word.to_ascii_lowercase().as_str() {
                    "true" => Kind::Flag(true),
                    "false" => Kind::Flag(false),
                    _ => Kind::Text(word),
                };
                Node { kind, start, end }
            }
            _ => self.expression(level::VALUE),
        }
    }

    fn older(&mut self, left: Box<Node>, operator: &Token) -> Kind {
        if !self.token().is_word("than") {
            self.problem(operator.start, operator.end, "write `older than`: last_success older than 26h");
            self.skip_value();
            return Kind::Bad;
        }
        self.advance();
        let right = Box::new(self.expression(level::SUM));
        Kind::Older { left, right }
    }

    /// Leaves one token unread where a value belongs that is told about already.
    fn skip_value(&mut self) {
        let token = self.token();
        let connective = token.is_word("and") || token.is_word("or");
        if !connective && !matches!(token.kind, TokenKind::End | TokenKind::Close) {
            self.advance();
        }
    }
}
