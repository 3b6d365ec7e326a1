//! A private PostgreSQL from start to stop; `access` decides for short commands whether they need their own.

use std::path::{self, Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::binaries::Binaries;
use crate::cluster;
use crate::connection::Connection;
use crate::error::StartError;
use crate::home::Home;
use crate::lock::DataLock;
use crate::log::Log;
use crate::settings::PostgresSettings;
use crate::supervisor::{Launch, Supervisor};
use crate::{orphan, probe};

/// After so many deaths before it was ever ready, waiting longer is pointless; the pauses add up to 3 s.
const HOPELESS: u32 = 5;
/// A command's PostgreSQL is waited for; it stops soon.
const PATIENCE_WITH_COMMANDS: Duration = Duration::from_mins(1);
/// Somebody who only looks at the lock holds it for microseconds.
const PATIENCE_WITH_SERVERS: Duration = Duration::from_millis(500);

/// A running PostgreSQL that only this process's user can reach. It is restarted when it dies, and stopped with
/// [`PrivatePostgres::stop`] or when dropped; when this process is killed, it shuts down by itself (on Linux with
/// util-linux) or is stopped by the next start.
#[derive(Debug)]
pub struct PrivatePostgres {
    connection: Connection,
    supervisor: Supervisor,
    _lock: DataLock, // after the supervisor: released when PostgreSQL has stopped
}

impl PrivatePostgres {
    /// Starts PostgreSQL for a server and waits until it takes statements. Sets it up at the first start.
    pub fn start(settings: PostgresSettings) -> Result<Self, StartError> {
        let data_dir = absolute(&settings.data_dir)?;
        Home::make_data_dir(&data_dir)?;
        let began = Instant::now();
        loop {
            let owner = match DataLock::take(&data_dir, false)? {
                Ok(lock) => return Self::start_locked(settings, &data_dir, lock, false),
                Err(owner) => owner,
            };
            // An owner that has not said yet who it is, or is just leaving, is not one to give up on.
            let patience = if owner.brief || owner.pid.is_none() {
                PATIENCE_WITH_COMMANDS
            } else {
                PATIENCE_WITH_SERVERS
            };
            if began.elapsed() > patience {
                return Err(StartError::Busy { data_dir, pid: owner.pid });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The URL of the PostgreSQL that another process runs on this data directory; `None` when there is none, or none
    /// that is ready.
    pub fn running_url(data_dir: impl AsRef<Path>) -> Result<Option<String>, StartError> {
        let owner = DataLock::owner(&absolute(data_dir.as_ref())?)?;
        Ok(owner.and_then(|owner| owner.connection).map(|connection| connection.url()))
    }

    /// Where it listens.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The URL of Watchclock's database, for sqlx and libpq.
    pub fn connection_url(&self) -> String {
        self.connection.url()
    }

    /// The process id of the server, while one runs.
    pub fn pid(&self) -> Option<u32> {
        self.supervisor.pid()
    }

    /// How often the server has died, or failed to start again, since this value was made.
    pub fn deaths(&self) -> u32 {
        self.supervisor.deaths()
    }

    /// Stops PostgreSQL and returns when it is gone: a tenth of a second as a rule, at worst a little over a minute.
    pub fn stop(self) {
        drop(self);
    }

    /// `brief` is for a command: others may wait for it, and it lets others finish.
    pub(crate) fn start_locked(
        settings: PostgresSettings,
        data_dir: &Path,
        mut lock: DataLock,
        brief: bool,
    ) -> Result<Self, StartError> {
        let binaries = Binaries::find(settings.bin_dir.as_deref(), &Home::cluster_below(data_dir))?;
        let options = settings.server_options();
        let log = Log::new(settings.log);
        let home = Home::open(data_dir, &log)?;
        cluster::ensure(&home, &binaries, settings.durable, &log)?;
        orphan::settle(&home.cluster(), &log)?;
        let connection = home.make_run_dir()?;
        let launch = Launch { home, connection: connection.clone(), binaries, options, log: log.clone() };
        let supervisor = Supervisor::start(launch, brief)?;
        until_ready(&supervisor, &connection, settings.start_timeout, &log)?;
        lock.publish(&connection)?;
        Ok(Self { connection, supervisor, _lock: lock })
    }
}

fn until_ready(
    supervisor: &Supervisor,
    connection: &Connection,
    timeout: Duration,
    log: &Log,
) -> Result<(), StartError> {
    let began = Instant::now();
    let mut next_word = Duration::from_secs(10);
    loop {
        let Err(last) = probe::ask(connection) else { return Ok(()) };
        let waited = began.elapsed();
        if supervisor.deaths() >= HOPELESS {
            return Err(StartError::Exited { log: log.tail() });
        }
        if waited > timeout {
            return Err(StartError::NotReady { waited, last, log: log.tail() });
        }
        if waited > next_word {
            log.line(&format!("NOTICE:  PostgreSQL is not ready after {} s: {last}", waited.as_secs()));
            next_word *= 2;
        }
        thread::sleep(Duration::from_millis(15));
    }
}

pub(crate) fn absolute(data_dir: &Path) -> Result<PathBuf, StartError> {
    path::absolute(data_dir).map_err(StartError::io("find", data_dir))
}
