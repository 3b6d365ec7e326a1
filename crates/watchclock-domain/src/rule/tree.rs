//! A rule with its names and types known, ready to be evaluated. Neighbours: [`super::check`] makes it, [`super::eval`] walks it.

use chrono::Duration;

use super::{pattern::Pattern, syntax::Search, token::Comparison};
use crate::{run::RunStatus, value::Number};

/// What a name reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Meta,
    Status,
    Duration,
    ExitCode,
    Output,
    OutputSize,
    Message,
    Host,
    Env,
    Overlaps,
    Attempts,
    LastSuccess,
}

impl Source {
    /// The names that are no metadata unless `meta.` says so.
    pub(super) const BUILT_IN: [(&'static str, Self); 11] = [
        ("status", Self::Status),
        ("duration", Self::Duration),
        ("exit_code", Self::ExitCode),
        ("output", Self::Output),
        ("output_size", Self::OutputSize),
        ("message", Self::Message),
        ("host", Self::Host),
        ("env", Self::Env),
        ("overlaps", Self::Overlaps),
        ("attempts", Self::Attempts),
        ("last_success", Self::LastSuccess),
    ];

    pub(super) fn built_in(name: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|(known, _)| *known == name).map(|(_, source)| source)
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Status | Self::Output | Self::Message | Self::Host | Self::Env)
    }
}

/// A name that a rule reads; each once, however often it is written.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) source: Source,
    /// The metadata key or the built-in name.
    pub(super) key: String,
    /// As people see it: with `meta.` where the key alone would mean something built in.
    pub(super) shown: String,
}

/// What a history function computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Avg,
    Median,
    Min,
    Max,
    /// 1 to 99.
    Percentile(u8),
    Stddev,
    Sum,
    Last,
    Prev,
    Change,
    /// Runs with this status, or with any.
    Count(Option<RunStatus>),
}

/// How far a history function looks back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Runs(usize),
    Window(Duration),
}

/// A call of a history function; each once.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    /// Of [`Tree::fields`]; none for a count.
    pub(super) field: Option<usize>,
    pub(super) reach: Reach,
    /// As people see it: `median(rows, 14)`.
    pub(super) shown: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expr {
    Number(Number),
    Text(String),
    Flag(bool),
    /// Of [`Tree::fields`].
    Field(usize),
    /// Of [`Tree::calls`].
    History(usize),
    Negative(Box<Expr>),
    /// `true` subtracts.
    Sum(Box<Expr>, Vec<(bool, Expr)>),
    /// `true` divides.
    Product(Box<Expr>, Vec<(bool, Expr)>),
}

impl Expr {
    /// Whether it is the same for every run.
    pub(super) fn is_fixed(&self) -> bool {
        match self {
            Self::Number(_) | Self::Text(_) | Self::Flag(_) => true,
            Self::Field(_) | Self::History(_) => false,
            Self::Negative(inner) => inner.is_fixed(),
            Self::Sum(first, rest) | Self::Product(first, rest) => {
                first.is_fixed() && rest.iter().all(|(_, expr)| expr.is_fixed())
            }
        }
    }
}

/// An expression and its own words.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) expr: Expr,
    pub(super) words: String,
}

#[derive(Debug)]
pub(super) enum Test {
    Compare { left: Operand, comparison: Comparison, right: Operand },
    Search { left: Operand, search: Search, right: Operand, negated: bool },
    Matches { left: Operand, pattern: Pattern, negated: bool },
    In { left: Operand, items: Vec<Operand>, negated: bool },
    Missing { field: usize, present: bool },
    Older { field: usize, age: Duration, words: String },
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
}

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: Test,
    pub(super) fields: Vec<Field>,
    pub(super) calls: Vec<Call>,
    /// Whether it can change while no run ends.
    pub(super) time_driven: bool,
}
