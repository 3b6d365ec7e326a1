//! A rule as it is written, before names and types are known. Neighbours: [`super::parser`] makes it, [`super::check`] gives it meaning.

use super::{pattern::Pattern, token::Comparison, units::Literal};

/// A part of a rule and the bytes of the text that it covers.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Node {
    /// Leaves out a value at its end that no operator followed: its problem is told.
    pub(super) fn spoil(&mut self) {
        match &mut self.kind {
            Kind::And(items) | Kind::Or(items) => items.iter_mut().rev().take(1).for_each(Self::spoil),
            Kind::Not(inner) => inner.spoil(),
            kind if !kind.is_condition() => *kind = Kind::Bad,
            _ => {}
        }
    }
}

/// How a text is searched for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    Contains,
    StartsWith,
    EndsWith,
}

impl Search {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::StartsWith => "starts with",
            Self::EndsWith => "ends with",
        }
    }

    /// Where in the text the other stands, in bytes.
    pub(super) fn find(self, text: &str, part: &str) -> Option<usize> {
        match self {
            Self::Contains => text.find(part),
            Self::StartsWith => text.starts_with(part).then_some(0),
            Self::EndsWith => text.ends_with(part).then(|| text.len() - part.len()),
        }
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Its problem is told already.
    Bad,
    Number(Literal),
    Text(String),
    Flag(bool),
    /// A name without `meta.`: a built-in one, or a metadata key.
    Word(String),
    /// A metadata key.
    Key(String),
    /// The name covers the first bytes of the node.
    Call {
        name: String,
        args: Vec<Node>,
    },
    Negative(Box<Node>),
    /// `true` subtracts.
    Sum(Box<Node>, Vec<(bool, Node)>),
    /// `true` divides.
    Product(Box<Node>, Vec<(bool, Node)>),
    Compare {
        left: Box<Node>,
        comparison: Comparison,
        right: Box<Node>,
    },
    Search {
        left: Box<Node>,
        search: Search,
        right: Box<Node>,
        negated: bool,
    },
    Matches {
        left: Box<Node>,
        pattern: Pattern,
        negated: bool,
    },
    In {
        left: Box<Node>,
        items: Vec<Node>,
        negated: bool,
    },
    Missing {
        left: Box<Node>,
        present: bool,
    },
    Older {
        left: Box<Node>,
        right: Box<Node>,
    },
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
}

impl Kind {
    /// Whether it is true or false rather than a value.
    pub(super) fn is_condition(&self) -> bool {
        matches!(
            self,
            Self::Compare { .. }
                | Self::Search { .. }
                | Self::Matches { .. }
                | Self::In { .. }
                | Self::Missing { .. }
                | Self::Older { .. }
                | Self::And(_)
                | Self::Or(_)
                | Self::Not(_)
        )
    }
}
