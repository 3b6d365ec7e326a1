//! The real wire: whatever names a monitor is recorded and answered well, whatever its body, type or encoding.

use std::io::Write as _;

use axum::{body::Body, http::Request};
use watchclock_tests::{
    Job, World,
    wire::{self, RawReply, exchange, exchange_parts},
};

async fn stage() -> (World, Job, std::net::SocketAddr) {
    let world = World::without_channels().await;
    let job = world.monitor("wire").create().await;
    let address = world.listen().await;
    (world, job, address)
}

#[track_caller]
fn ok(reply: &RawReply, what: &str) {
    assert_eq!((reply.status, reply.body.as_str()), (200, "OK"), "{what}: {}", reply.head);
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{what}");
}

/// B31
#[tokio::test]
async fn every_body_is_recorded() {
    let (_world, job, address) = stage().await;
    let path = format!("/ping/{}", job.monitor);
    let deep = "[".repeat(10_000);
    let cases: [(&str, &str, Vec<u8>); 16] = [
        ("text with a JSON type", "application/json", b"all fine".to_vec()),
        ("broken JSON", "application/json", b"{\"a\": 1,".to_vec()),
        ("JSON with NUL", "application/json", br#"{"a": "x\u0000y"}"#.to_vec()),
        ("JSON with half a surrogate", "application/json", br#"{"a": "\ud800"}"#.to_vec()),
        ("JSON with a key twice", "application/json", br#"{"a": 1, "a": 2}"#.to_vec()),
        ("deep JSON", "application/json", deep.into_bytes()),
        ("huge number", "application/json", br#"{"a": 1e400, "b": NaN}"#.to_vec()),
        ("nothing with a JSON type", "application/json", Vec::new()),
        ("form", "application/x-www-form-urlencoded", b"rows=3&ok=true".to_vec()),
        ("text with a form type", "application/x-www-form-urlencoded", b"50% done & dusted\n".to_vec()),
        (
            "multipart",
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhi\r\n--x--\r\n".to_vec(),
        ),
        ("broken multipart", "multipart/form-data", b"--x\r\nnothing".to_vec()),
        ("invalid UTF-8", "text/plain", b"caf\xe9 \xff\xfe".to_vec()),
        ("NUL", "text/plain", b"a\0b".to_vec()),
        ("UTF-16", "text/plain; charset=utf-16", vec![0xff, 0xfe, b'a', 0, b'b', 0]),
        ("a type that is none", "///;;;", b"x".to_vec()),
    ];
    let count = cases.len();
    for (what, kind, body) in cases {
        let reply = exchange(address, &wire::post(&path, &[("Content-Type", kind)], &body)).await;
        ok(&reply, what);
    }
    let runs = job.runs().await;
    assert_eq!(runs.len(), count);
    assert!(runs.iter().all(|run| run.status.word() == "success"));
    assert_eq!(runs[8].meta["rows"].to_string(), "3");
}

#[tokio::test]
async fn compressed_bodies_are_unpacked_or_kept_as_they_are() {
    let (_world, job, address) = stage().await;
    let path = format!("/ping/{}", job.monitor);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(b"rows=7").unwrap();
    let gzip = packer.finish().unwrap();
    let says_so = [("Content-Encoding", "gzip")];
    for (what, says_so, body) in [
        ("gzip", &says_so[..], &gzip[..]),
        ("gzip without saying so", &[], &gzip),
        ("no gzip at all", &says_so, b"rows=8"),
        ("half a gzip", &says_so, &gzip[..gzip.len() / 2]),
    ] {
        ok(&exchange(address, &wire::post(&path, says_so, body)).await, what);
    }
    let runs = job.runs().await;
    assert_eq!((runs.len(), runs[0].meta["rows"].to_string().as_str()), (4, "7"));
}

#[tokio::test]
async fn chunked_and_huge_bodies_are_read_to_their_end() {
    let (_world, job, address) = stage().await;
    let head = format!(
        "POST /ping/{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        job.monitor
    );
    let reply =
        exchange_parts(address, &[head.as_bytes(), b"5\r\nrows=\r\n", b"1\r\n9\r\n", b"0\r\n\r\n"]).await;
    ok(&reply, "chunked");
    assert_eq!(job.run(1).await.meta["rows"].to_string(), "9");

    let mut big = vec![b'x'; 50_000_000];
    big.extend_from_slice("\nthe end é".as_bytes());
    let reply = exchange(address, &wire::post(&format!("/ping/{}", job.monitor), &[], &big)).await;
    ok(&reply, "50 MB");
    assert_eq!(reply.header("ping-body-limit"), Some("100000"));
    let run = job.run(2).await;
    assert_eq!(run.output_size, big.len() as u64);
    let output = job.output(2).await;
    assert!(output.ends_with("the end é") && output.len() <= 100_010, "{}", output.len());
}

/// B29
#[tokio::test]
async fn methods_and_manners_do_not_matter() {
    let (_world, job, address) = stage().await;
    let id = job.monitor.to_string();
    for method in ["GET", "HEAD", "PUT"] {
        let request = format!("{method} /ping/{id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let reply = exchange(address, request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{method}");
        assert_eq!(reply.body, if method == "HEAD" { "" } else { "OK" });
    }
    let old = format!("GET /ping/{id} HTTP/1.0\r\n\r\n");
    assert_eq!(exchange(address, old.as_bytes()).await.status, 200, "HTTP/1.0");
    for path in [
        format!("/ping/{id}/"),
        format!("/ping/{}", id.to_uppercase()),
        format!("/ping/{}", id.replace('-', "")),
        format!("//ping/{id}"),
    ] {
        ok(&exchange(address, &wire::post(&path, &[], b"")).await, &path);
    }
    let agent = "x".repeat(10_000);
    ok(
        &exchange(address, &wire::post(&format!("/ping/{id}"), &[("User-Agent", &agent)], b"")).await,
        "agent",
    );
    let length = job.run(9).await.source.user_agent.unwrap().len();
    assert!(length <= 503, "{length}");
    let waits = format!(
        "POST /ping/{id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\nrows=1"
    );
    let reply = exchange(address, waits.as_bytes()).await;
    assert!(reply.status == 100 || reply.status == 200, "{}", reply.head);
    assert_eq!(job.runs().await.len(), 10);
    let asks = format!("OPTIONS /ping/{id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let reply = exchange(address, asks.as_bytes()).await;
    assert_eq!(reply.status, 204);
    let head = reply.head.to_lowercase();
    assert!(head.contains("access-control-allow-methods: get, head, post, put, options"), "{head}");
    assert!(head.contains("access-control-allow-headers: accept, content-type, idempotency-key"), "{head}");
    assert_eq!(job.runs().await.len(), 10);
}

#[tokio::test]
async fn what_is_past_the_limit_is_told_when_to_come_again() {
    let world = World::without_channels().await;
    let job = world.monitor("wire").ping_limit(2).create().await;
    let address = world.listen().await;
    let key = &world.project().ping_key;
    let paths = [format!("/ping/{}", job.monitor), format!("/ping/{key}/wire")];
    for path in &paths {
        ok(&exchange(address, &wire::post(path, &[], b"rows=1")).await, path);
    }
    for path in &paths {
        for signal in ["", "/start", "/fail", "/log", "/0", "/255", "/end?rid=a"] {
            let request = wire::post(&format!("{path}{signal}"), &[], b"rows=1");
            let reply = exchange(address, &request).await;
            assert_eq!((reply.status, reply.header("retry-after")), (429, Some("30")), "{path}{signal}");
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}{signal}");
            let text = Some("text/plain; charset=utf-8");
            assert_eq!(reply.header("content-type"), text, "{path}{signal}");
            assert!(reply.body.contains("takes 2 a minute") && !reply.body.contains('\n'), "{}", reply.body);
        }
    }
    let unknown = exchange(address, &wire::post(&format!("/ping/{key}/other"), &[], b"")).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(job.runs().await.len(), 2);
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let world = World::without_channels().await;
    let job = world.monitor("wire").create().await;
    for (path, answer) in [("/300", "400 invalid url format"), ("/nothing-of-ours/x", "404 not found")] {
        assert_eq!(job.ping(path, "").await.line(), answer, "{path}");
    }
    let unknown = format!("/ping/{}", uuid::Uuid::nil());
    assert_eq!(world.post(&unknown, "").await.line(), "404 not found");
    let delete = Request::delete(format!("/ping/{}", job.monitor)).body(Body::empty()).unwrap();
    assert_eq!(world.call(delete).await.status, 405);
    assert_eq!(job.tape().await, "");
}
