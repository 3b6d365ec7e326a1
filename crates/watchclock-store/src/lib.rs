//! All SQL of Watchclock: transactions, migrations, and rows that become domain values at once. Only user of sqlx.
//!
//! One noun a file, named as in the domain. No statement asks the database for the time.

pub mod account;
pub mod calendar;
pub mod channel;
pub mod delivery;
mod error;
pub mod facts;
pub mod gap;
pub mod heartbeat;
pub mod idempotency;
pub mod incident;
mod json;
pub mod keep;
pub mod key;
pub mod maintenance;
pub mod memory;
pub mod monitor;
mod monitor_row;
pub mod output;
pub mod project;
mod rows;
mod rule;
pub mod run;
mod write;

pub use error::{StoreError, StoreResult};
use sqlx::{
    Executor as _,
    postgres::{PgConnectOptions, PgPoolOptions},
};
pub use write::{AlertRow, Batch};

/// A transaction; everything in it is durable when [`Store::commit`] returns.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

/// The number of a transaction, by which the database can be asked what became of it.
pub type TxId = i64;

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    pool: sqlx::PgPool,
    /// Apart, so that pages cannot keep pings waiting for a connection.
    pings: sqlx::PgPool,
    kept_days: calendar::KeptDays,
}

/// Statements of pings go row by row through keys, whatever the statistics say: a plan that was made while a table was
/// empty reads all of it, and planning again costs as much as executing. Also, so they lock in the order of their rows.
const PLANS_OF_PINGS: &str = "set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
     set enable_hashjoin = off; set enable_mergejoin = off";

/// Every migration, compiled in. They only go forward and are never edited once released.
static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

impl Store {
    /// Prepares a pool; connects when first used, so that a database that is still starting is waited for.
    pub fn open(url: &str, connections: u32) -> StoreResult<Self> {
        let options: PgConnectOptions = url.parse().map_err(StoreError::from)?;
        let options = options.application_name("watchclock");
        let timeout = std::time::Duration::from_secs(5);
        let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(timeout);
        let pings = PgPoolOptions::new().max_connections(connections).acquire_timeout(timeout);
        let pings = pings.after_connect(|connection, _| {
            Box::pin(async move { connection.execute(PLANS_OF_PINGS).await.map(|_| ()) })
        });
        let pool = pool.connect_lazy_with(options.clone());
        let pings = pings.connect_lazy_with(options);
        Ok(Self { pool, pings, kept_days: calendar::KeptDays::default() })
    }

    /// Brings the schema up to date, one server at a time (sqlx takes an advisory lock).
    pub async fn migrate(&self) -> StoreResult<()> {
        MIGRATIONS.run(&self.pool).await.map_err(|error| StoreError::Migration(error.to_string()))
    }

    /// Whether the database answers.
    pub async fn answers(&self) -> StoreResult<()> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }

    /// The server's version, `15.14`.
    pub async fn server_version(&self) -> StoreResult<String> {
        Ok(sqlx::query_scalar("show server_version").fetch_one(&self.pool).await?)
    }

    pub async fn begin(&self) -> StoreResult<Tx> {
        Ok(self.pool.begin().await?)
    }

    /// The same, for pings.
    pub async fn begin_pings(&self) -> StoreResult<Tx> {
        Ok(self.pings.begin().await?)
    }

    pub async fn commit(&self, tx: Tx) -> StoreResult<()> {
        Ok(tx.commit().await?)
    }

    /// Commits, and finds out what became of it when the connection broke meanwhile, so that nothing is done twice.
    ///
    /// `id` is what [`Store::write`] told.
    pub async fn commit_surely(&self, tx: Tx, id: Option<TxId>) -> StoreResult<()> {
        let Err(error) = tx.commit().await else { return Ok(()) };
        let error = StoreError::from(error);
        let Some(id) = id.filter(|_| error.is_transient()) else { return Err(error) };
        for _ in 0..60 {
            tokio::time::sleep(std::time::Duration::from_millis(250)).await;
            let status: Result<Option<String>, _> =
                sqlx::query_scalar("select pg_xact_status($1::text::xid8)")
                    .bind(id.to_string())
                    .fetch_one(&self.pool)
                    .await;
            match status.as_ref().map(Option::as_deref) {
                Ok(Some("committed")) => return Ok(()),
                Ok(Some("in progress")) | Err(_) => {}
                Ok(_) => return Err(error),
            }
        }
        Err(error)
    }

    pub async fn close(&self) {
        self.pings.close().await;
        self.pool.close().await;
    }

    pub(crate) fn pool(&self) -> &sqlx::PgPool {
        &self.pool
    }

    pub(crate) fn kept_days(&self) -> &calendar::KeptDays {
        &self.kept_days
    }
}

/// One page of a list, newest first.
#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Give it back to get what follows; none at the end.
    pub next: Option<uuid::Uuid>,
}

impl<T> Page<T> {
    /// Makes a page from one row more than was asked for.
    fn of(mut items: Vec<T>, limit: i64, id: impl Fn(&T) -> uuid::Uuid) -> Self {
        let limit = usize::try_from(limit).unwrap_or(0);
        let more = items.len() > limit;
        items.truncate(limit);
        Self { next: if more { items.last().map(id) } else { None }, items }
    }
}
