//! Why the private PostgreSQL did not start: each error says what to do; after a start, `supervisor` only logs.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{error, fmt, io};

/// Why there is no private PostgreSQL. The text is one paragraph for the person at the terminal.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// No usable PostgreSQL on this machine; `found` lists those that are too old.
    NotInstalled { found: Vec<String> },
    /// The data was written by one major version, and only others are installed.
    WrongVersion { data: u32, installed: Vec<u32>, cluster: PathBuf },
    /// Another process owns the data directory.
    Busy { data_dir: PathBuf, pid: Option<u32> },
    /// The lock of the data directory belongs to another user.
    NotYours { path: PathBuf },
    /// Started as root, and neither `postgres` nor `nobody` exists.
    NoAccount,
    /// The account that PostgreSQL runs as cannot reach its files.
    Unreachable { folder: PathBuf, account: String },
    /// PostgreSQL's files belong to another user, and only root could change that.
    WrongOwner { path: PathBuf, uid: u32 },
    /// `initdb` or the first statements failed.
    Init { output: String },
    /// PostgreSQL of an earlier owner of the directory does not end.
    Orphan { pid: u32, waited: Duration },
    /// PostgreSQL ended again and again before it was ready; `log` holds its last lines.
    Exited { log: String },
    /// PostgreSQL runs but was not ready in time; `last` is what it last answered.
    NotReady { waited: Duration, last: String, log: String },
    /// A file or process operation failed.
    Io { what: String, source: io::Error },
}

impl StartError {
    /// For `map_err`: what was being done to which path.
    pub(crate) fn io(what: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let what = format!("{what} {}", path.display());
        move |source| Self::Io { what, source }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled { found } => {
                f.write_str("PostgreSQL 15 or newer is not installed")?;
                if !found.is_empty() {
                    write!(f, " (found only {})", found.join(", "))?;
                }
                f.write_str(INSTALL)
            }
            Self::WrongVersion { data, installed, cluster } => write!(
                f,
                "the data in {cluster} was written by PostgreSQL {data}, but this machine has {installed}. Install \
                 PostgreSQL {data} beside it; or dump with `watchclock backup` where PostgreSQL {data} still runs, \
                 move {cluster} away, and `watchclock restore` here",
                cluster = cluster.display(),
                installed = listed(installed),
            ),
            Self::Busy { data_dir, pid } => write!(
                f,
                "{} is in use by another Watchclock ({}). Stop that one, or choose another WATCHCLOCK_DATA_DIR",
                data_dir.display(),
                pid.map_or_else(|| "still starting".to_owned(), |pid| format!("process {pid}")),
            ),
            Self::NotYours { path } => write!(
                f,
                "{} belongs to another user. Run this command as the user who runs the Watchclock server",
                path.display()
            ),
            Self::NoAccount => f.write_str(
                "PostgreSQL refuses to run as root, and there is neither a user `postgres` nor a user `nobody` to run \
                 it as. Create one (`useradd --system postgres`), or start Watchclock as an ordinary user",
            ),
            Self::Unreachable { folder, account } => write!(
                f,
                "started as root, PostgreSQL runs as {account}, who may not pass through {folder}. Choose \
                 a WATCHCLOCK_DATA_DIR that every user can reach, such as /var/lib/watchclock; or open the folder \
                 (`chmod o+x {folder}`); or start Watchclock as an ordinary user",
                folder = folder.display()
            ),
            Self::WrongOwner { path, uid } => write!(
                f,
                "{path} belongs to the user with id {uid}. Start Watchclock as that user or as root, or give the \
                 files to yourself (`sudo chown -R \"$(id -u):$(id -g)\" {path}/`)",
                path = path.display()
            ),
            Self::Init { output } => write!(f, "PostgreSQL could not set up its data directory: {output}"),
            Self::Orphan { pid, waited } => write!(
                f,
                "PostgreSQL of an earlier Watchclock (process {pid}) was asked to stop and still runs after {} s. \
                 Wait until it ends, or look at what holds it up",
                waited.as_secs()
            ),
            Self::Exited { log } => write!(f, "PostgreSQL ended again and again at its start; its last words: {log}"),
            Self::NotReady { waited, last, log } => write!(
                f,
                "PostgreSQL was not ready after {} s; it last answered: {last}. Its last words: {log}",
                waited.as_secs()
            ),
            Self::Io { what, source } => write!(f, "could not {what}: {source}"),
        }
    }
}

impl error::Error for StartError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        None // the text of an `Io` already holds its cause
    }
}

const INSTALL: &str = ". Install it (Debian, Ubuntu: `apt-get install postgresql`; Fedora, RHEL: `dnf install \
    postgresql-server`; openSUSE: `zypper install postgresql-server`; Arch: `pacman -S postgresql`; Alpine: `apk add \
    postgresql`; macOS: `brew install postgresql@17`), or name the folder of its programs in WATCHCLOCK_PG_BIN_DIR, or \
    set DATABASE_URL to a PostgreSQL that already runs";

fn listed(versions: &[u32]) -> String {
    if versions.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = versions.iter().map(|major| format!("PostgreSQL {major}")).collect();
    names.join(", ")
}
