//! What the shapes of all nouns are made of: times, lengths of time, exact values, lists.

use std::collections::BTreeMap;

use chrono::{Duration, SecondsFormat};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    value::{Meta, Number, Value},
};

/// A point in time, RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, ToSchema)]
#[schema(value_type = String, format = DateTime, as = Time, example = "2026-01-31T04:00:00Z")]
pub(super) struct At(pub(super) Time);

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

/// A length of time in seconds, with a fraction where there is one.
#[derive(Debug, Clone, Copy, ToSchema)]
#[schema(value_type = f64, example = 300)]
pub(super) struct Seconds(pub(super) Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let micros = self.0.num_microseconds().unwrap_or(i64::MAX);
        Number::scaled(micros.into(), 6).as_ref().map_or(Json::Null, number).serialize(serializer)
    }
}

/// A number as it was reported, digit for digit.
fn number(number: &Number) -> Json {
    let text = number.to_string();
    serde_json::from_str(&text).unwrap_or(Json::String(text))
}

/// A value as it was reported.
pub(super) fn value(of: &Value) -> Json {
    match of {
        Value::Number(n) => number(n),
        Value::Text(text) => Json::String(text.clone()),
        Value::Flag(flag) => Json::Bool(*flag),
    }
}

/// Metadata as an object.
pub(super) fn meta(of: &Meta) -> BTreeMap<String, Json> {
    of.iter().map(|(key, reported)| (key.clone(), value(reported))).collect()
}

/// An object whose names stand in an order that reads well.
#[derive(Debug, Clone, ToSchema)]
#[schema(value_type = Object)]
pub(super) struct Pairs(pub(super) Vec<(String, Json)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            if self.0[..at].iter().all(|(earlier, _)| earlier != name) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

/// One page of a list, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Listing<T: ToSchema> {
    pub(super) items: Vec<T>,
    /// Give it as `cursor` to get what follows; null at the end.
    pub(super) next: Option<String>,
}

impl<T: ToSchema> Listing<T> {
    pub(super) fn new(next: Option<Uuid>, items: Vec<T>) -> Self {
        Self { items, next: next.map(|id| id.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(shape: impl Serialize) -> String {
        serde_json::to_string(&shape).unwrap()
    }

    #[test]
    fn numbers_times_and_order_stay_exact() {
        let time: Time = "2026-01-31T04:00:00.250Z".parse().unwrap();
        assert_eq!(json(At(time)), "\"2026-01-31T04:00:00.250Z\"");
        assert_eq!(json(Seconds(Duration::milliseconds(1_500))), "1.5");
        assert_eq!(json(Seconds(Duration::seconds(300))), "300");
        assert_eq!(json(Seconds(Duration::microseconds(1))), "0.000001");
        let big = Value::Number(Number::parse("9007199254740993.10").unwrap());
        assert_eq!(value(&big).to_string(), "9007199254740993.1");
        let pairs = [("b", 1), ("a", 2), ("b", 3)].map(|(name, value)| (name.to_owned(), Json::from(value)));
        assert_eq!(json(Pairs(pairs.into())), r#"{"b":1,"a":2}"#);
    }
}
