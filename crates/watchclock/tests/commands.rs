//! Commands as scripts rely on them: exit codes, what is on stdout, every problem at once.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

use std::{path::Path, process::Output};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    process::Command,
};

async fn watchclock(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_watchclock")).args(args).env_clear().output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn every_command_has_help_with_an_example() {
    let commands: [&[&str]; 13] = [
        &[],
        &["serve"],
        &["migrate"],
        &["check-config"],
        &["ping"],
        &["demo"],
        &["user", "add"],
        &["user", "list"],
        &["user", "passwd"],
        &["user", "remove"],
        &["key", "add"],
        &["key", "list"],
        &["key", "revoke"],
    ];
    for command in commands {
        let help = watchclock(&[command, &["--help"]].concat()).await;
        assert!(help.status.success(), "{command:?}");
        assert!(text(&help.stdout).contains("Example: "), "{command:?} shows no example");
    }
}

#[tokio::test]
async fn wrong_use_exits_2_and_failure_exits_1() {
    assert_eq!(watchclock(&["bogus"]).await.status.code(), Some(2));
    assert_eq!(watchclock(&["key", "add", "--role", "root"]).await.status.code(), Some(2));
    assert_eq!(watchclock(&["ping", "some-slug"]).await.status.code(), Some(1));
}

#[tokio::test]
async fn check_config_tells_every_problem_at_once() {
    let checked = watchclock(&[
        "check-config",
        "--base-url",
        "foo",
        "--smtp-url",
        "http://user:hunter2@host",
        "--trusted-proxies",
        "10.0.0.0/8,a",
        "--database-url",
        "mysql://x",
    ])
    .await;
    assert_eq!(checked.status.code(), Some(1));
    let said = text(&checked.stderr);
    for setting in
        ["WATCHCLOCK_BASE_URL", "WATCHCLOCK_SMTP_URL", "WATCHCLOCK_TRUSTED_PROXIES", "DATABASE_URL"]
    {
        assert_eq!(said.matches(&format!("- {setting}:")).count(), 1, "{setting} in {said}");
    }
    assert!(!said.contains("hunter2"), "a secret was told: {said}");
}

#[tokio::test]
async fn keys_and_people_are_managed_without_a_server() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let data: &Path = &data;
    let data = data.to_str().unwrap();
    let key = watchclock(&["key", "add", "--data-dir", data, "--role", "write", "--name", "deploy"]).await;
    assert!(key.status.success(), "{}", text(&key.stderr));
    let key = text(&key.stdout);
    assert_eq!(key.lines().count(), 1, "the key stands alone on stdout");
    let listed = text(&watchclock(&["key", "list", "--data-dir", data, "--json"]).await.stdout);
    assert!(
        listed.contains("deploy") && !listed.contains(key.trim()),
        "the list names the key and does not tell it"
    );

    let added = watchclock(&["user", "add", "ops@example.com", "--data-dir", data]).await;
    assert!(text(&added.stdout).contains("/sign-in/"), "a one-time link is printed");
    let again = watchclock(&["user", "add", "OPS@example.com", "--data-dir", data]).await;
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("exists already"), "{}", text(&again.stderr));
}

/// Answers one connection after the other with these, and tells how many came.
async fn answering(answers: &[&'static str]) -> (String, tokio::task::JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answers = answers.to_vec();
    let served = tokio::spawn(async move {
        let mut came = 0;
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            came += 1;
            let mut request = [0; 4_096];
            let _ = stream.read(&mut request).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        came
    });
    (base, served)
}

#[tokio::test]
async fn a_ping_waits_as_long_as_it_is_asked_to_and_not_for_ever() {
    const BUSY: &str =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nConnection: close\r\n\r\ntoo many pings";
    const DOWN: &str =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nConnection: close\r\n\r\nnot now";
    const TAKEN: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nOK";
    const LATER: &str =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\nConnection: close\r\n\r\ntoo many pings";
    const REFUSED: &str =
        "HTTP/1.1 409 Conflict\r\nRetry-After: 0\r\nConnection: close\r\n\r\nrefused: run #1 is active";
    let id = "0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d";
    let ping = async |answers: &[&'static str]| {
        let (base, served) = answering(answers).await;
        let done = watchclock(&["ping", "--base-url", &base, id]).await;
        (done.status.code(), text(&done.stdout), text(&done.stderr), served)
    };
    let (code, said, complained, served) = ping(&[BUSY, DOWN, TAKEN]).await;
    assert_eq!((code, said.trim(), served.await.unwrap()), (Some(0), "OK", 3), "{complained}");
    for (answers, told) in [
        (&[BUSY, BUSY, BUSY][..], "answered 429: too many pings"),
        (&[LATER], "answered 429: too many pings"),
        (&[REFUSED], "answered 409: refused: run #1 is active"),
    ] {
        let (code, _, complained, served) = ping(answers).await;
        assert_eq!((code, served.await.unwrap()), (Some(1), answers.len()));
        assert!(complained.contains(told), "{complained}");
    }
}
