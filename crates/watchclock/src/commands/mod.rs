//! Short commands that work beside a running server, or without one.

pub(crate) mod demo;
pub(crate) mod key;
pub(crate) mod ping;
pub(crate) mod user;

use std::{future::Future, sync::Arc};

use watchclock_service::{Watchclock, clock::SystemClock};

use crate::{
    config::{self, Settings},
    database, logging, secret_key, serve,
};

pub(crate) async fn migrate(settings: &Settings) -> anyhow::Result<()> {
    with_watchclock(settings, async |_| {
        println!("the database is up to date");
        Ok(())
    })
    .await
}

/// Does something with the product on its database, and cleans up after it.
async fn with_watchclock<F>(settings: &Settings, work: F) -> anyhow::Result<()>
where
    F: AsyncFnOnce(Watchclock) -> anyhow::Result<()>,
{
    logging::start(settings)?;
    let config = settings.resolve().map_err(|problems| config::all(&problems))?;
    let seal = secret_key::seal(settings)?;
    let (store, keeper) = database::for_command(settings, &config).await?;
    let watchclock = serve::watchclock(&config, seal, store.clone(), Arc::new(SystemClock::default()))?;
    let done = work(watchclock).await;
    close(store.close()).await;
    keeper.stop().await;
    done
}

/// A broken connection must not keep a command from ending.
async fn close(closing: impl Future<Output = ()>) {
    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), closing).await;
}

/// The first line of stdin, as a password.
fn password_from_stdin() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']).to_owned();
    anyhow::ensure!(!password.is_empty(), "no password came on stdin");
    Ok(password)
}
