//! The two servers that are measured, set up alike: Watchclock as `serve` wires it, and a handler that only says OK.

use std::{io::Read as _, net::SocketAddr, sync::Arc};

use anyhow::Context as _;
use axum::{Router, routing::any, serve::ListenerExt as _};
use tokio::net::TcpListener;
use watchclock_notify::{Notifier, NotifySettings};
use watchclock_service::{Settings, Watchclock, clock::SystemClock, secret::Seal};
use watchclock_store::Store;
use watchclock_web::WebSettings;

/// Names the database to the server's process.
pub(crate) const DATABASE: &str = "BENCH_DATABASE_URL";
/// As many as `serve` takes.
const CONNECTIONS: u32 = 12;

pub(crate) async fn bare() -> anyhow::Result<()> {
    serve(Router::new().route("/ping/{*address}", any(async || "OK"))).await
}

pub(crate) async fn watchclock() -> anyhow::Result<()> {
    let url = std::env::var(DATABASE).context("the bench tells its server where the database is")?;
    let watchclock = product(&url)?;
    for ticking in [true, false] {
        let watchclock = watchclock.clone();
        tokio::spawn(async move {
            let for_ever = std::future::pending();
            if ticking {
                watchclock.run_evaluator(for_ever).await;
            } else {
                watchclock.run_deliverer(for_ever).await;
            }
        });
    }
    serve(watchclock_web::app(watchclock, WebSettings { version: "bench", ..WebSettings::default() })).await
}

/// The product on a database.
pub(crate) fn product(url: &str) -> anyhow::Result<Watchclock> {
    let base_url = "http://127.0.0.1".to_owned();
    let store = Store::open(url, CONNECTIONS)?;
    let notifier = Notifier::new(NotifySettings::new(base_url.clone()));
    let notifier = notifier.map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
    let settings = Settings { base_url, allow_private_targets: false, mail_configured: false };
    Ok(Watchclock::new(
        store,
        notifier,
        Arc::new(SystemClock::default()),
        settings,
        Seal::new(&Seal::new_key()),
    ))
}

/// Serves until stdin ends; tells the address on stdout.
async fn serve(app: Router) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let over = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        done = async { axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await } => done?,
        _ = over => {}
    }
    Ok(())
}
