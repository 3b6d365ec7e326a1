//! Processes killed at bad moments: PostgreSQL's, and ours; the orderly cases are in `lifecycle`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Place, eventually, is_alive, kill, query};
use watchclock_postgres::PrivatePostgres;

const SOON: Duration = Duration::from_secs(30);

#[test]
fn a_killed_postmaster_comes_back_with_everything_committed() {
    let place = Place::new();
    let (mut settings, log) = place.settings();
    settings.durable = true;
    let postgres = PrivatePostgres::start(settings).unwrap();
    let url = postgres.connection_url();
    query(&url, "create table kept as select 42 as answer").unwrap();
    kill(postgres.pid().unwrap(), "KILL");
    let took =
        eventually("an answer", SOON, || query(&url, "select answer from kept").as_deref() == Ok("42"));
    println!("answering again after {took:?}");
    assert!(postgres.deaths() >= 1);
    assert!(log.try_iter().any(|line| line.starts_with("WARNING:") && line.contains("starting it again")));
}

#[test]
fn a_killed_backend_does_not_take_the_server_down() {
    let place = Place::new();
    let postgres = PrivatePostgres::start(place.quiet()).unwrap();
    let url = postgres.connection_url();
    let sleeper = {
        let url = url.clone();
        std::thread::spawn(move || query(&url, "select pg_sleep(60)"))
    };
    let find = "select pid from pg_stat_activity where query like 'select pg_sleep%'";
    eventually("the sleeper", SOON, || query(&url, find).is_ok_and(|pid| !pid.is_empty()));
    kill(query(&url, find).unwrap().parse().unwrap(), "KILL");
    assert!(sleeper.join().unwrap().is_err());
    eventually("an answer", SOON, || query(&url, "select").is_ok());
    assert_eq!(postgres.deaths(), 0);
}

/// A process that owns the place and can be killed; `with-postgres` is a small one.
fn owner(place: &Place) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_with-postgres"))
        .args(["--keep", &*place.path().to_string_lossy(), "sleep", "600"])
        .process_group(0)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    eventually("a published address", SOON, || PrivatePostgres::running_url(place.path()).unwrap().is_some());
    child
}

fn postmaster(place: &Place) -> u32 {
    let file = fs::read_to_string(place.path().join("postgres/data/postmaster.pid")).unwrap();
    file.lines().next().unwrap().parse().unwrap()
}

/// Kills the owner and its `sleep`, which is in the same group; PostgreSQL is not.
fn kill_all_of(mut owner: Child) {
    kill_group(owner.id());
    owner.wait().unwrap();
}

fn kill_group(pid: u32) {
    let status = Command::new("sh").args(["-c", &format!("kill -s KILL -- -{pid}")]).status().unwrap();
    assert!(status.success());
}

#[test]
fn the_next_start_works_right_after_the_owner_was_killed() {
    let place = Place::new();
    let owner = owner(&place);
    let url = PrivatePostgres::running_url(place.path()).unwrap().unwrap();
    query(&url, "create table kept as select 42 as answer").unwrap();
    let orphan = postmaster(&place);
    kill_all_of(owner);
    let postgres = PrivatePostgres::start(place.quiet()).unwrap();
    assert!(!is_alive(orphan));
    assert_eq!(query(&postgres.connection_url(), "select answer from kept").unwrap(), "42");
    assert_eq!(postgres.deaths(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn postgres_shuts_down_cleanly_when_its_owner_is_killed() {
    let place = Place::new();
    let owner = owner(&place);
    let orphan = postmaster(&place);
    kill_all_of(owner);
    let took = eventually("the end of PostgreSQL", SOON, || !is_alive(orphan));
    println!("gone after {took:?}");
    let (settings, log) = place.settings();
    PrivatePostgres::start(settings).unwrap().stop();
    let lines: Vec<String> = log.try_iter().collect();
    assert!(!lines.iter().any(|line| line.contains("not properly shut down")), "{lines:?}");
}

#[test]
fn a_pid_file_that_names_a_stranger_is_stale() {
    let place = Place::new();
    PrivatePostgres::start(place.quiet()).unwrap().stop();
    let mut stranger = Command::new("sleep").arg("600").spawn().unwrap();
    let text = format!("{}\n{}\n1\n5432\n\n\n", stranger.id(), place.path().join("postgres/data").display());
    fs::write(place.path().join("postgres/data/postmaster.pid"), text).unwrap();
    let started = PrivatePostgres::start(place.quiet());
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    query(&started.unwrap().connection_url(), "select").unwrap();
}

#[test]
fn a_first_start_that_was_killed_half_way_is_begun_again() {
    let place = Place::new();
    let mut owner = Command::new(env!("CARGO_BIN_EXE_with-postgres"))
        .args(["--keep", &*place.path().to_string_lossy(), "sleep", "600"])
        .process_group(0)
        .spawn()
        .unwrap();
    let area = place.path().join("postgres");
    eventually("a draft", SOON, || {
        fs::read_dir(&area).is_ok_and(|mut entries| {
            entries.any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("new-"))
        })
    });
    kill_group(owner.id());
    owner.wait().unwrap();
    let postgres = PrivatePostgres::start(place.quiet()).unwrap();
    query(&postgres.connection_url(), "select").unwrap();
    let litter = fs::read_dir(&area)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("new-"));
    assert_eq!(litter.count(), 0);
}
