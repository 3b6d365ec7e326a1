//! Cases for [`super`]: whole requests, line by line of the contract, and anything at all.

use std::net::Ipv4Addr;

use watchclock_domain::{
    ping::{Output, Signal},
    value::{Meta, Value},
};

use super::{properties::check, *};
use crate::ping::address::Address;

const NOW: &str = "2026-10-05T01:00:00Z";
pub(super) const ALICE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

pub(super) fn now() -> Time {
    NOW.parse().unwrap()
}

/// Decodes a request to `/ping/key/slug{rest}`.
pub(super) async fn decoded(rest: &str, headers: &[(&'static str, &[u8])], body: impl Into<Body>) -> Decoded {
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let action = Address::parse(&format!("key/slug{path}")).unwrap().action;
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_bytes(value).unwrap());
    }
    let request = Request { action, query, headers: &map, body: body.into(), peer: ALICE };
    let settings = Settings { trusted: &[], output_limit: 100_000, patience: Patience::default() };
    decode(request, settings, now).await
}

async fn ping(rest: &str, body: impl Into<Body>) -> Ping {
    decoded(rest, &[], body).await.ping
}

fn meta(ping: &Ping) -> String {
    ping.meta.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_bare_ping() {
    let decoded = decoded("", &[], Body::empty()).await;
    assert_eq!(
        decoded.ping,
        Ping {
            signal: Signal::Success,
            run_id: None,
            received_at: now(),
            happened_at: None,
            exit_code: None,
            message: None,
            meta: Meta::new(),
            output: Output::default(),
            source: Source { addr: Some("192.0.2.7".into()), ..Source::default() },
            notes: vec![],
            idempotency_key: None,
        }
    );
    assert!(decoded.create.is_none() && !decoded.wants_json);
}

#[tokio::test]
async fn signals_from_address_query_and_body() {
    use Signal::{Exit, Fail, Log, Start, Success};
    for (rest, body, signal, code) in [
        ("", "", Success, None),
        ("/end", "", Success, None),
        ("/start", "", Start, None),
        ("/log", "text", Log, None),
        ("/3", "", Exit(3), Some(3)),
        ("?status=fail", "", Fail, None),
        ("?state=run", "", Start, None),
        ("/end?status=error", "", Fail, None),
        ("/success?status=error", "", Success, None),
        ("/start?status=fail", "", Start, None),
        ("?exit=0", "", Exit(0), Some(0)),
        ("/end?exit_code=2", "", Exit(2), Some(2)),
        ("/fail?status_code=2", "", Fail, Some(2)),
        ("?exit=banana", "", Success, None),
        ("?exit=256", "", Fail, None),
        ("", "{\"status\":\"fail\"}", Fail, None),
        ("", "exit=7&rows=1", Exit(7), Some(7)),
        ("?exit=0", "{\"exit\":7}", Exit(0), Some(0)),
        ("", "status=fail", Fail, None),
        ("", "watchclock: status=fail", Success, None),
        ("?create=1/start", "", Start, None),
        ("/?create=1/fail", "", Fail, None),
        ("/start?create=1/fail", "", Start, None),
    ] {
        let ping = ping(rest, body).await;
        assert_eq!((ping.signal, ping.exit_code), (signal, code), "{rest} {body}");
    }
}

#[tokio::test]
async fn the_query_goes_before_the_body() {
    let body = "{\"rid\":\"b\",\"msg\":\"of the body\",\"host\":\"h\",\"rows\":1,\"x\":2}";
    let ping = ping("?rid=a&meta.rows=0&msg=", body).await;
    assert_eq!(ping.run_id.as_ref().unwrap().key, "a");
    assert_eq!(ping.message.as_deref(), Some("of the body"));
    assert_eq!(ping.source.host.as_deref(), Some("h"));
    assert_eq!((meta(&ping).as_str(), ping.notes.len()), ("rows=0 x=2", 0));
    assert_eq!(ping.output.text(), body);
}

#[tokio::test]
async fn times_are_believed_or_noted() {
    let one = ping("?ts=2026-10-05T00:59:00Z", "").await;
    assert_eq!(one.at().to_rfc3339(), "2026-10-05T00:59:00+00:00");
    let local = ping("?ts=2026-10-05T02:59:00+02:00", "").await;
    assert_eq!(one.happened_at, local.happened_at);
    for ts in ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "yesterday", "0"] {
        let ping = ping(&format!("?ts={ts}"), "").await;
        assert_eq!((ping.happened_at, ping.at(), ping.notes.len()), (None, now(), 1), "{ts}");
    }
}

#[tokio::test]
async fn headers() {
    let agent = [b'u'; 10_000];
    let long_key = [b'k'; 300];
    let ping = |headers: &'static [(&'static str, &[u8])]| async move { decoded("", headers, "").await };
    assert_eq!(ping(&[("user-agent", b"curl/8")]).await.ping.source.user_agent.unwrap(), "curl/8");
    assert!(ping(&[("user-agent", b"caf\xe9")]).await.ping.source.user_agent.unwrap().starts_with("caf"));
    let long = decoded("", &[("user-agent", &agent), ("idempotency-key", &long_key)], "").await.ping;
    assert_eq!(long.source.user_agent.unwrap().len(), 500);
    assert!(long.idempotency_key.unwrap().starts_with("sha256:"));
    assert_eq!(ping(&[("idempotency-key", b" abc ")]).await.ping.idempotency_key.unwrap(), "abc");
    assert!(ping(&[("idempotency-key", b"a\tb")]).await.ping.idempotency_key.unwrap().starts_with("sha256:"));
    assert_eq!(ping(&[("idempotency-key", b"")]).await.ping.idempotency_key, None);
    for (accept, json) in [
        (&b"application/json"[..], true),
        (b"text/html, Application/JSON;q=0.9", true),
        (b"application/json; charset=utf-8", true),
        (b"*/*", false),
        (b"text/plain", false),
        (b"application/json;q=0", false),
        (b"\xff", false),
    ] {
        assert_eq!(decoded("", &[("accept", accept)], "").await.wants_json, json, "{accept:?}");
    }
}

#[tokio::test]
async fn the_content_type_is_not_asked() {
    for kind in
        ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "??"]
    {
        let headers = [("content-type", kind.as_bytes())];
        let text = decoded("", &headers, "all done").await.ping;
        assert_eq!(
            (text.output.text().as_str(), text.meta.len(), text.notes.len()),
            ("all done", 0, 0),
            "{kind}"
        );
        let form = decoded("", &headers, "records_processed=0").await.ping;
        assert_eq!(form.meta["records_processed"], Value::Number(0.into()), "{kind}");
        let json = decoded("", &headers, "{\"records_processed\":0}").await.ping;
        assert_eq!(json.meta, form.meta, "{kind}");
        let empty = decoded("", &headers, "").await.ping;
        assert!(empty.output.is_empty() && empty.notes.is_empty());
    }
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"rows\"\r\n\r\n5\r\n--b--\r\n";
    assert_eq!(ping("", multipart).await.output.text(), multipart);
}

#[tokio::test]
async fn bodies_that_break_others() {
    let deep = format!("{}{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    for body in [
        &b"\xff\xfe\x00"[..],
        b"\0",
        b"{\"a\":\"\\u0000\",\"\\u0000\":1,\"msg\":\"\\u0000\"}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":",
        b"{",
        b"\x1f\x8b\x08",
        b"a=%00&msg=%00&rid=%00",
        deep.as_bytes(),
    ] {
        let ping = ping("", body.to_vec()).await;
        assert_eq!(ping.signal, Signal::Success);
        check(&ping);
    }
}

/// `cargo test --release -p watchclock-web -- --ignored --nocapture common_case`
#[test]
#[ignore = "a measurement, to be run with --release"]
fn how_long_the_common_case_takes() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static("curl/8.5.0"));
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    let received = now();
    let rounds = 1_000_000_u32;
    let measure = |name: &str, query: Option<&'static str>, body: &'static str| {
        let began = std::time::Instant::now();
        runtime.block_on(async {
            for _ in 0..rounds {
                let address = Address::parse("0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d").unwrap();
                let body = if body.is_empty() { Body::empty() } else { Body::from(body) };
                let request = Request { action: address.action, query, headers: &headers, body, peer: ALICE };
                let settings =
                    Settings { trusted: &[], output_limit: 100_000, patience: Patience::default() };
                std::hint::black_box(decode(request, settings, || received).await);
            }
        });
        println!("{name}: {:?} each", began.elapsed() / rounds);
    };
    measure("bare GET", None, "");
    measure("GET ?rid=UUID", Some("rid=0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d"), "");
    measure("POST form", None, "records_processed=0");
    measure("POST JSON", Some("rid=a"), "{\"records_processed\":0,\"message\":\"done\"}");
}
