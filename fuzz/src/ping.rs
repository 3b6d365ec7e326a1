//! Random bytes as a request to the address of a ping: it always becomes a ping, and one that can be stored.

use std::net::{IpAddr, Ipv4Addr};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue},
};
use chrono::DateTime;
use watchclock_domain::{ping::Ping, value::Value};
use watchclock_web::ping::{Address, Patience, Request, Settings, decode};

/// The first line is the path and query, lines with a colon after it are headers, the rest is the body.
pub fn request(data: &[u8]) {
    let (target, mut rest) = split(data);
    let mut headers = HeaderMap::new();
    loop {
        let (line, after) = split(rest);
        let colon = line.iter().position(|byte| *byte == b':').filter(|_| headers.len() < 8);
        let Some(colon) = colon else { break };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
        rest = after;
    }
    let target = String::from_utf8_lossy(target);
    let (path, query) = target.split_once('?').map_or((&*target, None), |(path, query)| (path, Some(query)));
    let action = Address::parse(path)
        .or_else(|_| Address::parse("key/slug"))
        .expect("such an address is right")
        .action;
    let request = Request {
        action,
        query,
        headers: &headers,
        body: Body::from(rest.to_vec()),
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let settings = Settings { trusted: &[], output_limit: 100_000, patience: Patience::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let now = || DateTime::from_timestamp(1_800_000_000, 0).unwrap_or_default();
    storable(&runtime.block_on(decode(request, settings, now)).ping);
}

fn split(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}

/// What PostgreSQL refuses, and what is too long to be shown, is in no ping.
pub fn storable(ping: &Ping) {
    let source = &ping.source;
    let texts =
        [&ping.message, &source.addr, &source.user_agent, &source.host, &source.env, &ping.idempotency_key];
    for text in texts.into_iter().flatten() {
        assert!(text.chars().count() <= 1_000 && !text.chars().any(char::is_control), "{text:?}");
    }
    if let Some(id) = &ping.run_id {
        assert!((1..=100).contains(&id.key.chars().count()) && id.shown.chars().count() <= 100, "{id:?}");
    }
    assert!(ping.meta.len() <= 200 && ping.notes.len() <= 21);
    for (key, value) in &ping.meta {
        assert!((1..=100).contains(&key.chars().count()) && !key.contains('\0'), "{key:?}");
        if let Value::Text(text) = value {
            assert!(text.chars().count() <= 1_000 && !text.contains('\0'), "{text:?}");
        }
    }
    assert!(ping.output.tail.len() <= 100_000 && !ping.output.text().contains('\0'));
    if let Some(at) = ping.happened_at {
        let ahead = at - ping.received_at;
        assert!(ahead.num_minutes() <= 5 && ahead.num_days() >= -7, "{at} is not to be believed");
    }
}
