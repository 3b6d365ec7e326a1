//! Starts, restarts, neighbours and stops of a real PostgreSQL; what happens by force is in `crashes`.

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::Duration;

use common::{Place, is_alive, query};
use watchclock_postgres::{Access, PrivatePostgres, StartError};

#[test]
fn first_start_makes_a_closed_and_durable_server() {
    let place = Place::new();
    let mut settings = place.quiet();
    settings.durable = true;
    let postgres = PrivatePostgres::start(settings).unwrap();
    let url = postgres.connection_url();
    let show = |name: &str| query(&url, &format!("show {name}")).unwrap();
    assert_eq!(show("fsync"), "on");
    assert_eq!(show("synchronous_commit"), "on");
    assert_eq!(show("full_page_writes"), "on");
    assert_eq!(show("data_checksums"), "on");
    assert_eq!(show("listen_addresses"), "");
    assert_eq!(show("server_encoding"), "UTF8");
    assert_eq!(query(&url, "select lower('Ä')").unwrap(), "ä");
    assert_eq!(
        query(&url, "select current_user || ' ' || current_database()").unwrap(),
        "watchclock watchclock"
    );
    assert_eq!(query(&url, "select rolsuper from pg_roles where rolname = current_user").unwrap(), "f");
    let folder = postgres.connection().socket_dir().metadata().unwrap();
    assert_eq!(folder.mode() & 0o777, 0o700);
}

#[test]
fn data_survives_a_stop_and_nothing_is_left_running() {
    let place = Place::new();
    let first = PrivatePostgres::start(place.quiet()).unwrap();
    query(&first.connection_url(), "create table kept as select 42 as answer").unwrap();
    let pid = first.pid().unwrap();
    first.stop();
    assert!(!is_alive(pid));
    assert_eq!(PrivatePostgres::running_url(place.path()).unwrap(), None);

    let second = PrivatePostgres::start(place.quiet()).unwrap();
    assert_eq!(query(&second.connection_url(), "select answer from kept").unwrap(), "42");
}

#[test]
fn a_drop_stops_too_even_with_clients_connected() {
    let place = Place::new();
    let postgres = PrivatePostgres::start(place.quiet()).unwrap();
    let (url, pid) = (postgres.connection_url(), postgres.pid().unwrap());
    let client = thread::spawn(move || query(&url, "select pg_sleep(60)"));
    thread::sleep(Duration::from_millis(200));
    drop(postgres);
    assert!(!is_alive(pid));
    assert!(client.join().unwrap().is_err());
}

#[test]
fn a_second_server_is_told_who_owns_the_directory() {
    let place = Place::new();
    let _first = PrivatePostgres::start(place.quiet()).unwrap();
    let error = PrivatePostgres::start(place.quiet()).unwrap_err();
    assert!(
        matches!(error, StartError::Busy { pid: Some(pid), .. } if pid == std::process::id()),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains(&*place.path().to_string_lossy()), "{text}");
    assert!(text.contains(&format!("process {}", std::process::id())), "{text}");
}

#[test]
fn a_command_connects_beside_a_server_or_runs_its_own() {
    let place = Place::new();
    let alone = Access::open(place.quiet()).unwrap();
    assert!(matches!(alone, Access::Started(_)));
    query(&alone.connection_url(), "create table made_alone ()").unwrap();
    drop(alone);

    let server = PrivatePostgres::start(place.quiet()).unwrap();
    let beside = Access::open(place.quiet()).unwrap();
    assert!(matches!(beside, Access::Attached(_)));
    query(&beside.connection_url(), "select from made_alone").unwrap();
    drop(beside);
    assert_eq!(PrivatePostgres::running_url(place.path()).unwrap(), Some(server.connection_url()));
}

#[test]
fn a_server_waits_for_a_command_and_the_command_for_its_neighbours() {
    let place = Place::new();
    let command = Access::open(place.quiet()).unwrap();
    let url = Access::open(place.quiet()).unwrap().connection_url();
    let neighbour = thread::spawn(move || query(&url, "select 'done' from pg_sleep(1)"));
    thread::sleep(Duration::from_millis(300));
    let settings = place.quiet();
    let server = thread::spawn(move || PrivatePostgres::start(settings));
    drop(command);
    assert_eq!(neighbour.join().unwrap().as_deref(), Ok("done"));
    let server = server.join().unwrap().unwrap();
    query(&server.connection_url(), "select").unwrap();
}

#[test]
fn a_path_too_long_for_a_socket_and_full_of_odd_characters_works() {
    let place = Place::new();
    fs::create_dir(place.path()).unwrap();
    let odd = place.path().join("it's \"odd\" + 100%, ü").join("x".repeat(90));
    let mut settings = place.quiet();
    settings.data_dir = odd;
    fs::create_dir(place.path().join("it's \"odd\" + 100%, ü")).unwrap();
    let postgres = PrivatePostgres::start(settings).unwrap();
    query(&postgres.connection_url(), "select").unwrap();

    let mut settings = place.quiet();
    settings.data_dir = place.path().join("odd \"but, short+%");
    let postgres = PrivatePostgres::start(settings).unwrap();
    query(&postgres.connection_url(), "select").unwrap();
}

#[test]
fn data_of_another_major_version_is_left_alone() {
    let place = Place::new();
    PrivatePostgres::start(place.quiet()).unwrap().stop();
    fs::write(place.path().join("postgres/data/PG_VERSION"), "9\n").unwrap();
    let error = PrivatePostgres::start(place.quiet()).unwrap_err();
    assert!(matches!(error, StartError::WrongVersion { data: 9, .. }), "{error:?}");
}

#[test]
fn a_hopeless_start_ends_soon_and_shows_the_reason() {
    let place = Place::new();
    let mut settings = place.quiet();
    settings.extra.push(("shared_buffers".to_owned(), "plenty".to_owned()));
    let error = PrivatePostgres::start(settings).unwrap_err();
    assert!(matches!(error, StartError::Exited { .. }), "{error:?}");
    assert!(error.to_string().contains("shared_buffers"), "{error}");
    PrivatePostgres::start(place.quiet()).unwrap();
}
