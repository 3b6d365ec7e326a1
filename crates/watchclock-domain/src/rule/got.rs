//! A value while a rule is evaluated, borrowed where possible, and how two of them compare. Neighbours: [`super::eval`], [`crate::value`].

use std::{borrow::Cow, cmp::Ordering};

use crate::value::{Number, Value};

/// One value of a run, of history or of a calculation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Got<'a> {
    Number(Cow<'a, Number>),
    Text(Cow<'a, str>),
    Flag(bool),
}

impl<'a> Got<'a> {
    pub(super) fn number(number: Number) -> Self {
        Self::Number(Cow::Owned(number))
    }

    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Number(number) => Self::Number(Cow::Borrowed(number)),
            Value::Text(text) => Self::Text(Cow::Borrowed(text)),
            Value::Flag(flag) => Self::Flag(*flag),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.as_ref().clone()),
            Self::Text(text) => Value::Text(text.as_ref().to_owned()),
            Self::Flag(flag) => Value::Flag(*flag),
        }
    }

    /// The number that it is, or that its text says.
    pub(super) fn to_number(&self) -> Option<Cow<'_, Number>> {
        match self {
            Self::Number(number) => Some(Cow::Borrowed(number.as_ref())),
            Self::Text(text) => Number::parse(text.trim()).map(Cow::Owned),
            Self::Flag(_) => None,
        }
    }

    /// How it is written, for text operators.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => Cow::Borrowed(text.as_ref()),
            Self::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        }
    }
}

/// Whether two values are equal. `fixed_text` says that a text among them stands in the rule itself: then what
/// is no such text is not equal to it. Otherwise a number and a text that is none do not compare.
pub(super) fn equal(left: &Got<'_>, right: &Got<'_>, fixed_text: bool) -> Option<bool> {
    match (left, right) {
        (Got::Number(left), Got::Number(right)) => Some(left == right),
        (Got::Text(left), Got::Text(right)) => Some(left == right),
        (Got::Flag(left), Got::Flag(right)) => Some(left == right),
        (Got::Number(number), text @ Got::Text(_)) | (text @ Got::Text(_), Got::Number(number)) => {
            match text.to_number() {
                Some(other) => Some(*number.as_ref() == *other),
                None => fixed_text.then_some(false),
            }
        }
        (Got::Flag(flag), Got::Text(text)) | (Got::Text(text), Got::Flag(flag)) => match text.trim() {
            "true" => Some(*flag),
            "false" => Some(!*flag),
            _ => fixed_text.then_some(false),
        },
        (Got::Flag(_), Got::Number(_)) | (Got::Number(_), Got::Flag(_)) => None,
    }
}

/// Orders two values: as numbers where both are, or say, numbers, else as texts.
pub(super) fn order(left: &Got<'_>, right: &Got<'_>) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (left.to_number(), right.to_number()) {
        return Some(left.cmp(&right));
    }
    match (left, right) {
        (Got::Text(left), Got::Text(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
