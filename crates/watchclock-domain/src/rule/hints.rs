//! Says what is wrong where the parser is stuck, and what may have been meant. Neighbours: [`super::parser`], [`super::operators`].

use super::{
    parser::Parser,
    syntax::{Kind, Node},
    token::{OPERATORS, TokenKind},
    units,
};
use crate::problem::did_you_mean;

/// What people write for our operators.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("eq", &["is", "equals", "equal", "be", "are"]),
    ("ne", &["isnt", "neq", "differs", "unequal"]),
    ("lt", &["below", "under", "less", "fewer", "smaller"]),
    ("gt", &["above", "over", "more", "greater", "bigger", "exceeds", "larger"]),
    ("le", &["lte"]),
    ("ge", &["gte"]),
    ("contains", &["contain", "has", "includes", "include", "like", "containing"]),
    ("matches", &["match", "regex", "regexp", "rlike", "matching"]),
    ("in (…)", &["within", "between", "oneof"]),
    ("missing", &["absent", "undefined"]),
    ("present", &["exists", "defined"]),
    ("and", &["but", "also", "AND"]),
    ("older than", &["newer", "since"]),
];

impl Parser<'_> {
    /// Tells that a value belongs here; reads nothing.
    pub(super) fn no_value(&mut self) -> Node {
        let start = self.token().start;
        let found = self.source(self.token()).to_owned();
        let message = match self.before().map(|token| self.source(token)) {
            None => "a rule begins with a name: records_processed eq 0".to_owned(),
            Some("(") => "expected a value or a comparison after `(`".to_owned(),
            Some(word) if word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("or") => {
                format!("expected another comparison after `{word}`")
            }
            Some(word) => format!("expected a value after `{word}`: a number, a name or \"text\""),
        };
        let found = if found.is_empty() { String::new() } else { format!(", found `{found}`") };
        self.problem_here(format!("{message}{found}"));
        Node { kind: Kind::Bad, start, end: start }
    }

    /// Tells about a token where an operator belongs.
    pub(super) fn unexpected(&mut self, left: &Node) {
        let found = self.source(self.token()).to_owned();
        let before = self.before().cloned();
        let number = before.as_ref().filter(|token| matches!(token.kind, TokenKind::Number(_)));
        let message = match &self.token().kind {
            TokenKind::Close => "this bracket closes nothing".to_owned(),
            TokenKind::Comma if number.is_some() => {
                "a number is written without commas: 1000 or 1_000".to_owned()
            }
            TokenKind::Word(word) if number.is_some() && units::meant(word).is_some() => {
                let number = number.map_or("", |token| self.source(token));
                format!(
                    "write the unit right behind the number: `{number}{}`",
                    units::meant(word).unwrap_or("")
                )
            }
            _ if left.kind.is_condition() => {
                format!("expected `and`, `or` or the end of the rule, found `{found}`")
            }
            TokenKind::Word(word) => unknown_operator(word),
            _ => format!("expected an operator before `{found}`: {}", OPERATORS.join(", ")),
        };
        self.problem_here(message);
    }
}

fn unknown_operator(word: &str) -> String {
    let lower = word.to_lowercase();
    let meant = SYNONYMS
        .iter()
        .find(|(_, words)| words.contains(&lower.as_str()))
        .map(|(operator, _)| *operator)
        .or_else(|| did_you_mean(word, OPERATORS.iter().copied().chain(["and", "or"])));
    let hint = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    format!("unknown operator `{word}`: expected {}{hint}", OPERATORS.join(", "))
}
