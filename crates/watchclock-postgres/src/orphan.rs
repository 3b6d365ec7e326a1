//! What a killed owner left behind: a PostgreSQL that still runs, or the pid file of one that is gone.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::error::StartError;
use crate::log::Log;
use crate::process;

/// A fast shutdown writes a checkpoint, which takes a while on a slow disk.
const PATIENCE: Duration = Duration::from_mins(1);

/// Returns once no other PostgreSQL runs on the data directory. The caller holds the directory's lock, so whatever
/// still runs there has lost its owner.
pub(crate) fn settle(cluster: &Path, log: &Log) -> Result<(), StartError> {
    let pid_file = cluster.join("postmaster.pid");
    let Some(pid) = pid_in(&pid_file) else { return Ok(()) };
    match process::command_line(pid) {
        None => Ok(()), // PostgreSQL itself removes the file of a dead process
        Some(line) if is_server_of(&line, cluster) => end(pid, cluster, log),
        Some(_) => {
            // the number was given to another process, after a reboot or in a new container; PostgreSQL, which only
            // asks whether it is alive, would refuse to start
            log.line(&format!("NOTICE:  removing the stale {}", pid_file.display()));
            fs::remove_file(&pid_file).map_err(StartError::io("remove the stale", &pid_file))
        }
    }
}

/// Asking twice does no harm: it usually is shutting down already, told so by the death of its owner.
fn end(pid: u32, cluster: &Path, log: &Log) -> Result<(), StartError> {
    log.line(&format!("NOTICE:  waiting for the PostgreSQL of an earlier start (process {pid}) to stop"));
    let began = Instant::now();
    if let Err(error) = process::signal(pid, "INT") {
        log.line(&format!("NOTICE:  {error}")); // most likely it has just ended
    }
    while process::command_line(pid).is_some_and(|line| is_server_of(&line, cluster)) {
        if began.elapsed() > PATIENCE {
            return Err(StartError::Orphan { pid, waited: PATIENCE });
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn pid_in(file: &Path) -> Option<u32> {
    fs::read_to_string(file).ok()?.lines().next()?.trim().parse().ok()
}

/// Our own start names the data directory on the command line.
fn is_server_of(command_line: &str, cluster: &Path) -> bool {
    command_line.contains("postgres") && command_line.contains(&*cluster.to_string_lossy())
}
