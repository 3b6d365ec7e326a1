//! What processes have used of the machine, as Linux tells it; elsewhere nothing is told.

use std::{collections::HashMap, fs};

use sqlx::{Connection as _, PgConnection};

/// Linux counts the time of processes in hundredths of a second, whatever the machine.
const MICROS_PER_TICK: u64 = 10_000;

/// The CPU time that a process has used so far, in microseconds.
pub(crate) fn cpu(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program comes before, in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) * MICROS_PER_TICK)
}

/// The memory that a process holds now, in kilobytes: all, and what is its own rather than pages of files.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| -> Option<u64> {
        status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
    };
    Some((field("VmRSS:")?, field("RssAnon:")?))
}

/// The CPU time of each of the database's processes, as far as they run on this machine.
pub(crate) async fn database(url: &str) -> HashMap<u32, u64> {
    let Ok(mut connection) = PgConnection::connect(url).await else { return HashMap::new() };
    let pids: Result<Vec<i32>, _> =
        sqlx::query_scalar("select pid from pg_stat_activity where pid <> pg_backend_pid()")
            .fetch_all(&mut connection)
            .await;
    let _ = connection.close().await;
    let pids = pids.unwrap_or_default().into_iter().filter_map(|pid| u32::try_from(pid).ok());
    pids.filter_map(|pid| Some((pid, cpu(pid)?))).collect()
}
