//! What holds of every ping that [`super`] makes, and whether it holds of anything at all.

use proptest::prelude::*;
use watchclock_domain::{ping::Signal, value::Value};

use super::{
    tests::{ALICE, decoded, now},
    *,
};
use crate::ping::address::Address;

/// What holds of every ping, whatever it was made of.
pub(super) fn check(ping: &Ping) {
    let source = &ping.source;
    let texts =
        [&ping.message, &source.addr, &source.user_agent, &source.host, &source.env, &ping.idempotency_key];
    let lines = texts.into_iter().flatten().map(|text| (text.as_str(), 1_000));
    let id = ping.run_id.iter().flat_map(|id| [(id.key.as_str(), 100), (id.shown.as_str(), 100)]);
    let notes = ping.notes.iter().map(|note| (note.as_str(), 300));
    for (text, max) in lines.chain(id).chain(notes) {
        assert!(text.chars().count() <= max && !text.chars().any(char::is_control), "{text:?}");
    }
    assert!(ping.meta.len() <= 200 && ping.notes.len() <= 21);
    for (key, value) in &ping.meta {
        assert!((1..=100).contains(&key.chars().count()) && !key.contains('\0'));
        if let Value::Text(text) = value {
            assert!(text.chars().count() <= 1_000 && !text.contains('\0'));
        }
    }
    assert!(ping.output.tail.len() <= 100_000 && !ping.output.text().contains('\0'));
}

/// Bytes that look like something often enough.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "\"",
        ":",
        ",",
        "[",
        "]",
        "null",
        "NaN",
        "-Infinity",
        "1e5",
        "\\ud800",
        "\\u0000",
        "meta",
        "output",
        "rid",
        "watchclock:",
        " ",
        "\n",
        "a=1",
        "&",
        "=",
        "\"a\":1",
        "é",
        "\0",
        "\u{1f}\u{8b}\u{8}",
        "exit",
        "-1",
        "ts",
        "'",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(words.clone(), 0..40).prop_map(|words| words.concat().into_bytes()),
        prop::collection::vec(words, 0..20)
            .prop_map(|words| format!("{{\"a\":1,{}}}", words.concat()).into_bytes()),
        prop::collection::vec(any::<u8>(), 0..50).prop_map(|bytes| [&[0x1f, 0x8b, 8][..], &bytes].concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn anything_becomes_a_ping(
        query in prop_oneof![
            "\\PC*",
            "(rid|ts|exit|status|msg|host|meta\\.a|metric|create|name)=[ -~]{0,20}(&(rid|ts|exit|status|create)=[%0-9a-f/+.-]{0,20}){0,4}",
        ],
        body in bodies(),
        encoding in prop::sample::select(vec!["", "gzip", "deflate", "br"]),
        suffix in prop::sample::select(vec!["", "/end", "/start", "/fail", "/log", "/7"]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let rest = format!("{suffix}?{query}");
        let ping = runtime.block_on(decoded(&rest, &[("content-encoding", encoding.as_bytes())], body)).ping;
        check(&ping);
        if suffix.len() > 1 && suffix != "/end" {
            prop_assert_eq!(Some(ping.signal), Address::parse(&format!("k/s{suffix}")).ok().map(|address| {
                match address.action { Action::Named(signal) => signal, Action::End => Signal::Success }
            }));
        }
    }

    #[test]
    fn any_path_is_answered(path in "\\PC*|[%/0-9a-fA-F-]{0,60}") {
        let _ = Address::parse(&path);
    }

    #[test]
    fn any_header_is_taken(value in prop::collection::vec(any::<u8>(), 0..100)) {
        if let Ok(value) = HeaderValue::from_bytes(&value) {
            let mut map = HeaderMap::new();
            for name in ["x-forwarded-for", "forwarded", "user-agent", "accept", "idempotency-key"] {
                map.append(name, value.clone());
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let trusted = ["0.0.0.0/0".parse().unwrap()];
            let settings = Settings { trusted: &trusted, output_limit: 100, patience: Patience::default() };
            let request = Request { action: Action::End, query: None, headers: &map, body: Body::empty(), peer: ALICE };
            check(&runtime.block_on(decode(request, settings, now)).ping);
        }
    }
}
