//! Keeps the house in order: who depends on whom, how long files are, what the map names, what SQL must not do.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

/// Which of our rooms each room may use. Arrows run downward only.
const ROOMS: [(&str, &[&str]); 9] = [
    ("watchclock-domain", &[]),
    ("watchclock-postgres", &[]),
    ("watchclock-exec", &[]),
    ("watchclock-store", &["watchclock-domain"]),
    ("watchclock-notify", &["watchclock-domain"]),
    ("watchclock-service", &["watchclock-domain", "watchclock-notify", "watchclock-store"]),
    ("watchclock-web", &["watchclock-domain", "watchclock-service"]),
    ("watchclock", &["*"]),
    ("watchclock-tests", &["*"]),
];

/// Who may use what is not ours.
const GUESTS: [(&str, &[&str]); 5] = [
    ("sqlx", &["watchclock-store", "watchclock-tests"]),
    ("axum", &["watchclock-web", "watchclock", "watchclock-tests"]),
    ("lettre", &["watchclock-notify"]),
    ("reqwest", &["watchclock-notify", "watchclock-exec", "watchclock", "watchclock-tests"]),
    ("askama", &["watchclock-web", "watchclock-notify"]),
];

const SOFT: usize = 250;
const HARD: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files below a folder of the repository, by their end.
fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Names in `[dependencies]` of a room; what tests and builds use does not count.
fn dependencies(room: &str) -> BTreeSet<String> {
    let manifest = read(root().join("crates").join(room).join("Cargo.toml"));
    let mut section = "";
    let mut names = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]"
            && let Some((name, _)) = line.split_once(['=', '.'])
        {
            names.insert(name.trim().to_owned());
        }
    }
    names
}

#[track_caller]
fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn every_room_is_on_the_list() {
    let rooms = fs::read_dir(root().join("crates")).expect("there are crates");
    let unknown: Vec<String> = rooms
        .filter_map(|room| room.expect("the folder can be read").file_name().into_string().ok())
        .filter(|room| ROOMS.iter().all(|(known, _)| known != room))
        .collect();
    none("rooms without a place in the order", &unknown);
}

#[test]
fn arrows_run_downward_only() {
    let mut wrong = Vec::new();
    for (room, allowed) in ROOMS {
        let ours = dependencies(room).into_iter().filter(|name| name.starts_with("watchclock"));
        let forbidden = |name: &String| {
            name == "watchclock-tests" || !(allowed.contains(&"*") || allowed.contains(&name.as_str()))
        };
        wrong.extend(ours.filter(forbidden).map(|name| format!("{room} uses {name}")));
    }
    none("against the order of rooms", &wrong);
}

#[test]
fn guests_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (room, _) in ROOMS {
        let used = dependencies(room);
        let guests = GUESTS.iter().filter(|(guest, hosts)| used.contains(*guest) && !hosts.contains(&room));
        wrong.extend(guests.map(|(guest, hosts)| format!("{room} uses {guest}, which belongs to {hosts:?}")));
    }
    none("crates where they do not belong", &wrong);
}

#[test]
fn the_domain_is_pure() {
    let used = dependencies("watchclock-domain");
    let impure = ["tokio", "serde", "serde_json", "rand", "tracing"].into_iter().map(str::to_owned);
    none("the domain uses", &impure.filter(|name| used.contains(name)).collect::<Vec<_>>());
    let mut clocks = Vec::new();
    for path in files("crates/watchclock-domain/src", ".rs") {
        let asks = ["Utc::now", "SystemTime::now", "Instant::now", "now_v7", "new_v4"];
        let text = read(&path);
        let found = asks.iter().filter(|ask| text.contains(**ask));
        clocks.extend(found.map(|ask| format!("{}: {ask}", shown(&path))));
    }
    none("the domain asks a clock or makes ids", &clocks);
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for path in files("crates", ".rs") {
        let text = read(&path);
        let lines = text.lines().count();
        let name = shown(&path);
        if lines > HARD {
            wrong.push(format!("{name}: {lines} lines, more than {HARD}"));
        } else if lines > SOFT {
            println!("{name}: {lines} lines, more than {SOFT}");
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: does not open with a sentence on what it is"));
        }
    }
    none("files that are too long or say nothing", &wrong);
}

#[test]
fn what_the_map_names_exists() {
    let map = root().join("ARCHITECTURE.md");
    if !map.exists() {
        return;
    }
    let sources: Vec<String> = files("crates", ".rs").iter().map(read).collect();
    let migrations: Vec<String> = files("migrations", ".sql").iter().map(read).collect();
    let named = |word: &str| sources.iter().chain(&migrations).any(|text| text.contains(word));
    let paths = files("crates", ".rs");
    let text = read(map);
    let mut gone = Vec::new();
    for word in text.split('`').skip(1).step_by(2) {
        let is_path = word.ends_with('/');
        let exists = if word.starts_with("watchclock-") {
            root().join("crates").join(word).is_dir()
        } else if is_path {
            root().join(word).is_dir() || root().join("crates").join(word).is_dir()
        } else if Path::new(word).extension().is_some_and(|extension| extension == "rs") {
            paths.iter().any(|path| path.ends_with(word))
        } else if word.contains("::") || word.contains('_') {
            let last = word.rsplit(['.', ':']).next().unwrap_or(word);
            named(last) || paths.iter().any(|path| path.ends_with(format!("{last}.rs")))
        } else {
            true
        };
        if !exists && !word.contains('\n') {
            gone.push(word.to_owned());
        }
    }
    none("ARCHITECTURE.md names what is not there", &gone);
}

#[test]
fn sql_asks_no_clock_and_no_time_zone() {
    let asks =
        ["now()", "current_timestamp", "clock_timestamp", "statement_timestamp", "localtime", "at time zone"];
    let mut wrong = Vec::new();
    for path in files("crates/watchclock-store/src", ".rs").into_iter().chain(files("migrations", ".sql")) {
        for (number, line) in read(&path).lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") || code.starts_with("--") {
                continue;
            }
            let lower = code.to_lowercase();
            let is_sql =
                |at: usize| !lower[..at].ends_with(|c: char| c.is_alphanumeric() || "_.:".contains(c));
            let found = asks.iter().filter(|ask| lower.match_indices(**ask).any(|(at, _)| is_sql(at)));
            wrong.extend(found.map(|ask| format!("{}:{}: {ask}", shown(&path), number + 1)));
        }
    }
    none("times are arguments", &wrong);
}

#[test]
fn every_table_says_what_it_is() {
    let sql: String = files("migrations", ".sql").iter().map(read).collect();
    let tables = sql.lines().filter_map(|line| line.strip_prefix("create table "));
    let silent: Vec<String> = tables
        .filter_map(|rest| rest.split([' ', '(']).next())
        .filter(|table| !sql.contains(&format!("comment on table {table} is")))
        .map(str::to_owned)
        .collect();
    none("tables without a comment", &silent);
}

/// What the compiler was told of the database must fit the queries that are there.
#[test]
fn sqlx_knows_just_the_queries_that_are_there() {
    let mut queries = BTreeSet::new();
    for path in files("crates/watchclock-store/src", ".rs") {
        let text = read(&path);
        for call in ["query!(", "query_as!(", "query_scalar!("] {
            for (at, _) in text.match_indices(call) {
                queries.insert(literal(&text[at..]).unwrap_or_else(|| panic!("{}: no text", shown(&path))));
            }
        }
    }
    let hash = |query: &String| {
        Sha256::digest(query).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    };
    let wanted: BTreeSet<String> =
        queries.iter().map(|query| format!("query-{}.json", hash(query))).collect();
    let known: BTreeSet<String> = files(".sqlx", ".json")
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    let missing = queries.iter().filter(|query| !known.contains(&format!("query-{}.json", hash(query))));
    none("queries missing in .sqlx (run `make prepare`)", &missing.cloned().collect::<Vec<_>>());
    none(
        "stale files in .sqlx (run `make prepare`)",
        &known.difference(&wanted).cloned().collect::<Vec<_>>(),
    );
}

/// The first string literal of a macro call, as the compiler reads it.
fn literal(text: &str) -> Option<String> {
    let start = text.find('"')?;
    if text[..start].ends_with("r#") {
        let rest = &text[start + 1..];
        return Some(rest[..rest.find("\"#")?].to_owned());
    }
    let rest = &text[start + 1..];
    Some(rest[..rest.find('"')?].to_owned())
}
