//! The server: wires the parts, runs the loops, and shuts down in order: stop accepting, drain, close, stop PostgreSQL.

use std::{future::IntoFuture as _, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use watchclock_notify::Notifier;
use watchclock_service::{Watchclock, clock::SystemClock};
use watchclock_store::Store;
use watchclock_web::WebSettings;

use crate::{
    config::{self, Config, Settings, Signup},
    database, logging, secret_key,
};

/// How long open requests and deliveries may go on after the signal to stop.
const DRAIN: Duration = Duration::from_secs(20);

pub(crate) async fn serve(settings: &Settings) -> anyhow::Result<()> {
    logging::start(settings)?;
    let mut config = settings.resolve().map_err(|problems| config::all(&problems))?;
    let seal = secret_key::seal(settings)?;
    // Taken before the database is started, so that a wrong address costs nothing.
    let mut listeners = Vec::new();
    for address in &settings.listen {
        let listener = TcpListener::bind(address).await;
        listeners
            .push(listener.with_context(|| format!("cannot listen on {address}; set WATCHCLOCK_LISTEN"))?);
    }
    if let Some(listener) = listeners.first() {
        config.listening_on(settings, listener.local_addr()?);
    }
    let (store, keeper) = database::for_server(settings, &config).await?;
    let done = run(settings, &config, seal, store.clone(), listeners).await;
    store.close().await;
    keeper.stop().await;
    done
}

/// The product on a store.
pub(crate) fn watchclock(
    config: &Config,
    seal: watchclock_service::secret::Seal,
    store: Store,
    clock: Arc<dyn watchclock_service::clock::Clock>,
) -> anyhow::Result<Watchclock> {
    let notifier = Notifier::new(config.notify.clone())
        .map_err(|problems| config::all(&problems.iter().map(ToString::to_string).collect::<Vec<_>>()))?;
    let settings = watchclock_service::Settings {
        base_url: config.base_url.clone(),
        allow_private_targets: config.notify.allow_private_targets,
        mail_configured: config.notify.smtp_url.is_some(),
    };
    Ok(Watchclock::new(store, notifier, clock, settings, seal))
}

async fn run(
    settings: &Settings,
    config: &Config,
    seal: watchclock_service::secret::Seal,
    store: Store,
    listeners: Vec<TcpListener>,
) -> anyhow::Result<()> {
    let watchclock = watchclock(config, seal, store, Arc::new(SystemClock::default()))?;
    let first = watchclock
        .first_start(settings.admin_email.as_deref(), config.admin_password.as_deref())
        .await
        .context("the first admin could not be made")?;

    let app = watchclock_web::app(
        watchclock.clone(),
        WebSettings {
            trusted_proxies: config.trusted_proxies.clone(),
            signup_open: settings.signup == Signup::Open,
            version: env!("CARGO_PKG_VERSION"),
        },
    );
    let stop_serving = CancellationToken::new();
    let stop_loops = CancellationToken::new();
    let serving = TaskTracker::new();
    let loops = TaskTracker::new();
    for listener in listeners {
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
            // Answers are one small packet; waiting to fill it only adds delay.
            let _ = stream.set_nodelay(true);
        });
        let server = axum::serve(listener, app.clone().into_make_service_with_connect_info::<SocketAddr>())
            .with_graceful_shutdown(stop_serving.clone().cancelled_owned());
        serving.spawn(server.into_future());
    }
    let (one, two, three) = (watchclock.clone(), watchclock.clone(), watchclock.clone());
    let (stop_one, stop_two, stop_three) = (stop_loops.clone(), stop_loops.clone(), stop_loops.clone());
    loops.spawn(async move { one.run_evaluator(stop_one.cancelled_owned()).await });
    loops.spawn(async move { two.run_deliverer(stop_two.cancelled_owned()).await });
    loops.spawn(async move { three.run_cleaner(stop_three.cancelled_owned()).await });
    let (four, stop_four) = (watchclock.clone(), stop_loops.clone());
    loops.spawn(async move { four.run_calendars(stop_four.cancelled_owned()).await });

    greet(config, first.as_ref());
    signalled().await?;
    tracing::info!("stopping");
    stop_serving.cancel();
    serving.close();
    if tokio::time::timeout(DRAIN, serving.wait()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
    stop_loops.cancel();
    loops.close();
    if tokio::time::timeout(DRAIN, loops.wait()).await.is_err() {
        tracing::warn!("some deliveries did not end in time; they are tried again at the next start");
    }
    Ok(())
}

/// Tells on stdout where to go. The link and the ping key are for the person who started it; the log has neither.
fn greet(config: &Config, first: Option<&watchclock_service::FirstStart>) {
    let base = &config.base_url;
    println!("Watchclock {} is ready at {base}/", env!("CARGO_PKG_VERSION"));
    let Some(first) = first else { return };
    match &first.sign_in {
        Some(path) => {
            println!("\nSign in as {} (the link works once, for a day):\n  {base}{path}", first.admin);
        }
        None => println!("\nSign in as {} with the password that was given.", first.admin),
    }
    println!(
        "\nA first monitor, made by its first ping:\n  curl '{base}/ping/{}/hello?create=1'",
        first.ping_key
    );
}

/// Waits for the signal to stop: Ctrl-C, or SIGTERM from a service manager.
async fn signalled() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            done = tokio::signal::ctrl_c() => done?,
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(())
}
