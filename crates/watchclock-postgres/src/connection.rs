//! How to reach the private PostgreSQL: facts and URL; `probe` is the one that tries them.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The owner of the database: it may make databases, and nothing else beyond its own.
pub(crate) const USER: &str = "watchclock";
pub(crate) const DATABASE: &str = "watchclock";

/// Part of the socket's file name only: no TCP port is opened.
pub(crate) const PORT: u16 = 5432;

/// Where a private PostgreSQL listens. No password: the socket's folder is closed to other users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub(crate) socket_dir: PathBuf,
    pub(crate) port: u16,
}

impl Connection {
    /// The folder that holds the Unix socket.
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// The number in the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The role that owns the database and may create others.
    pub fn user(&self) -> &str {
        USER
    }

    /// The database that Watchclock uses.
    pub fn database(&self) -> &str {
        DATABASE
    }

    /// A URL for Watchclock's database that sqlx and libpq (`psql`, `pg_dump`) both understand.
    pub fn url(&self) -> String {
        self.url_to(DATABASE)
    }

    /// The same for another database of this server.
    pub fn url_to(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@localhost/{}?host={}&port={}&sslmode=disable",
            percent_encoded(database.as_bytes()),
            percent_encoded(self.socket_dir.as_os_str().as_bytes()),
            self.port,
        )
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.socket_dir.join(socket_name(self.port))
    }
}

pub(crate) fn socket_name(port: u16) -> String {
    format!(".s.PGSQL.{port}")
}

/// Everything but RFC 3986's unreserved characters, so it also holds inside a query.
fn percent_encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("writing to a string cannot fail");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_survives_odd_paths() {
        let connection = Connection { socket_dir: PathBuf::from("/tmp/a b+c&d/ü"), port: 5432 };
        assert_eq!(
            connection.url(),
            "postgres://watchclock@localhost/watchclock?host=%2Ftmp%2Fa%20b%2Bc%26d%2F%C3%BC&port=5432&sslmode=disable"
        );
    }
}
