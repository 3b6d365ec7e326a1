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
