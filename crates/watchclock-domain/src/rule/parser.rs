//! Reads tokens into a tree by precedence climbing. Neighbours: [`super::operands`] reads values, [`super::operators`] what stands behind them, [`super::check`] gives the tree its meaning.

use super::{
    lexer::{self, problem_at},
    syntax::{Kind, Node},
    token::{Comparison, Token, TokenKind},
};
use crate::problem::Problem;

/// How deep brackets, `not` and calls may nest.
pub(super) const MAX_DEPTH: usize = 32;

/// How tightly operators bind; higher binds tighter.
pub(super) mod level {
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const TEST: u8 = 3;
    pub(in super::super) const SUM: u8 = 4;
    pub(in super::super) const PRODUCT: u8 = 5;
    pub(in super::super) const VALUE: u8 = 6;
}

/// Reads a whole rule; the tree is worth something only without problems.
pub(super) fn parse(text: &str) -> (Node, Vec<Problem>) {
    let (tokens, problems) = lexer::tokens(text);
    let mut parser =
        Parser { text, tokens, at: 0, depth: 0, problems, told: None, gave_up: false, patterns: 0 };
    parser.plain_form();
    let tree = parser.whole(None);
    (tree, parser.problems)
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    problems: Vec<Problem>,
    /// The token whose problem was told last.
    told: Option<usize>,
    gave_up: bool,
    /// How many regular expressions there were so far.
    pub(super) patterns: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub(super) fn peek(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn before(&self) -> Option<&Token> {
        self.at.checked_sub(1).map(|at| &self.tokens[at])
    }

    pub(super) fn source(&self, token: &Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    pub(super) fn problem(&mut self, start: usize, end: usize, message: impl Into<String>) {
        if !self.gave_up {
            self.problems.push(problem_at(self.text, start, end, message));
        }
    }

    /// A problem with the token at hand; only the first one with it is told.
    pub(super) fn problem_here(&mut self, message: impl Into<String>) {
        if self.told.replace(self.at) != Some(self.at) {
            let (start, end) = (self.token().start, self.token().end);
            self.problem(start, end, message);
        }
    }

    /// The form `field op number` takes any field name of letters, digits and underscores, even `404` or `not`.
    fn plain_form(&mut self) {
        let kinds: Vec<&TokenKind> = self.tokens.iter().map(|token| &token.kind).collect();
        let number = matches!(
            kinds.get(2..),
            Some(
                [TokenKind::Number(_), TokenKind::End]
                    | [TokenKind::Minus, TokenKind::Number(_), TokenKind::End]
            )
        );
        if !number || as_comparison(&self.tokens[1]).is_none() {
            return;
        }
        let name = self.source(&self.tokens[0]);
        if name.len() <= 50 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            // A key and not a word where a word would mean something else.
            let plain = matches!(self.tokens[0].kind, TokenKind::Word(_))
                && !is_reserved(name)
                && !["true", "false"].iter().any(|flag| name.eq_ignore_ascii_case(flag));
            let name = name.to_owned();
            self.tokens[0].kind = if plain { TokenKind::Word(name) } else { TokenKind::Key(name) };
        }
    }

    /// Reads up to the end, or up to the bracket that closes the one given, and goes on behind what it cannot read.
    pub(super) fn whole(&mut self, open: Option<usize>) -> Node {
        let mut node = self.expression(level::OR);
        // What is read behind a problem is kept, so that its own problems are told, too.
        let mut behind = Vec::new();
        loop {
            match (&self.token().kind, open) {
                (TokenKind::End, None) => break,
                (TokenKind::End, Some(start)) => {
                    self.problem(start, start + 1, "this bracket is never closed");
                    break;
                }
                (TokenKind::Close, Some(_)) => {
                    self.advance();
                    break;
                }
                // Its problem is told; it stands where an operator belongs, as `&&` does.
                (TokenKind::Bad, _) => {
                    self.advance();
                    node.spoil();
                    if self.at_value() {
                        behind.push(self.expression(level::OR));
                    }
                }
                _ => {
                    self.unexpected(&node);
                    node.spoil();
                    self.skip_to_connective(open.is_some());
                }
            }
            if self.token().is_word("and") || self.token().is_word("or") {
                self.advance();
                behind.push(self.expression(level::OR));
            }
            // The next problem is one of what was read last.
            if let Some(last) = behind.pop() {
                behind.push(std::mem::replace(&mut node, last));
            }
        }
        if !behind.is_empty() {
            let (start, end) = (node.start, node.end);
            behind.push(node);
            node = Node { kind: Kind::And(behind), start, end };
        }
        node
    }

    /// Leaves what cannot be read behind.
    fn skip_to_connective(&mut self, in_bracket: bool) {
        loop {
            let token = self.token();
            let end =
                matches!(token.kind, TokenKind::End) || in_bracket && matches!(token.kind, TokenKind::Close);
            if end || token.is_word("and") || token.is_word("or") {
                return;
            }
            self.advance();
        }
    }

    fn at_value(&self) -> bool {
        match &self.token().kind {
            TokenKind::Word(word) => word == "not" || !is_reserved(word),
            TokenKind::Open | TokenKind::Minus => true,
            TokenKind::Bad | TokenKind::Close => false,
            _ => self.token().ends_value(),
        }
    }

    pub(super) fn expression(&mut self, least: u8) -> Node {
        let mut left = self.prefix();
        loop {
            let token = self.token();
            left = if token.is_word("or") && least <= level::OR {
                self.connective(left, level::AND)
            } else if token.is_word("and") && least <= level::AND {
                self.connective(left, level::TEST)
            } else if least <= level::TEST && self.at_test() {
                self.test(left)
            } else {
                match token.kind {
                    TokenKind::Plus | TokenKind::Minus if least <= level::SUM => self.sum(left),
                    TokenKind::Star | TokenKind::Slash if least <= level::PRODUCT => self.product(left),
                    _ => return left,
                }
            };
        }
    }

    fn connective(&mut self, left: Node, least: u8) -> Node {
        let is_or = self.advance().is_word("or");
        let right = self.expression(least);
        let (start, end) = (left.start, right.end);
        let mut items = match left.kind {
            Kind::Or(items) if is_or => items,
            Kind::And(items) if !is_or => items,
            kind => vec![Node { kind, ..left }],
        };
        items.push(right);
        Node { kind: if is_or { Kind::Or(items) } else { Kind::And(items) }, start, end }
    }

    fn sum(&mut self, left: Node) -> Node {
        let minus = matches!(self.advance().kind, TokenKind::Minus);
        let right = self.expression(level::PRODUCT);
        let (start, end) = (left.start, right.end);
        let kind = match left.kind {
            Kind::Sum(first, mut rest) => {
                rest.push((minus, right));
                Kind::Sum(first, rest)
            }
            kind => Kind::Sum(Box::new(Node { kind, ..left }), vec![(minus, right)]),
        };
        Node { kind, start, end }
    }

    fn product(&mut self, left: Node) -> Node {
        let divided = matches!(self.advance().kind, TokenKind::Slash);
        let right = self.expression(level::VALUE);
        let (start, end) = (left.start, right.end);
        let kind = match left.kind {
            Kind::Product(first, mut rest) => {
                rest.push((divided, right));
                Kind::Product(first, rest)
            }
            kind => Kind::Product(Box::new(Node { kind, ..left }), vec![(divided, right)]),
        };
        Node { kind, start, end }
    }

    /// Goes one level deeper, unless that is too deep: then the rest is left unread.
    pub(super) fn deeper(&mut self, start: usize, read: impl FnOnce(&mut Self) -> Node) -> Node {
        if self.depth == MAX_DEPTH {
            self.problem(start, start + 1, format!("this nests deeper than {MAX_DEPTH} levels"));
            self.gave_up = true;
            self.at = self.tokens.len() - 1;
            return Node { kind: Kind::Bad, start, end: start };
        }
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        node
    }
}

pub(super) fn as_comparison(token: &Token) -> Option<Comparison> {
    match &token.kind {
        TokenKind::Comparison(comparison) => Some(*comparison),
        TokenKind::Word(word) => Comparison::from_word(word),
        _ => None,
    }
}

/// Words that are not names of values unless a comparison follows.
pub(super) fn is_reserved(word: &str) -> bool {
    let reserved = ["and", "or", "not", "contains", "matches", "in", "missing", "present"];
    reserved.iter().any(|known| word.eq_ignore_ascii_case(known)) || Comparison::from_word(word).is_some()
}
