//! What was answered is durable: the real server is killed, or its PostgreSQL, in the middle of many pings.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

mod server;

use std::{sync::Arc, time::Duration};

use server::{Sent, Server, load};

/// Connections that ping at once, as many as a busy site has.
const CONNECTIONS: usize = 64;

#[tokio::test(flavor = "multi_thread")]
async fn killing_the_server_loses_no_acknowledged_ping_and_doubles_none() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path()).await;
    server.create_monitors(8).await;
    let sent = Arc::new(Sent::default());
    let work = load(&server, CONNECTIONS, &sent);
    sent.wait_for_acknowledged(400).await;
    server.kill();
    work.stop().await;

    let server = Server::start(home.path()).await;
    let stored = server.runs().await;
    sent.compare(&stored);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killing_postgresql_loses_no_acknowledged_ping_and_doubles_none() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path()).await;
    server.create_monitors(8).await;
    let sent = Arc::new(Sent::default());
    let work = load(&server, CONNECTIONS, &sent);
    sent.wait_for_acknowledged(400).await;
    server.kill_postgres();
    let before = sent.acknowledged();
    // It comes back by itself, and pings are taken again.
    tokio::time::timeout(Duration::from_mins(1), sent.wait_for_acknowledged(before + 400)).await.unwrap();
    work.stop().await;

    let stored = server.runs().await;
    sent.compare(&stored);
    server.stop().await;
}

/// Makes it look as if no server had ticked for three hours.
fn let_hours_pass(server: &Server) {
    server.sql(
        "update heartbeats set at = at - interval '3 hours';
         update monitor_memories set anchor = anchor - interval '1 day', next_slot = next_slot - interval '2 hours',
                                     deadline = deadline - interval '2 hours'",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hours_after_a_kill_are_told_once() {
    const TOLD: &str = "select count(*) from alerts where event = 'unwatched'";
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path()).await;
    server.create_monitors_with(8, "&schedule=0+*+*+*+*").await;
    server.eventually("select count(*) from heartbeats where name in ('watcher', 'evaluator')", "2").await;

    // It stands still before it dies, so that it leaves no heartbeat after those hours.
    server.freeze();
    let_hours_pass(&server);
    server.kill();
    let server = Server::start(home.path()).await;
    server.eventually(TOLD, "1").await;
    server.eventually("select count(distinct monitor_id) from runs where status = 'unknown'", "8").await;
    server.stop().await;
    let server = Server::start(home.path()).await;
    server.eventually("select count(*) > 0 from heartbeats where name = 'watcher'", "t").await;
    assert_eq!(server.sql(TOLD), "1", "a restart tells nothing again");
    assert_eq!(server.sql("select count(*) from unwatched_monitors"), "8");
    assert_eq!(server.sql("select count(*) from runs where status = 'missed'"), "0");
    assert_eq!(server.sql("select count(*) from incidents"), "0");
    server.stop().await;
}
