//! What a number in a rule counts – seconds, bytes, or just things – and how people read it. Neighbour: [`super::explain`] makes sentences of it.

use chrono::TimeDelta;

use super::{
    explain::shown,
    got::Got,
    tree::{Expr, Function, Source, Tree},
};
use crate::{span, value::Number};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Things,
    Seconds,
    Bytes,
}

/// The unit of an expression, where its names tell one and its arithmetic keeps it: `2 * median(duration, 20)`.
pub(super) fn unit(tree: &Tree, expr: &Expr) -> Unit {
    match expr {
        Expr::Number(_) | Expr::Text(_) | Expr::Flag(_) => Unit::Things,
        Expr::Field(field) => of_field(tree, *field),
        Expr::History(call) => of_call(tree, *call),
        Expr::Negative(inner) => unit(tree, inner),
        Expr::Sum(first, rest) => {
            let mut units = std::iter::once(&**first).chain(rest.iter().map(|(_, expr)| expr));
            // A fixed part is in the unit of the others: `duration + 60`.
            let of_all = units.clone().map(|expr| unit(tree, expr)).find(|unit| *unit != Unit::Things);
            let Some(found) = of_all else { return Unit::Things };
            let fits = |expr: &Expr| expr.is_fixed() || unit(tree, expr) == found;
            if units.all(fits) { found } else { Unit::Things }
        }
        Expr::Product(first, rest) => {
            // Times or by a plain number; seconds by seconds are none any more.
            let others_are_fixed = rest.iter().all(|(_, expr)| expr.is_fixed());
            match rest.as_slice() {
                _ if others_are_fixed => unit(tree, first),
                [(false, second)] if first.is_fixed() => unit(tree, second),
                _ => Unit::Things,
            }
        }
    }
}

/// The unit of what a verdict read under a name.
pub(super) fn of_name(tree: &Tree, name: &str) -> Unit {
    let field = tree.fields.iter().position(|field| field.shown == name);
    let call = || tree.calls.iter().position(|call| call.shown == name);
    match field {
        Some(field) => of_field(tree, field),
        None => call().map_or(Unit::Things, |call| of_call(tree, call)),
    }
}

fn of_field(tree: &Tree, field: usize) -> Unit {
    match tree.fields[field].source {
        Source::Duration => Unit::Seconds,
        Source::OutputSize => Unit::Bytes,
        _ => Unit::Things,
    }
}

fn of_call(tree: &Tree, call: usize) -> Unit {
    let call = &tree.calls[call];
    match (call.function, call.field) {
        // relative to the run before
        (Function::Change, _) | (_, None) => Unit::Things,
        (_, Some(field)) => of_field(tree, field),
    }
}

/// A value with its unit, a time rounded to two of them.
pub(super) fn measured(unit: Unit, got: &Got<'_>) -> String {
    told(unit, got, span::words)
}

/// A value with its unit, a time in full.
pub(super) fn exactly(unit: Unit, got: &Got<'_>) -> String {
    told(unit, got, span::exact)
}

fn told(unit: Unit, got: &Got<'_>, words: impl Fn(TimeDelta) -> String) -> String {
    match (unit, got) {
        (Unit::Seconds, Got::Number(seconds)) => match time(seconds) {
            Some(time) => words(time),
            None => format!("{} s", shown(got)),
        },
        (Unit::Bytes, Got::Number(_)) => format!("{} bytes", shown(got)),
        _ => shown(got),
    }
}

/// Seconds as a span, to the millisecond.
fn time(seconds: &Number) -> Option<TimeDelta> {
    let millis = (seconds.to_f64() * 1_000.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "within what fits")]
    (millis.abs() < 1e15).then(|| TimeDelta::milliseconds(millis as i64))
}
