//! A database for each test, copied from a template that has the schema. Neighbour: `postgres` is the server.

use std::{
    fs,
    path::Path,
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::sync::OnceCell;
use watchclock_store::Store;

use crate::postgres;

/// `watchclock_test_PID_NUMBER`; the process tells whether it is a leftover.
const PREFIX: &str = "watchclock_test_";
const TEMPLATE: &str = "watchclock_template_";
/// Whoever makes or drops templates and leftovers holds this advisory lock.
const LOCK: i64 = 0x7761_7463_6863_6c6b;

/// A database of one test; dropped with it, also when the test fails.
#[derive(Debug)]
pub struct Database {
    name: String,
}

impl Database {
    /// A fresh database with the schema in it.
    pub async fn new() -> Self {
        static PREPARED: OnceCell<String> = OnceCell::const_new();
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let template = PREPARED.get_or_init(prepare).await;
        let name = format!("{PREFIX}{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut server = connect().await;
        execute(&mut server, format!("create database {name} template {template}")).await;
        let _ = server.close().await;
        Self { name }
    }

    /// Its URL, as the store takes it.
    pub fn url(&self) -> String {
        url_of(&self.name)
    }

    /// Opens a store on it with a small pool.
    pub fn store(&self) -> Store {
        Store::open(&self.url(), 8).expect("the URL is right")
    }

    /// Runs statements past the store: what a person with psql might do.
    pub async fn execute(&self, sql: &str) {
        let mut connection = connect_to(&self.name).await;
        execute(&mut connection, sql.to_owned()).await;
        let _ = connection.close().await;
    }

    /// Drops what the schema checks of a table: a database that was changed by more than statements.
    pub async fn forget_checks(&self, table: &str) {
        let drops = format!(
            "do $$ declare one text; begin
                 for one in select conname from pg_constraint where conrelid = '{table}'::regclass and contype = 'c' loop
                     execute format('alter table {table} drop constraint %I', one);
                 end loop;
             end $$"
        );
        self.execute(&drops).await;
    }

    /// Whether a statement is refused by a constraint.
    pub async fn refuses(&self, sql: &str) -> bool {
        let mut connection = connect_to(&self.name).await;
        let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await;
        let _ = connection.close().await;
        matches!(done, Err(sqlx::Error::Database(error)) if error.is_check_violation())
    }

    /// Lets nobody in any more, and cuts the connections that there are.
    pub async fn shut(&self) {
        let name = &self.name;
        let mut server = connect().await;
        execute(&mut server, format!("alter database {name} with allow_connections false")).await;
        let cut = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
        execute(&mut server, cut).await;
        let _ = server.close().await;
    }

    /// The same as `execute` where nothing can be awaited.
    pub(crate) fn execute_at_once(&self, sql: String) {
        let name = self.name.clone();
        let done = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime for one statement").block_on(async {
                let mut connection = connect_to(&name).await;
                execute(&mut connection, sql).await;
                let _ = connection.close().await;
            });
        });
        done.join().expect("the statement is right");
    }

    /// How the database would carry out a statement.
    pub async fn plan(&self, sql: &str) -> String {
        let mut connection = connect_to(&self.name).await;
        let lines: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!("explain {sql}")))
            .fetch_all(&mut connection)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        let _ = connection.close().await;
        lines.join("\n")
    }

    /// One value, as text.
    pub async fn value(&self, sql: &str) -> Option<String> {
        let mut connection = connect_to(&self.name).await;
        let value = sqlx::query_scalar(AssertSqlSafe(format!("select ({sql})::text")))
            .fetch_one(&mut connection)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        let _ = connection.close().await;
        value
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = self.name.clone();
        // A thread of its own: this one may be inside a runtime, or unwinding.
        let dropping = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime for one statement").block_on(async {
                let mut server = connect().await;
                execute(&mut server, format!("drop database if exists {name} with (force)")).await;
            });
        });
        let _ = dropping.join();
    }
}

/// Drops what dead runs left, and makes the template unless it is there. Returns its name.
async fn prepare() -> String {
    let template = format!("{TEMPLATE}{}", hash_of_migrations());
    let mut server = connect().await;
    execute(&mut server, format!("select pg_advisory_lock({LOCK})")).await;
    let known: Vec<String> =
        sqlx::query_scalar("select datname from pg_database where datname like 'watchclock%'")
            .fetch_all(&mut server)
            .await
            .expect("the catalogue can be read");
    for name in &known {
        let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('_').next()?.parse().ok());
        if pid.is_some_and(|pid| !postgres::is_alive(pid)) {
            // The server's own vacuum may be at work in it, and cannot be sent away; the next run tries again.
            let drop = AssertSqlSafe(format!("drop database if exists {name} with (force)"));
            let _ = sqlx::raw_sql(drop).execute(&mut server).await;
        }
    }
    if !known.contains(&template) {
        let unfinished = format!("{template}_unfinished");
        execute(&mut server, format!("drop database if exists {unfinished} with (force)")).await;
        execute(&mut server, format!("create database {unfinished}")).await;
        let store = Store::open(&url_of(&unfinished), 1).expect("the URL is right");
        store.migrate().await.expect("the migrations run");
        store.close().await;
        execute(&mut server, format!("alter database {unfinished} rename to {template}")).await;
    }
    let _ = server.close().await;
    template
}

fn hash_of_migrations() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the migrations are in the repository")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().expect("a file has a name").as_encoded_bytes());
        hash.update(fs::read(&file).expect("a migration can be read"));
    }
    hash.finalize().iter().take(8).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

async fn connect() -> PgConnection {
    open(options()).await
}

async fn connect_to(database: &str) -> PgConnection {
    open(options().database(database)).await
}

fn options() -> PgConnectOptions {
    postgres::url().parse().expect("the URL of the test server is right")
}

async fn open(options: PgConnectOptions) -> PgConnection {
    PgConnection::connect_with(&options).await.expect("the test server answers")
}

fn url_of(database: &str) -> String {
    options().database(database).to_url_lossy().to_string()
}

async fn execute(connection: &mut PgConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql.clone()))
        .execute(connection)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}
