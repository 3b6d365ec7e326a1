//! PostgreSQL's data directory at its first start: made whole or not at all; later starts are `supervisor`'s.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{self, Command, Output, Stdio};

use crate::binaries::{Binaries, major_of_data};
use crate::connection::{DATABASE, USER};
use crate::error::StartError;
use crate::home::Home;
use crate::log::Log;

/// Makes the data directory, the role and the database, unless they exist.
///
/// All of it happens beside the final place and is moved there at the end, so a start that was killed half-way leaves
/// only litter, which the next one removes.
pub(crate) fn ensure(home: &Home, binaries: &Binaries, durable: bool, log: &Log) -> Result<(), StartError> {
    let cluster = home.cluster();
    if major_of_data(&cluster).is_some() {
        return Ok(());
    }
    log.line(&format!("LOG:  setting up PostgreSQL {} in {}", binaries.major, cluster.display()));
    remove_litter(home.area());
    let draft = home.area().join(format!("new-{}", process::id()));
    init(home, binaries, durable, &draft)?;
    first_statements(home, binaries, durable, &draft)?;
    fs::rename(&draft, &cluster).map_err(StartError::io("move the new database to", &cluster))?;
    if durable {
        File::open(home.area())
            .and_then(|area| area.sync_all())
            .map_err(StartError::io("sync", home.area()))?;
    }
    Ok(())
}

/// Byte-wise order does not depend on the system's locales, whose updates corrupt indexes; upper and lower case
/// should still know more than ASCII, where the system has the UTF-8 variant of `C`.
fn init(home: &Home, binaries: &Binaries, durable: bool, draft: &Path) -> Result<(), StartError> {
    let mut failure = String::new();
    for ctype in ["C.UTF-8", "C"] {
        let mut command = home.account.bound_command(&binaries.program("initdb"), "TERM");
        command
            .arg("--pgdata")
            .arg(draft)
            .args(["--username=postgres", "--encoding=UTF8", "--locale=C"])
            .arg(format!("--lc-ctype={ctype}"))
            .args(["--data-checksums", "--auth-local=trust", "--auth-host=reject", "--no-instructions"]);
        if !durable {
            command.arg("--no-sync");
        }
        let output = command.output().map_err(StartError::io("run", &binaries.program("initdb")))?;
        if output.status.success() {
            return Ok(());
        }
        failure = words_of(&output);
        if !failure.contains("locale") {
            break;
        }
    }
    Err(StartError::Init { output: failure })
}

/// Runs without a server: PostgreSQL's single-user mode reads statements line by line.
fn first_statements(home: &Home, binaries: &Binaries, durable: bool, draft: &Path) -> Result<(), StartError> {
    let program = binaries.program("postgres");
    let mut command = home.account.bound_command(&program, "TERM");
    command.arg("--single").arg("-D").arg(draft).args(["-c", "exit_on_error=on"]);
    if !durable {
        command.args(["-c", "fsync=off"]);
    }
    command.arg("postgres");
    let statements = format!("create role {USER} login createdb\ncreate database {DATABASE} owner {USER}\n");
    let output = feed(command, &statements).map_err(StartError::io("run", &program))?;
    if output.status.success() { Ok(()) } else { Err(StartError::Init { output: words_of(&output) }) }
}

fn feed(mut command: Command, input: &str) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // one that ended early tells why by its status and its words
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output()
}

fn words_of(output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("{} ({})", lines.join(" | "), output.status)
}

/// Best effort: an `initdb` that outlived its owner may still write there, and fails by that.
fn remove_litter(area: &Path) {
    for entry in fs::read_dir(area).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("new-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
