//! The PostgreSQL that the tests use: the one they are told of, else one of this process. Neighbour: `database` makes databases in it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::{LazyLock, OnceLock},
};

use watchclock_postgres::{PostgresSettings, PrivatePostgres};

/// Tells tests which PostgreSQL to use; `scripts/test` sets it. The role in it may make databases.
const GIVEN: &str = "WATCHCLOCK_TEST_DATABASE_URL";
const PREFIX: &str = "watchclock-tests-";

static URL: LazyLock<String> = LazyLock::new(|| match env::var(GIVEN) {
    Ok(url) if !url.is_empty() => url,
    _ => own().connection_url(),
});

/// A database of the server, from which others can be made and dropped.
pub(crate) fn url() -> &'static str {
    &URL
}

/// A PostgreSQL for this process. It ends with the process; its files are removed by the next one that needs the place.
fn own() -> &'static PrivatePostgres {
    static OWN: OnceLock<PrivatePostgres> = OnceLock::new();
    OWN.get_or_init(|| {
        sweep(&env::temp_dir());
        let mut settings = PostgresSettings::new(env::temp_dir().join(format!("{PREFIX}{}", process::id())));
        settings.durable = false;
        settings.extra.push(("max_connections".to_owned(), "300".to_owned()));
        settings.log = Box::new(|line| {
            // a database is dropped under the feet of whoever is still connected
            if !line.starts_with("LOG:") && !line.contains("due to administrator command") {
                eprintln!("postgres: {line}");
            }
        });
        PrivatePostgres::start(settings).expect("a PostgreSQL for the tests starts")
    })
}

/// Removes what processes left that are gone.
fn sweep(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    for entry in entries {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|pid| pid.parse().ok());
        if pid.is_some_and(|pid| !is_alive(pid)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process exists. Where that cannot be told, it counts as alive.
pub(crate) fn is_alive(pid: u32) -> bool {
    let proc = PathBuf::from("/proc");
    !proc.join("self").exists() || proc.join(pid.to_string()).exists()
}
