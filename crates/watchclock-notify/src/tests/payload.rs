//! What a webhook says.

use super::{BASE_URL, hostile, opened, resolved};
use crate::payload;

fn pretty(json: &[u8]) -> String {
    let value: serde_json::Value = serde_json::from_slice(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn opened_as_json() {
    insta::assert_snapshot!(pretty(&payload::json(&opened(), BASE_URL)));
}

#[test]
fn resolved_as_json() {
    insta::assert_snapshot!(pretty(&payload::json(&resolved(), BASE_URL)));
}

#[test]
fn nothing_breaks_the_json() {
    let json = payload::json(&hostile(), BASE_URL);
    assert!(json.len() < 50_000, "{} bytes", json.len());
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let tail = value["data"]["output_tail"].as_str().unwrap();
    assert!(tail.ends_with(".\n..\nFrom me\n<script>è 🦀\u{fffd}\nend"), "{tail}");
    assert_eq!(value["data"]["output_cut"], true);
    assert!(!String::from_utf8(json).unwrap().contains("\\u0000"));
}
