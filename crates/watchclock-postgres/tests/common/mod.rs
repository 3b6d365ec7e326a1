//! What the tests of the private PostgreSQL share: temporary places, `psql`, and patience.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use watchclock_postgres::PostgresSettings;

/// A data directory that goes away with the test.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(env::temp_dir().join(format!("wc-pg-test-{}-{number}", process::id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Settings for it that need no disk, and the log lines as they come.
    pub(crate) fn settings(&self) -> (PostgresSettings, Receiver<String>) {
        let (lines, log): (Sender<String>, _) = channel();
        let mut settings = PostgresSettings::new(&self.0);
        settings.durable = false;
        settings.log = Box::new(move |line| {
            let _ = lines.send(line.to_owned());
        });
        (settings, log)
    }

    pub(crate) fn quiet(&self) -> PostgresSettings {
        self.settings().0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// One value, as text, by a client that knows nothing of us.
pub(crate) fn query(url: &str, sql: &str) -> Result<String, String> {
    let output =
        Command::new("psql").args(["-X", "-A", "-t", "-c", sql, url]).output().expect("psql is installed");
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

pub(crate) fn kill(pid: u32, signal: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -s {signal} {pid}")]).status().unwrap();
    assert!(status.success(), "kill -s {signal} {pid}");
}

pub(crate) fn is_alive(pid: u32) -> bool {
    // a zombie has ended; in a container without init it may never be reaped
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

pub(crate) fn eventually(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < limit, "{what} within {limit:?}");
        thread::sleep(Duration::from_millis(10));
    }
    began.elapsed()
}
