//! Runs a command with a private PostgreSQL's URL in its environment: for scripts and tests; the server uses the library.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs, process};

use watchclock_postgres::{PostgresSettings, PrivatePostgres};

const USAGE: &str = "usage: with-postgres [--keep DIR] [--env NAME] [--] COMMAND [ARGUMENT…]
Starts a private PostgreSQL, runs COMMAND with its URL in DATABASE_URL (or NAME), and stops PostgreSQL.
Without --keep, the data is thrown away afterwards and was never synced to disk.";

fn main() -> ExitCode {
    let mut keep = None;
    let mut name = OsString::from("DATABASE_URL");
    let mut words = env::args_os().skip(1).peekable();
    while let Some(word) = words.next_if(|word| word.to_string_lossy().starts_with("--")) {
        match (word.to_str(), words.peek().is_some()) {
            (Some("--"), _) => break,
            (Some("--keep"), true) => keep = words.next().map(PathBuf::from),
            (Some("--env"), true) => name = words.next().unwrap_or(name),
            _ => return complain(USAGE, 2),
        }
    }
    let Some(program) = words.next() else { return complain(USAGE, 2) };
    let throw_away = keep.is_none();
    let data_dir = keep.unwrap_or_else(|| env::temp_dir().join(format!("with-postgres-{}", process::id())));
    let outcome = run(data_dir.clone(), !throw_away, &name, Command::new(program).args(words));
    if throw_away {
        let _ = fs::remove_dir_all(&data_dir);
    }
    match outcome {
        Ok(status) => ExitCode::from(code(status)),
        Err(message) => complain(&message, 1),
    }
}

fn run(data_dir: PathBuf, durable: bool, name: &OsStr, command: &mut Command) -> Result<ExitStatus, String> {
    let mut settings = PostgresSettings::new(data_dir);
    settings.durable = durable;
    settings.extra.push(("max_connections".to_owned(), "300".to_owned())); // many tests at once
    settings.log = Box::new(|line| {
        // tests drop their databases under the feet of whoever is still connected
        let is_dropped = line.contains("terminating connection due to administrator command");
        if !line.starts_with("LOG:") && !is_dropped
            || io::stderr().is_terminal() && line.contains("setting up")
        {
            let _ = writeln!(io::stderr(), "with-postgres: {line}");
        }
    });
    let postgres = PrivatePostgres::start(settings).map_err(|error| error.to_string())?;
    let status = command.env(name, postgres.connection_url()).status();
    postgres.stop();
    status.map_err(|error| format!("could not run {}: {error}", command.get_program().display()))
}

/// As a shell reports it: 128 and the signal's number for a command that was killed.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn complain(message: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}
