//! The account that PostgreSQL's processes run as: our own, or for root a lesser one; `home` gives it the files.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::StartError;
use crate::process;

/// Who owns and runs PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    /// For messages.
    pub(crate) name: String,
    pub(crate) uid: u32,
    gid: u32,
    /// Whether we are root and children must become this account.
    switch: bool,
    pdeathsig: bool,
}

impl Account {
    /// Ourselves; or as root the owner of what is already there, else `postgres`, else `nobody`.
    ///
    /// `existing` is the folder of an earlier start. One that root owns (a copy, say) counts as nobody's.
    pub(crate) fn choose(existing: Option<&Path>) -> Result<Self, StartError> {
        let (Some(uid), Some(gid)) = (process::id("-u", None), process::id("-g", None)) else {
            return Err(StartError::Io {
                what: "ask `id` for the user id".to_owned(),
                source: std::io::Error::other("no usable answer"),
            });
        };
        let pdeathsig = process::has_pdeathsig();
        let owner = existing.and_then(|path| path.metadata().ok()).map(|facts| (facts.uid(), facts.gid()));
        if uid != 0 {
            if let (Some(path), Some((owner, _))) = (existing, owner)
                && owner != uid
            {
                return Err(StartError::WrongOwner { path: path.to_path_buf(), uid: owner });
            }
            return Ok(Self { name: format!("the user with id {uid}"), uid, gid, switch: false, pdeathsig });
        }
        if let Some((uid, gid)) = owner
            && uid != 0
        {
            return Ok(Self { name: format!("the user with id {uid}"), uid, gid, switch: true, pdeathsig });
        }
        ["postgres", "_postgres", "nobody"]
            .iter()
            .find_map(|name| {
                let uid = process::id("-u", Some(name)).filter(|uid| *uid != 0)?;
                let gid = process::id("-g", Some(name))?;
                Some(Self { name: format!("the user `{name}`"), uid, gid, switch: true, pdeathsig })
            })
            .ok_or(StartError::NoAccount)
    }

    /// A command as this account, with an empty environment so that no `PG…` variable of ours leaks in.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .current_dir("/")
            .stdin(Stdio::null());
        if self.switch {
            command.uid(self.uid).gid(self.gid); // also drops root's other groups
        }
        command
    }

    /// The same, but told by `signal` when the **thread** that spawns it ends, where the system can do that.
    ///
    /// `setpriv` runs after the change of user, which would clear the wish.
    pub(crate) fn bound_command(&self, program: &Path, signal: &str) -> Command {
        if !self.pdeathsig {
            return self.command(program);
        }
        let mut command = self.command("setpriv");
        command.args(["--pdeathsig", signal, "--"]).arg(program);
        command
    }

    /// The outermost folder on the way to `path`, itself included, that this account may not pass.
    pub(crate) fn barrier<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        if !self.switch || self.may_pass(path) {
            return None;
        }
        let mut folders: Vec<&Path> = path.ancestors().collect();
        folders.reverse();
        folders.into_iter().find(|folder| !self.may_pass(folder))
    }

    fn may_pass(&self, folder: &Path) -> bool {
        self.command("test").arg("-x").arg(folder).status().is_ok_and(|status| status.success())
    }

    /// Gives a folder and what is in it to this account; needed, and possible, only as root.
    pub(crate) fn take(&self, folder: &Path) -> Result<(), StartError> {
        if !self.switch {
            return Ok(());
        }
        let status =
            Command::new("chown").args(["-Rh", &format!("{}:{}", self.uid, self.gid)]).arg(folder).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(StartError::io("chown", folder)(std::io::Error::other(status.to_string()))),
            Err(error) => Err(StartError::io("chown", folder)(error)),
        }
    }
}
