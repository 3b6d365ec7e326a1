//! What the fuzz target does with random requests, done with requests chosen by hand. And quickly.

#[path = "../../../../fuzz/src/ping.rs"]
pub mod ping;

use std::time::{Duration, Instant};

/// A millisecond; builds without optimisation on a busy machine get more.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 60 } else { 1 });

#[test]
fn absurd_pings_are_read_at_once() {
    let long = "x".repeat(10_000);
    let mut requests: Vec<String> = [
        "k/s?ts=0\n",
        "k/s?ts=-99999999999999999999\n",
        "k/s?ts=99999999999999999999999\n",
        "k/s?ts=0000-00-00T00:00:00Z\n",
        "k/s?ts=9999-12-31T23:59:59.999999999%2B23:59\n",
        "k/s?ts=NaN&stamp=inf\n",
        "k/s?ts=1e400\n",
        "k/s?exit=256&exit_code=-1&status_code=1e3\n",
        "k/s?exit=%D9%A3\n",
        "k/s?rid=&run_id=%00&series=%FF\n",
        "k/s?host=%0D%0Ax:y&env=%00&msg=%E2%80%AE\n",
        "k/s?metric=:&metric=a:&metric=:1&metric=a:1e999999999\n",
        "k/s?meta.=1&meta.%00=2&meta.a=%C3\n",
        "k/s?create=1/start&create=1&name=%00\n",
        "k/s?%%%&&&===\n",
        "k/s/start\ncontent-encoding: gzip\n\u{1f}\u{8b}\u{8}",
        "k/s\ncontent-type: multipart/form-data; boundary=x\n--x\r\n",
        "k/s\nx-forwarded-for: ,,,,\nforwarded: for=\"[::\n",
        "k/s\n\n{\"meta\":{\"a\":{\"b\":[1,2,{\"c\":null}]}},\"ts\":1e400,\"exit\":-0.0}",
        "k/s\n\nwatchclock: a=1 b= =c d=\"e f\" é=ü a=2\n",
    ]
    .map(str::to_owned)
    .into();
    requests.extend([
        format!("k/s?rid={long}&host={long}&env={long}&msg={long}&ts={long}&exit={long}\n"),
        format!("k/s?{}\n", "a=1&".repeat(2_500)),
        format!("k/s?{}\n", (0..1_000).fold(String::new(), |text, n| text + &format!("meta.k{n}={n}&"))),
        format!("k/s\nidempotency-key: {long}\nuser-agent: {long}\n"),
        format!("k/s\n\n{}", "[".repeat(10_000)),
        format!("k/s\n\n{}{}", "{\"a\":".repeat(2_000), "}".repeat(2_000)),
        format!("k/s\n\n{{\"a\":{}}}", "9".repeat(9_000)),
        format!("k/s\n\nwatchclock: {}", "a=1 ".repeat(2_500)),
        format!("k/s\n\n{}", "é\u{0}".repeat(3_000)),
        "/".repeat(10_000),
        "%".repeat(10_000),
        long,
    ]);
    for request in requests {
        let best = (0..3).map(|_| {
            let began = Instant::now();
            ping::request(request.as_bytes());
            began.elapsed()
        });
        let best = best.min().unwrap_or_default();
        assert!(best < LIMIT, "{request:.60}: {best:?}");
    }
    for bytes in [&b"\xFF\xFE?\xFF=\xFF\n\xFF:\xFF\n\xFF"[..], b"\n\n\n", b"", b"?\n:\n"] {
        ping::request(bytes);
    }
}
