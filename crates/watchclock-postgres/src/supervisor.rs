//! Keeps PostgreSQL running from a thread of its own, and stops it; whether it is ready is `probe`'s question.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::binaries::Binaries;
use crate::connection::Connection;
use crate::error::StartError;
use crate::home::Home;
use crate::log::Log;
use crate::process;

/// How often a death is looked for.
const GLANCE: Duration = Duration::from_millis(100);
const FIRST_DELAY: Duration = Duration::from_millis(200);
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// One that lived this long was healthy: its death starts the back-off anew.
const HEALTHY: Duration = Duration::from_mins(1);

/// Its answer to clients, ours among them, that cannot wait until it is ready; no news for anybody.
const ASKED_TOO_EARLY: &str = "the database system is starting up";

/// Everything that a start of the server needs.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) home: Home,
    pub(crate) connection: Connection,
    pub(crate) binaries: Binaries,
    pub(crate) options: Vec<(String, String)>,
    pub(crate) log: Log,
}

impl Launch {
    /// Removes the empty folder of the socket; what a killed owner left is used again by the next.
    fn clean_up(&self) {
        let _ = fs::remove_dir(&self.connection.socket_dir);
    }
}

/// The handle to the thread. It outlives whoever called `start`, as the server's life is bound to the thread's.
#[derive(Debug)]
pub(crate) struct Supervisor {
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
    status: Arc<Status>,
}

/// What others may know about the process.
#[derive(Debug, Default)]
pub(crate) struct Status {
    pid: RwLock<Option<u32>>,
    deaths: AtomicU32,
}

impl Supervisor {
    /// `patient` lets other clients finish before a stop, for a while.
    pub(crate) fn start(launch: Launch, patient: bool) -> Result<Self, StartError> {
        let (stop, stopped) = mpsc::channel();
        let status = Arc::new(Status::default());
        let shared = Arc::clone(&status);
        let thread = thread::Builder::new()
            .name("postgres".to_owned())
            .spawn(move || supervise(&launch, &stopped, &shared, patient))
            .map_err(|source| StartError::Io { what: "start a thread".to_owned(), source })?;
        Ok(Self { stop, thread: Some(thread), status })
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        *self.status.pid.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often the server has ended, or could not be started, without being asked to.
    pub(crate) fn deaths(&self) -> u32 {
        self.status.deaths.load(Ordering::Relaxed)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.stop.send(()); // fails only when the thread is gone already
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn supervise(launch: &Launch, stopped: &Receiver<()>, status: &Status, patient: bool) {
    let mut delay = FIRST_DELAY;
    loop {
        let began = Instant::now();
        let end = match spawn(launch) {
            Err(error) => error.to_string(),
            Ok(mut child) => {
                set_pid(status, Some(child.id()));
                let end = watch(&mut child, stopped);
                if end.is_none() {
                    shut_down(&mut child, patient, &launch.log);
                }
                set_pid(status, None);
                match end {
                    None => return launch.clean_up(),
                    Some(end) => format!("PostgreSQL ended unasked ({end})"),
                }
            }
        };
        status.deaths.fetch_add(1, Ordering::Relaxed);
        if began.elapsed() > HEALTHY {
            delay = FIRST_DELAY;
        }
        launch.log.line(&format!("WARNING:  {end}; starting it again in {:.1} s", delay.as_secs_f64()));
        match stopped.recv_timeout(delay) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return launch.clean_up(),
        }
        delay = (delay * 2).min(LONGEST_DELAY);
    }
}

fn set_pid(status: &Status, pid: Option<u32>) {
    *status.pid.write().unwrap_or_else(PoisonError::into_inner) = pid;
}

fn spawn(launch: &Launch) -> Result<Child, StartError> {
    let program = launch.binaries.program("postgres");
    launch.home.make_run_dir()?; // again: it may lie where old files are swept away
    let connection = &launch.connection;
    let quoted = connection.socket_dir.to_string_lossy().replace('"', "\"\"");
    let mut command = launch.home.account.bound_command(&program, "INT");
    command
        .arg("-D")
        .arg(launch.home.cluster())
        .args(["-c", "listen_addresses=", "-c", &format!("port={}", connection.port)])
        .args(["-c", &format!("unix_socket_directories=\"{quoted}\"")]);
    for (name, value) in &launch.options {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    // a group of its own, else Ctrl-C would stop it before the server has finished its requests
    command.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(StartError::io("run", &program))?;
    if let Some(stderr) = child.stderr.take() {
        let log = launch.log.clone();
        // ends with the last process of this server
        thread::spawn(move || forward(stderr, &log));
    }
    Ok(child)
}

fn forward(stderr: impl Read, log: &Log) {
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if !text.ends_with(ASKED_TOO_EARLY) {
            log.line(text);
        }
        line.clear();
    }
}

/// Returns how the server ended, or `None` when it shall be stopped.
fn watch(child: &mut Child, stopped: &Receiver<()>) -> Option<String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.to_string()),
            Ok(None) => {}
            Err(error) => return Some(error.to_string()),
        }
        match stopped.recv_timeout(GLANCE) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return None,
        }
    }
}

/// Asks ever less politely. Only after the third step does the next start have to recover.
fn shut_down(child: &mut Child, patient: bool, log: &Log) {
    let steps = [("TERM", 10), ("INT", 60), ("QUIT", 10)]; // clients may finish; rolled back; no checkpoint
    for (signal, seconds) in steps.into_iter().skip(usize::from(!patient)) {
        if let Err(error) = process::signal(child.id(), signal) {
            log.line(&format!("WARNING:  {error}"));
        }
        if wait(child, Duration::from_secs(seconds)).is_some() {
            return;
        }
    }
    log.line("WARNING:  PostgreSQL does not stop and is killed; it will recover when it starts again");
    let _ = child.kill();
    let _ = child.wait();
}

fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}
