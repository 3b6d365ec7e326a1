//! Values of a rule: what names mean, what can be calculated and compared. Neighbours: [`super::check`] asks, [`super::calls`] knows history.

use super::{
    check::Checker,
    syntax::{Kind, Node},
    token::Comparison,
    tree::{Expr, Field, Operand, Source},
    units::Dimension,
};
use crate::value::{MAX_KEY_CHARS, Number};

/// What is known about a value before any run is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Number(Dimension),
    Text,
    Flag,
    /// A point in time.
    Time,
    /// Metadata: anything.
    Any,
}

impl Source {
    pub(super) fn kind(self) -> Type {
        match self {
            Self::Meta => Type::Any,
            Self::Duration => Type::Number(Dimension::Time),
            Self::OutputSize => Type::Number(Dimension::Size),
            Self::ExitCode | Self::Overlaps | Self::Attempts => Type::Number(Dimension::Count),
            Self::Status | Self::Output | Self::Message | Self::Host | Self::Env => Type::Text,
            Self::LastSuccess => Type::Time,
        }
    }
}

impl Checker<'_> {
    /// A value and its type; `as_job` reads a name as the job's own field.
    pub(super) fn value(&mut self, node: &Node, as_job: bool) -> Option<(Expr, Type)> {
        match &node.kind {
            Kind::Bad => None,
            Kind::Number(literal) => {
                Some((Expr::Number(literal.value.clone()), Type::Number(literal.dimension)))
            }
            Kind::Text(text) => Some((Expr::Text(text.clone()), Type::Text)),
            Kind::Flag(flag) => Some((Expr::Flag(*flag), Type::Flag)),
            Kind::Word(_) | Kind::Key(_) => {
                let field = self.field(node, as_job)?;
                let kind = self.fields[field].source.kind();
                if kind == Type::Time {
                    return self.is_a_time(node);
                }
                Some((Expr::Field(field), kind))
            }
            Kind::Call { name, args } => self.call(node, name, args),
            Kind::Negative(inner) => {
                let (expr, dimension) = self.number(inner)?;
                let expr = match expr {
                    Expr::Number(number) => Expr::Number(number.negated()),
                    other => Expr::Negative(Box::new(other)),
                };
                Some((expr, Type::Number(dimension)))
            }
            Kind::Sum(first, rest) => {
                let (exprs, dimension) = self.chain(first, rest, sum)?;
                Some((Expr::Sum(exprs.0, exprs.1), Type::Number(dimension)))
            }
            Kind::Product(first, rest) => {
                for (divided, node) in rest {
                    if *divided && matches!(&node.kind, Kind::Number(literal) if literal.value.is_zero()) {
                        return self.problem(node, "this divides by zero");
                    }
                }
                let (exprs, dimension) = self.chain(first, rest, product)?;
                Some((Expr::Product(exprs.0, exprs.1), Type::Number(dimension)))
            }
            _ => {
                let message =
                    "a comparison is true or false and no value: join comparisons with `and` or `or`";
                self.problem(node, message)
            }
        }
    }

    /// A value that can be calculated with.
    fn number(&mut self, node: &Node) -> Option<(Expr, Dimension)> {
        let (expr, kind) = self.value(node, false)?;
        match kind {
            Type::Number(dimension) => Some((expr, dimension)),
            Type::Any => Some((expr, Dimension::Any)),
            Type::Text | Type::Flag | Type::Time => {
                let words = self.words(node);
                self.problem(node, format!("`{words}` is no number: it cannot be calculated with"))
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "the parts of one chain, taken apart at once")]
    fn chain(
        &mut self,
        first: &Node,
        rest: &[(bool, Node)],
        combine: fn(bool, Dimension, Dimension) -> Option<Dimension>,
    ) -> Option<((Box<Expr>, Vec<(bool, Expr)>), Dimension)> {
        let first = self.number(first);
        let numbers: Vec<_> = rest.iter().map(|(sign, node)| (*sign, self.number(node), node)).collect();
        let (first, mut dimension) = first?;
        let mut exprs = Vec::new();
        for (sign, number, node) in numbers {
            let (expr, other) = number?;
            let Some(both) = combine(sign, dimension, other) else {
                return self.problem(node, "a length of time and a size in bytes do not add up");
            };
            dimension = both;
            exprs.push((sign, expr));
        }
        Some(((Box::new(first), exprs), dimension))
    }

    /// The field that a name reads, by its place in the list of fields.
    pub(super) fn field(&mut self, node: &Node, as_job: bool) -> Option<usize> {
        let (key, source) = match &node.kind {
            Kind::Key(key) => (key, Source::Meta),
            Kind::Word(word) => {
                let built_in = Source::built_in(word).filter(|source| !(as_job && *source == Source::Status));
                (word, built_in.unwrap_or(Source::Meta))
            }
            _ => return self.problem(node, "expected a name"),
        };
        if key.chars().count() > MAX_KEY_CHARS {
            return self.problem(node, format!("a name has at most {MAX_KEY_CHARS} characters"));
        }
        if let Some(known) = self.fields.iter().position(|field| field.source == source && field.key == *key)
        {
            return Some(known);
        }
        let shown = if source == Source::Meta && Source::built_in(key).is_some() {
            format!("meta.{key}")
        } else {
            key.clone()
        };
        self.fields.push(Field { source, key: key.clone(), shown });
        Some(self.fields.len() - 1)
    }
}

fn sum(_: bool, left: Dimension, right: Dimension) -> Option<Dimension> {
    match (left, right) {
        (Dimension::Time, Dimension::Size) | (Dimension::Size, Dimension::Time) => None,
        (Dimension::Time, _) | (_, Dimension::Time) => Some(Dimension::Time),
        (Dimension::Size, _) | (_, Dimension::Size) => Some(Dimension::Size),
        (Dimension::Any, _) | (_, Dimension::Any) => Some(Dimension::Any),
        _ => Some(Dimension::Plain),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "stands beside `sum`, which may fail")]
fn product(divided: bool, left: Dimension, right: Dimension) -> Option<Dimension> {
    let plain = |dimension| matches!(dimension, Dimension::Plain | Dimension::Thousands | Dimension::Count);
    let both = match (left, right) {
        (left, right) if plain(left) && plain(right) => Dimension::Plain,
        (left @ (Dimension::Time | Dimension::Size), right) if plain(right) => left,
        (left, right @ (Dimension::Time | Dimension::Size)) if plain(left) && !divided => right,
        _ => Dimension::Any,
    };
    Some(both)
}

/// Why two values can never be compared as they stand.
pub(super) fn compare_types(
    (left, left_type): (&Operand, Type),
    comparison: Comparison,
    (right, right_type): (&Operand, Type),
) -> Result<(), String> {
    let ordered = !matches!(comparison, Comparison::Eq | Comparison::Ne);
    let (left_words, right_words) = (&left.words, &right.words);
    match (left_type, right_type) {
        (Type::Flag, _) | (_, Type::Flag) if ordered => {
            Err("true and false have no order: compare them with `eq` or `ne`".to_owned())
        }
        (Type::Flag, Type::Number(dimension)) | (Type::Number(dimension), Type::Flag)
            if dimension != Dimension::Any =>
        {
            Err(format!(
                "`{left_words}` and `{right_words}` never compare: a number is neither true nor false"
            ))
        }
        (Type::Number(left), Type::Number(right)) => match mismatch(left, right) {
            Some(why) => Err(format!("`{left_words}` and `{right_words}` do not compare: {why}")),
            None => Ok(()),
        },
        (Type::Number(dimension), Type::Text) if dimension != Dimension::Any => {
            text_beside_number(right, left_words)
        }
        (Type::Text, Type::Number(dimension)) if dimension != Dimension::Any => {
            text_beside_number(left, right_words)
        }
        _ => Ok(()),
    }
}

fn text_beside_number(text: &Operand, number: &str) -> Result<(), String> {
    match &text.expr {
        Expr::Text(fixed) if Number::parse(fixed.trim()).is_none() => {
            Err(format!("`{number}` is a number, {} is a text: they never compare", text.words))
        }
        _ => Ok(()),
    }
}

fn mismatch(left: Dimension, right: Dimension) -> Option<&'static str> {
    use Dimension::{Count, Size, Thousands, Time};
    match (left, right) {
        (Time, Size) | (Size, Time) => Some("one is a length of time, the other a size in bytes"),
        (Time, Thousands) | (Thousands, Time) => Some(
            "one is a length of time; units of time are ms, s, m, h, d, w (`m` are minutes, `M` are millions)",
        ),
        (Count, Time) | (Time, Count) => Some("one is a length of time, the other a count"),
        (Count, Size) | (Size, Count) => Some("one is a size in bytes, the other a count"),
        _ => None,
    }
}
