//! Small questions to the system that std does not answer: user ids, signals, what a process is. All by POSIX tools.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

/// `id FLAG [USER]`, where the user exists.
pub(crate) fn id(flag: &str, user: Option<&str>) -> Option<u32> {
    let output = Command::new("id").arg(flag).args(user).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Sends a signal by the shell's own `kill`, since slim systems have no other.
///
/// The caller must know that the process still is the one it means.
pub(crate) fn signal(pid: u32, name: &str) -> io::Result<()> {
    let status = Command::new("sh")
        .args(["-c", "kill -s \"$0\" \"$1\"", name, &pid.to_string()])
        .stderr(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("kill -s {name} {pid}: {status}"))) }
}

/// The command line of a live process; `None` when there is none, or none that we may see.
pub(crate) fn command_line(pid: u32) -> Option<String> {
    if Path::new("/proc/self/cmdline").exists() {
        let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        return Some(String::from_utf8_lossy(&bytes).replace('\0', " "));
    }
    let output = Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if line.is_empty() { None } else { Some(line) }
}

/// Whether `setpriv` can tie a child's life to ours (util-linux from 2.33; not BusyBox, not macOS).
pub(crate) fn has_pdeathsig() -> bool {
    Command::new("setpriv")
        .args(["--pdeathsig", "INT", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
