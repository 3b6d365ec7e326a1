//! What a caller may choose, and the server options that follow from it; where files live is `home`'s concern.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Receives one line at a time: PostgreSQL's own log and the supervisor's remarks.
///
/// Lines begin with PostgreSQL's severity (`LOG:`, `WARNING:`, `FATAL:`, `PANIC:`); `LOG:` is routine. The sink is
/// called from several threads, one call at a time, and must not panic.
pub type LogSink = Box<dyn Fn(&str) + Send>;

/// How to run the private PostgreSQL.
pub struct PostgresSettings {
    /// Watchclock's data directory; PostgreSQL gets the folder `postgres` in it.
    pub data_dir: PathBuf,
    /// Whether a commit survives a power cut. `false` only for tests: it turns fsync off.
    pub durable: bool,
    /// The folder of `postgres` and `initdb`; `None` means `WATCHCLOCK_PG_BIN_DIR`, else the usual places.
    pub bin_dir: Option<PathBuf>,
    /// Server options added last, so that they win: `("max_connections", "200")`.
    pub extra: Vec<(String, String)>,
    /// How long a start may take, recovery after a crash included.
    pub start_timeout: Duration,
    /// Where log lines go.
    pub log: LogSink,
}

impl PostgresSettings {
    /// Durable, whatever PostgreSQL is installed, logging to stderr.
    pub fn new(data_dir: impl AsRef<Path>) -> Self {
        Self {
            data_dir: data_dir.as_ref().to_path_buf(),
            durable: true,
            bin_dir: None,
            extra: Vec::new(),
            start_timeout: Duration::from_mins(3),
            log: Box::new(|line| eprintln!("{line}")),
        }
    }

    /// The options that decide what the server is, as opposed to where it lives.
    pub(crate) fn server_options(&self) -> Vec<(String, String)> {
        let mut options = own(FRUGAL);
        options.extend(own(QUIET));
        if !self.durable {
            options.extend(own(NOT_DURABLE));
        }
        options.extend(self.extra.iter().cloned());
        options
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSettings")
            .field("data_dir", &self.data_dir)
            .field("durable", &self.durable)
            .field("bin_dir", &self.bin_dir)
            .field("extra", &self.extra)
            .field("start_timeout", &self.start_timeout)
            .finish_non_exhaustive()
    }
}

/// A small machine that takes many small commits. `synchronous_commit` is named because everything rests on it.
const FRUGAL: &[(&str, &str)] = &[
    ("shared_buffers", "96MB"),
    ("effective_cache_size", "384MB"),
    ("max_connections", "50"),
    ("synchronous_commit", "on"),
    ("wal_compression", "on"),
    ("max_wal_size", "1GB"),
    ("checkpoint_timeout", "15min"),
    ("random_page_cost", "1.1"),
    ("jit", "off"),                           // costs more than our short queries take
    ("max_parallel_workers_per_gather", "0"), // would need /dev/shm, which containers keep small
    ("max_logical_replication_workers", "0"),
    ("autovacuum_max_workers", "2"),
    ("timezone", "UTC"),
];

/// Errors of statements are the application's to report: here they could carry people's data into a log.
const QUIET: &[(&str, &str)] = &[
    ("log_destination", "stderr"),
    ("logging_collector", "off"),
    ("log_line_prefix", ""),
    ("log_timezone", "UTC"),
    ("log_checkpoints", "off"),
    ("log_error_verbosity", "terse"),
    ("log_min_messages", "log"),
    ("log_min_error_statement", "panic"),
];

/// Loses data with the machine's power, but still not when PostgreSQL alone is killed: tests do that.
const NOT_DURABLE: &[(&str, &str)] = &[("fsync", "off"), ("full_page_writes", "off")];

fn own(options: &[(&str, &str)]) -> Vec<(String, String)> {
    options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
