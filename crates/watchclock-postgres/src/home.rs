//! Where the private PostgreSQL lives: its folder below the data directory, or elsewhere when root hides that one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use crate::account::Account;
use crate::connection::{Connection, PORT, socket_name};
use crate::error::StartError;
use crate::log::Log;
use crate::process;

/// The shorter of Linux's and macOS's limits for a socket's path, in bytes.
const SOCKET_PATH_LIMIT: usize = 103;

/// Where PostgreSQL's files go when root's data directory is closed to the account it runs as.
const ELSEWHERE: &str = "/var/lib/watchclock";

/// PostgreSQL's own folder, closed to everybody but its account.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    area: PathBuf,
    pub(crate) account: Account,
}

impl Home {
    /// The name of the folder, or of the link to it, below Watchclock's data directory.
    pub(crate) fn link(data_dir: &Path) -> PathBuf {
        data_dir.join("postgres")
    }

    /// PostgreSQL's data directory, before anything is opened.
    pub(crate) fn cluster_below(data_dir: &Path) -> PathBuf {
        Self::link(data_dir).join("data")
    }

    /// Makes Watchclock's data directory: for root passable, so that PostgreSQL's account can reach its own folder.
    pub(crate) fn make_data_dir(data_dir: &Path) -> Result<(), StartError> {
        let mode = if process::id("-u", None) == Some(0) { 0o711 } else { 0o700 };
        make_folder(data_dir, mode, true)
    }

    /// Opens or makes PostgreSQL's folder.
    pub(crate) fn open(data_dir: &Path, log: &Log) -> Result<Self, StartError> {
        let link = Self::link(data_dir);
        if link.symlink_metadata().is_ok() {
            return Self::open_existing(&link);
        }
        let account = Account::choose(None)?;
        let parent = data_dir.canonicalize().map_err(StartError::io("find", data_dir))?;
        let closed = account.barrier(&parent);
        let area = match closed {
            None => parent.join("postgres"),
            Some(folder) => elsewhere(&account, folder)?,
        };
        make_folder(&area, 0o700, false)?;
        account.take(&area)?;
        if let Some(folder) = closed {
            symlink(&area, &link).map_err(StartError::io("make the link", &link))?;
            log.line(&format!(
                "NOTICE:  PostgreSQL runs as {}, who may not pass through {}; its files are in {}",
                account.name,
                folder.display(),
                area.display()
            ));
        }
        Ok(Self { area, account })
    }

    fn open_existing(link: &Path) -> Result<Self, StartError> {
        let area =
            link.canonicalize().map_err(StartError::io("find PostgreSQL's files, expected at", link))?;
        let account = Account::choose(Some(&area))?;
        let owner = area.metadata().map_err(StartError::io("look at", &area))?.uid();
        if owner != account.uid {
            if link.is_symlink() {
                // we give such folders away before we link to them: this one is not our making
                return Err(StartError::WrongOwner { path: area, uid: owner });
            }
            account.take(&area)?;
        }
        match account.barrier(&area) {
            None => Ok(Self { area, account }),
            Some(folder) => {
                Err(StartError::Unreachable { folder: folder.to_path_buf(), account: account.name.clone() })
            }
        }
    }

    /// PostgreSQL's data directory.
    pub(crate) fn cluster(&self) -> PathBuf {
        self.area.join("data")
    }

    pub(crate) fn area(&self) -> &Path {
        &self.area
    }

    /// Makes the folder of the socket; in the temporary directory when the path here is too long for a
    /// socket, or has a comma, which libpq takes for the end of one address.
    pub(crate) fn make_run_dir(&self) -> Result<Connection, StartError> {
        let near = self.area.join("run");
        let socket = near.join(socket_name(PORT));
        let bytes = socket.as_os_str().as_bytes();
        if bytes.len() <= SOCKET_PATH_LIMIT && !bytes.contains(&b',') {
            self.make_private(&near)?;
            return Ok(Connection { socket_dir: near, port: PORT });
        }
        let mut hasher = DefaultHasher::new();
        self.area.hash(&mut hasher);
        let hash = hasher.finish();
        for attempt in 0..100 {
            let far = env::temp_dir().join(format!("watchclock-{hash:x}-{attempt}"));
            if self.make_private(&far).is_ok() {
                return Ok(Connection { socket_dir: far, port: PORT });
            }
        }
        Err(StartError::io("make a folder for PostgreSQL's socket in", &env::temp_dir())(io::Error::other(
            "every name is taken by another user",
        )))
    }

    /// A folder that exists afterwards, belongs to the account, and is closed to all others.
    fn make_private(&self, folder: &Path) -> Result<(), StartError> {
        match fs::DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => return self.account.take(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StartError::io("make", folder)(error)),
        }
        let facts = folder.symlink_metadata().map_err(StartError::io("look at", folder))?;
        let closed = facts.mode() & 0o777 == 0o700;
        if facts.is_dir() && facts.uid() == self.account.uid && closed {
            return Ok(());
        }
        Err(StartError::io("use", folder)(io::Error::other("it is open to other users, or theirs")))
    }
}

/// A fresh folder's path outside of root's closed ones. Never one of an earlier start: a removed data directory means
/// a new beginning.
fn elsewhere(account: &Account, closed: &Path) -> Result<PathBuf, StartError> {
    let parent = Path::new(ELSEWHERE);
    if make_folder(parent, 0o711, true).is_err() || account.barrier(parent).is_some() {
        return Err(StartError::Unreachable { folder: closed.to_path_buf(), account: account.name.clone() });
    }
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    Ok(parent.join(format!("postgres-{nanoseconds:x}")))
}

fn make_folder(folder: &Path, mode: u32, parents: bool) -> Result<(), StartError> {
    if folder.is_dir() {
        return Ok(());
    }
    if parents && let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(StartError::io("make", parent))?;
    }
    match fs::DirBuilder::new().mode(mode).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(StartError::io("make", folder)(error))
        }
        _ => Ok(()),
    }
}
