//! The real binary on a data directory of its own, and load that remembers what was acknowledged.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    task::JoinSet,
};
use watchclock_domain::run::{Run, RunStatus};
use watchclock_store::Store;

pub(crate) struct Server {
    child: Child,
    data_dir: PathBuf,
    pub(crate) url: String,
    ping_key: String,
}

impl Server {
    /// Starts the binary and waits until it is ready.
    pub(crate) async fn start(home: &Path) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let data_dir = home.join("data");
        let mut child = Command::new(env!("CARGO_BIN_EXE_watchclock"))
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--data-dir"])
            .arg(&data_dir)
            .env_remove("DATABASE_URL")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some((_, url)) = line.split_once(" is ready at ") {
                    return url.trim_end_matches('/').to_owned();
                }
            }
            panic!("the server ended before it was ready");
        };
        let url = tokio::time::timeout(Duration::from_mins(2), ready).await.unwrap();
        let store = store(&data_dir);
        let ping_key = store.project_by_slug("default").await.unwrap().unwrap().ping_key;
        store.close().await;
        Self { child, data_dir, url, ping_key }
    }

    /// As `kill -9`.
    pub(crate) fn kill(self) {
        let mut child = self.child;
        child.start_kill().unwrap();
    }

    /// Stands still, as a machine that sleeps.
    pub(crate) fn freeze(&self) {
        let pid = self.child.id().expect("it runs").to_string();
        assert!(std::process::Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
    }

    /// What a person with psql might do; answers the rows as text.
    pub(crate) fn sql(&self, sql: &str) -> String {
        let url = watchclock_postgres::PrivatePostgres::running_url(&self.data_dir).unwrap();
        let url = url.expect("PostgreSQL runs");
        let done = std::process::Command::new("psql").args(["-X", "-A", "-t", "-c", sql, &url]).output();
        let done = done.expect("psql is installed");
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// Waits until a query answers so.
    pub(crate) async fn eventually(&self, sql: &str, answer: &str) {
        for _ in 0..600 {
            if self.sql(sql) == answer {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{sql} answers {}, not {answer}", self.sql(sql));
    }

    /// As a service manager stops it.
    pub(crate) async fn stop(mut self) {
        let pid = self.child.id().unwrap();
        assert!(Command::new("kill").arg(pid.to_string()).status().await.unwrap().success());
        let status = tokio::time::timeout(Duration::from_mins(1), self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "the server ended with {status}");
    }

    /// `kill -9` of the PostgreSQL that it runs.
    pub(crate) fn kill_postgres(&self) {
        let pid =
            postmaster_pid(&self.data_dir.join("postgres")).expect("PostgreSQL runs in the data directory");
        let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
        assert!(killed.success());
    }

    pub(crate) async fn create_monitors(&self, count: usize) {
        self.create_monitors_with(count, "").await;
    }

    /// The same with parameters: `&schedule=0+*+*+*+*`.
    pub(crate) async fn create_monitors_with(&self, count: usize, parameters: &str) {
        for number in 0..count {
            let url = format!("{}/ping/{}/job-{number}/log?create=1{parameters}", self.url, self.ping_key);
            let answer = reqwest::get(url).await.unwrap();
            assert_eq!(answer.status(), 201);
        }
    }

    /// Every run that is stored, by the job's own name for it.
    pub(crate) async fn runs(&self) -> BTreeMap<String, Vec<Run>> {
        let store = store(&self.data_dir);
        let project = store.project_by_slug("default").await.unwrap().unwrap();
        let mut runs: BTreeMap<String, Vec<Run>> = BTreeMap::new();
        for monitor in store.monitors(project.id).await.unwrap() {
            for run in store.runs_of_monitor(monitor.id, None, None, 1_000_000).await.unwrap() {
                let rid = run.run_id.as_ref().expect("every ping named its run").shown.clone();
                runs.entry(rid).or_default().push(run);
            }
        }
        store.close().await;
        runs
    }
}

fn store(data_dir: &Path) -> Store {
    let url = watchclock_postgres::PrivatePostgres::running_url(data_dir).unwrap().expect("PostgreSQL runs");
    Store::open(&url, 2).unwrap()
}

fn postmaster_pid(dir: &Path) -> Option<String> {
    for entry in std::fs::read_dir(dir).ok()?.flatten() {
        let path = entry.path();
        if path.file_name().is_some_and(|name| name == "postmaster.pid") {
            return Some(std::fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned());
        }
        if path.is_dir()
            && let Some(pid) = postmaster_pid(&path)
        {
            return Some(pid);
        }
    }
    None
}

/// What was acknowledged to the jobs.
#[derive(Default)]
pub(crate) struct Sent {
    started: Mutex<HashSet<String>>,
    ended: Mutex<HashSet<String>>,
    count: AtomicUsize,
}

impl Sent {
    pub(crate) fn acknowledged(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    pub(crate) async fn wait_for_acknowledged(&self, least: usize) {
        while self.acknowledged() < least {
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Everything acknowledged is stored, and nothing is there twice.
    pub(crate) fn compare(&self, stored: &BTreeMap<String, Vec<Run>>) {
        let (started, ended) = (self.started.lock().unwrap(), self.ended.lock().unwrap());
        for (rid, runs) in stored {
            assert_eq!(runs.len(), 1, "{rid} is there twice");
        }
        for rid in started.iter() {
            assert!(stored.contains_key(rid), "the start of {rid} was acknowledged and is lost");
        }
        for rid in ended.iter() {
            assert_eq!(
                stored[rid][0].status,
                RunStatus::Success,
                "the end of {rid} was acknowledged and is lost"
            );
        }
        println!("{} starts and {} ends were acknowledged; all are stored, once", started.len(), ended.len());
    }
}

pub(crate) struct Work {
    stopping: Arc<AtomicBool>,
    tasks: JoinSet<()>,
}

impl Work {
    pub(crate) async fn stop(mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Starts connections that each ping start and end of one run after the other, sending again what was not acknowledged.
pub(crate) fn load(server: &Server, connections: usize, sent: &Arc<Sent>) -> Work {
    let stopping = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for connection in 0..connections {
        let base = format!("{}/ping/{}/job-{}", server.url, server.ping_key, connection % 8);
        let (sent, stopping) = (Arc::clone(sent), Arc::clone(&stopping));
        tasks.spawn(async move {
            let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
            for number in 0..10_000 {
                if stopping.load(Ordering::SeqCst) {
                    return;
                }
                let rid = format!("c{connection}-{number}");
                for (signal, known) in [("/start", &sent.started), ("", &sent.ended)] {
                    if acknowledged(&client, &format!("{base}{signal}?rid={rid}"), &stopping).await {
                        known.lock().unwrap().insert(rid.clone());
                        sent.count.fetch_add(1, Ordering::SeqCst);
                    }
                }
            }
        });
    }
    Work { stopping, tasks }
}

async fn acknowledged(client: &reqwest::Client, url: &str, stopping: &AtomicBool) -> bool {
    for _ in 0..400 {
        match client.get(url).send().await {
            Ok(answer) if answer.status().is_success() => return true,
            Ok(answer) => assert_eq!(answer.status(), 503, "a ping is taken, or asked for again"),
            Err(_) => {}
        }
        if stopping.load(Ordering::SeqCst) {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}
