//! Between JSON columns and domain values; numbers stay exact both ways.

use serde_json::{Map, Value as Json};
use watchclock_domain::value::{Meta, Number, Value};

/// Metadata as stored; null when there is none.
pub(crate) fn of_meta(meta: &Meta) -> Option<Json> {
    if meta.is_empty() {
        return None;
    }
    Some(Json::Object(meta.iter().map(|(key, value)| (key.clone(), of_value(value))).collect()))
}

pub(crate) fn of_value(value: &Value) -> Json {
    match value {
        Value::Number(number) => {
            serde_json::from_str(&number.to_string()).unwrap_or_else(|_| Json::String(number.to_string()))
        }
        Value::Text(text) => Json::String(text.clone()),
        Value::Flag(flag) => Json::Bool(*flag),
    }
}

/// Metadata as read; what is no metadata (a row changed by hand) is left out.
pub(crate) fn to_meta(json: Option<Json>) -> Meta {
    let Some(Json::Object(map)) = json else { return Meta::new() };
    map.into_iter().filter_map(|(key, value)| Some((key, to_value(value)?))).collect()
}

fn to_value(json: Json) -> Option<Value> {
    match json {
        Json::Number(number) => Number::parse(&number.to_string()).map(Value::Number),
        Json::String(text) => Some(Value::Text(text)),
        Json::Bool(flag) => Some(Value::Flag(flag)),
        _ => None,
    }
}

/// Facts as stored: an array of pairs, so that their order stays.
pub(crate) fn of_pairs(pairs: &[(String, String)]) -> Json {
    Json::Array(pairs.iter().map(|(name, value)| Json::from(vec![name.clone(), value.clone()])).collect())
}

pub(crate) fn to_pairs(json: Json) -> Vec<(String, String)> {
    serde_json::from_value(json).unwrap_or_default()
}

pub(crate) fn of_texts(texts: &[String]) -> Option<Json> {
    (!texts.is_empty()).then(|| Json::from(texts.to_vec()))
}

pub(crate) fn to_texts(json: Option<Json>) -> Vec<String> {
    json.and_then(|json| serde_json::from_value(json).ok()).unwrap_or_default()
}

pub(crate) fn object(pairs: impl IntoIterator<Item = (String, Json)>) -> Json {
    Json::Object(pairs.into_iter().collect::<Map<_, _>>())
}
