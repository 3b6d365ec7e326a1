//! The way to the database: the one that is given, or the private one, for as long as the value lives.

use anyhow::Context as _;
use watchclock_postgres::{Access, PostgresSettings, PrivatePostgres};
use watchclock_store::Store;

use crate::{
    config::{Config, Settings},
    logging,
};

/// Connections of a server; the pings' task needs one, the rest are for pages.
const SERVER_CONNECTIONS: u32 = 12;
const COMMAND_CONNECTIONS: u32 = 2;

/// What must live as long as the database is used.
#[derive(Debug)]
pub(crate) enum Keeper {
    Given,
    Server(Box<PrivatePostgres>),
    Command(Box<Access>),
}

fn private(settings: &Settings) -> PostgresSettings {
    let mut postgres = PostgresSettings::new(&settings.data_dir);
    postgres.log = logging::postgres_sink();
    postgres
}

/// For the server: starts the private PostgreSQL where none is given.
pub(crate) async fn for_server(settings: &Settings, config: &Config) -> anyhow::Result<(Store, Keeper)> {
    let (url, keeper) = if let Some(url) = &config.database_url {
        (url.clone(), Keeper::Given)
    } else {
        let postgres = private(settings);
        let started = tokio::task::spawn_blocking(move || PrivatePostgres::start(postgres)).await??;
        (started.connection_url(), Keeper::Server(Box::new(started)))
    };
    Ok((open(&url, SERVER_CONNECTIONS).await?, keeper))
}

/// For a command: beside a running server, or with a PostgreSQL of its own meanwhile.
pub(crate) async fn for_command(settings: &Settings, config: &Config) -> anyhow::Result<(Store, Keeper)> {
    let (url, keeper) = if let Some(url) = &config.database_url {
        (url.clone(), Keeper::Given)
    } else {
        let postgres = private(settings);
        let access = tokio::task::spawn_blocking(move || Access::open(postgres)).await??;
        (access.connection_url(), Keeper::Command(Box::new(access)))
    };
    Ok((open(&url, COMMAND_CONNECTIONS).await?, keeper))
}

async fn open(url: &str, connections: u32) -> anyhow::Result<Store> {
    let store = Store::open(url, connections).context("DATABASE_URL cannot be used")?;
    store.migrate().await.context("the database could not be prepared")?;
    Ok(store)
}

impl Keeper {
    /// Stops what was started, after the store was closed.
    pub(crate) async fn stop(self) {
        let stopped = tokio::task::spawn_blocking(move || match self {
            Self::Given => {}
            Self::Server(postgres) => postgres.stop(),
            Self::Command(access) => drop(access),
        });
        if let Err(error) = stopped.await {
            tracing::error!(%error, "the private PostgreSQL could not be stopped");
        }
    }
}
