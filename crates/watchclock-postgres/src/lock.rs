//! One owner per data directory, and how others find what it runs; what is below the lock is `home`'s concern.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::{ffi::OsString, process, str};

use crate::connection::Connection;
use crate::error::StartError;

/// Held as long as this value lives; the system releases it even when the process is killed.
#[derive(Debug)]
pub(crate) struct DataLock {
    file: File,
    path: PathBuf,
    brief: bool,
}

/// What the owner wrote about itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) pid: Option<u32>,
    /// Whether it is a command that will soon be done, rather than a server.
    pub(crate) brief: bool,
    /// Known once its PostgreSQL is ready.
    pub(crate) connection: Option<Connection>,
}

impl DataLock {
    /// Takes the lock, or tells who has it.
    pub(crate) fn take(data_dir: &Path, brief: bool) -> Result<Result<Self, Owner>, StartError> {
        let path = path_below(data_dir);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| refused(&path, error))?;
        match file.try_lock() {
            Ok(()) => {
                let mut lock = Self { file, path, brief };
                lock.write(None)?;
                Ok(Ok(lock))
            }
            Err(TryLockError::WouldBlock) => Ok(Err(read(file, &path)?)),
            Err(TryLockError::Error(error)) => Err(StartError::io("lock", &path)(error)),
        }
    }

    /// Who owns the directory now, without disturbing anybody.
    pub(crate) fn owner(data_dir: &Path) -> Result<Option<Owner>, StartError> {
        let path = path_below(data_dir);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused(&path, error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => read(file, &path).map(Some),
            Err(TryLockError::Error(error)) => Err(StartError::io("lock", &path)(error)),
        }
    }

    /// Tells others how to connect.
    pub(crate) fn publish(&mut self, connection: &Connection) -> Result<(), StartError> {
        self.write(Some(connection))
    }

    fn write(&mut self, connection: Option<&Connection>) -> Result<(), StartError> {
        let role = if self.brief { "command" } else { "server" };
        let mut bytes = format!("pid {}\nrole {role}\n", process::id()).into_bytes();
        if let Some(connection) = connection {
            bytes.extend_from_slice(format!("port {}\nsocket ", connection.port).as_bytes());
            bytes.extend_from_slice(connection.socket_dir.as_os_str().as_bytes());
            bytes.extend_from_slice(b"\nready\n");
        }
        self.replace(&bytes).map_err(StartError::io("write", &self.path))
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(bytes)
    }
}

impl Drop for DataLock {
    fn drop(&mut self) {
        // stale words would only be read by one who looks in the moment of a later start
        let _ = self.file.set_len(0);
    }
}

fn path_below(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres.lock")
}

fn refused(path: &Path, error: io::Error) -> StartError {
    if error.kind() == io::ErrorKind::PermissionDenied && path.exists() {
        StartError::NotYours { path: path.to_path_buf() }
    } else {
        StartError::io("open", path)(error)
    }
}

fn read(mut file: File, path: &Path) -> Result<Owner, StartError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(StartError::io("read", path))?;
    Ok(parse(&bytes))
}

/// Lenient: the owner may be writing just now, so only a text that ends in `ready` tells of a connection.
fn parse(bytes: &[u8]) -> Owner {
    let mut owner = Owner::default();
    let (mut port, mut socket) = (None, None);
    for line in bytes.split(|&byte| byte == b'\n') {
        let (word, rest) = line.split_at(line.iter().position(|&byte| byte == b' ').unwrap_or(line.len()));
        let value = rest.get(1..).unwrap_or_default();
        let number = || str::from_utf8(value).ok()?.parse::<u32>().ok();
        match word {
            b"pid" => owner.pid = number(),
            b"role" => owner.brief = value == b"command",
            b"port" => port = number().and_then(|port| u16::try_from(port).ok()),
            b"socket" => socket = Some(PathBuf::from(OsString::from_vec(value.to_vec()))),
            _ => {}
        }
    }
    if bytes.ends_with(b"\nready\n")
        && let (Some(port), Some(socket_dir)) = (port, socket)
    {
        owner.connection = Some(Connection { socket_dir, port });
    }
    owner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_written_lock_tells_of_no_connection() {
        let whole = b"pid 12\nrole command\nport 5432\nsocket /a b/run\nready\n";
        let owner = parse(whole);
        assert_eq!((owner.pid, owner.brief), (Some(12), true));
        assert_eq!(owner.connection.unwrap().socket_dir, Path::new("/a b/run"));
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length]).connection, None, "cut at {length}");
        }
    }
}
