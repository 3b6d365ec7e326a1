//! How a short command reaches the database: beside a running server, or by its own PostgreSQL while it works.

use std::thread;
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::error::StartError;
use crate::home::Home;
use crate::lock::DataLock;
use crate::private::{PrivatePostgres, absolute};
use crate::settings::PostgresSettings;

/// A way to the database, kept as long as the command works.
#[derive(Debug)]
pub enum Access {
    /// Nobody ran PostgreSQL, so this process does; dropping this stops it.
    Started(Box<PrivatePostgres>),
    /// Another process runs it, and may stop it at any time.
    Attached(Connection),
}

impl Access {
    /// Connects beside a running owner of the data directory, or starts PostgreSQL for as long as the value lives.
    ///
    /// Close your connections before you drop it: a second command may attach to what the first one started: the first then waits for it, up to 10 s, before it
    /// stops PostgreSQL, as it would for connections of its own. A server that starts meanwhile waits for both.
    pub fn open(settings: PostgresSettings) -> Result<Self, StartError> {
        let data_dir = absolute(&settings.data_dir)?;
        Home::make_data_dir(&data_dir)?;
        let began = Instant::now();
        loop {
            let owner = match DataLock::take(&data_dir, true)? {
                Ok(lock) => {
                    let postgres = PrivatePostgres::start_locked(settings, &data_dir, lock, true)?;
                    return Ok(Self::Started(Box::new(postgres)));
                }
                Err(owner) => owner,
            };
            if let Some(connection) = owner.connection {
                return Ok(Self::Attached(connection));
            }
            if began.elapsed() > settings.start_timeout {
                return Err(StartError::Busy { data_dir, pid: owner.pid });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Where PostgreSQL listens.
    pub fn connection(&self) -> &Connection {
        match self {
            Self::Started(postgres) => postgres.connection(),
            Self::Attached(connection) => connection,
        }
    }

    /// The URL of Watchclock's database, for sqlx and libpq.
    pub fn connection_url(&self) -> String {
        self.connection().url()
    }
}
