//! What a webhook says.

use super::{BASE_URL, hostile, opened, resolved};
use crate::alert::Alert;
use crate::payload::{self, Payload};

/// In the order of the fields, whatever features serde_json is built with.
fn pretty(alert: &Alert) -> String {
    serde_json::to_string_pretty(&Payload::new(alert, BASE_URL)).unwrap()
}

#[test]
fn opened_as_json() {
    insta::assert_snapshot!(pretty(&opened()));
}

#[test]
fn resolved_as_json() {
    insta::assert_snapshot!(pretty(&resolved()));
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
