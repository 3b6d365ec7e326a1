//! The order of things: a database that is durable, two servers, rounds of load, and what came of them.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
};

use anyhow::{Context as _, ensure};
use uuid::Uuid;
use watchclock_domain::schedule::ScheduleText;
use watchclock_postgres::{PostgresSettings, PrivatePostgres};
use watchclock_service::{
    Watchclock,
    monitor::{MonitorChange, MonitorFilter, Past},
};
use watchclock_store::Store;

use crate::{
    domain,
    load::{Heard, Order},
    rules, schedule, server, usage, verify,
};

/// What is measured.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) seconds: u64,
    pub(crate) rounds: usize,
    pub(crate) connections: usize,
    pub(crate) monitors: usize,
    pub(crate) shared: bool,
    pub(crate) domain: bool,
    pub(crate) database: Option<String>,
}

pub(crate) async fn run(plan: &Plan) -> anyhow::Result<()> {
    if plan.domain {
        domain::measure();
        if let Err(broken) = schedule::measure() {
            eprintln!("bench: {broken:#}");
        }
    }
    if let Some(url) = &plan.database {
        return measure(plan, url).await;
    }
    let postgres = Database::start().await?;
    let done = measure(plan, &postgres.connection_url()).await;
    postgres.stop().await?;
    done
}

/// Only what rules cost a ping.
pub(crate) async fn only_rules() -> anyhow::Result<()> {
    let postgres = Database::start().await?;
    let done = async {
        let url = postgres.connection_url();
        Store::open(&url, 1)?.migrate().await?;
        rules::measure(&server::product(&url)?).await
    };
    let done = done.await;
    postgres.stop().await?;
    done
}

async fn measure(plan: &Plan, url: &str) -> anyhow::Result<()> {
    Store::open(url, 1)?.migrate().await?;
    let watchclock = server::product(url)?;
    if plan.domain {
        rules::measure(&watchclock).await?;
    }
    let monitors = monitors(&watchclock, plan.monitors).await?;
    let servers = [Server::start("serve-watchclock", url)?, Server::start("serve-bare", url)?];

    println!(
        "{} connections, {} monitors, start and end with run ids, {} s a round{}",
        plan.connections,
        plan.monitors,
        plan.seconds,
        if plan.shared { ", runs overlap" } else { "" },
    );
    println!("{:<24} {:>10} {:>9} {:>9} {:>9}", "", "pings/s", "p50 ms", "p99 ms", "max ms");
    let mut rates = [Vec::new(), Vec::new()];
    let mut orders = Vec::new();
    let mut used = Used::default();
    for round in 0..plan.rounds {
        // The one that is first in a round is second in the next.
        for server in [round % 2, 1 - round % 2] {
            let name = NAMES[server];
            let order = Order {
                address: servers[server].address.clone(),
                seconds: plan.seconds,
                connections: plan.connections,
                shared: plan.shared,
                round: format!("r{round}"),
                monitors: monitors.clone(),
            };
            let before = (usage::cpu(servers[server].process.id()), usage::database(url).await);
            let (order, heard) = tokio::task::spawn_blocking(move || load(order)).await??;
            let rate = heard.counted / plan.seconds;
            rates[server].push(rate);
            println!(
                "{:<24} {:>10} {:>9} {:>9} {:>9}",
                format!("{name}, round {}", round + 1),
                rate,
                thousandths(u64::from(heard.p50)),
                thousandths(u64::from(heard.p99)),
                thousandths(u64::from(heard.max)),
            );
            let requests = 2 * heard.runs.iter().sum::<u64>();
            let now = usage::cpu(servers[server].process.id());
            used.servers[server].add(now.zip(before.0).map(|(now, before)| now - before), requests);
            if server == 0 {
                let now = usage::database(url).await;
                let spent = now.iter().map(|(pid, now)| now - before.1.get(pid).unwrap_or(&0)).sum();
                used.database.add((!now.is_empty()).then_some(spent), requests);
                orders.push((order, heard));
            }
        }
    }
    let pairs = rates[0].iter().zip(&rates[1]);
    let ratio = median(pairs.map(|(durable, bare)| durable * 1_000 / bare.max(&1)).collect());
    let [durable, bare] = rates.map(median);
    println!("\ndurable pings per second   {durable:>8}");
    println!("bare \"OK\" per second       {bare:>8}");
    println!("ratio, median of rounds    {:>8}", thousandths(ratio));
    used.tell(servers[0].process.id());
    let runs = verify::all_stored(&watchclock, &orders).await?;
    println!("all {runs} acknowledged runs are in the database, each once, started and ended");
    Ok(())
}

const NAMES: [&str; 2] = ["durable", "bare \"OK\""];

/// A durable PostgreSQL for the time of a measurement.
struct Database {
    postgres: PrivatePostgres,
    _home: tempfile::TempDir,
}

impl Database {
    async fn start() -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let mut settings = PostgresSettings::new(home.path());
        settings.log = Box::new(|line| {
            if !line.starts_with("LOG:") {
                eprintln!("{line}");
            }
        });
        let postgres = tokio::task::spawn_blocking(move || PrivatePostgres::start(settings)).await??;
        Ok(Self { postgres, _home: home })
    }

    fn connection_url(&self) -> String {
        self.postgres.connection_url()
    }

    async fn stop(self) -> anyhow::Result<()> {
        Ok(tokio::task::spawn_blocking(move || self.postgres.stop()).await?)
    }
}

/// The middle one, or the mean of the two in the middle.
fn median(mut rates: Vec<u64>) -> u64 {
    rates.sort_unstable();
    let (low, high) = ((rates.len() - 1) / 2, rates.len() / 2);
    u64::midpoint(rates[low], rates[high])
}

/// CPU time of one process or several, and for how many requests.
#[derive(Debug, Default)]
struct Spent {
    micros: u64,
    requests: u64,
}

impl Spent {
    fn add(&mut self, micros: Option<u64>, requests: u64) {
        let Some(micros) = micros else { return };
        self.micros += micros;
        self.requests += requests;
    }
}

/// What the rounds have cost; it depends less than the rates on what else the machine does.
#[derive(Debug, Default)]
struct Used {
    servers: [Spent; 2],
    database: Spent,
}

impl Used {
    fn tell(&self, server: u32) {
        let Self { servers: [durable, bare], database } = self;
        println!();
        for (name, spent) in
            [("server", durable), ("its PostgreSQL", database), ("the server that only says OK", bare)]
        {
            if let Some(each) = spent.micros.checked_div(spent.requests) {
                println!("CPU of {name:<30} {each:>6} µs a ping");
            }
        }
        if let Some((all, own)) = usage::memory(server) {
            println!("memory of the server after it all    {all:>7} kB, its own {own} kB");
        }
        println!();
    }
}

fn thousandths(number: u64) -> String {
    format!("{}.{:03}", number / 1_000, number % 1_000)
}

async fn monitors(watchclock: &Watchclock, count: usize) -> anyhow::Result<Vec<Uuid>> {
    let project = watchclock.create_project("bench", "Bench", None).await?;
    let past = |at| Past {
        monitor: MonitorChange {
            name: Some(format!("job {at}")),
            schedule: Some(ScheduleText::every(3_600)),
            ..MonitorChange::default()
        },
        since: watchclock.now(),
        pings: Vec::new(),
        paused: None,
    };
    watchclock.create_with_past(project.id, (0..count).map(past).collect()).await?;
    let monitors = watchclock.monitors(project.id, &MonitorFilter::default(), 0).await?;
    Ok(monitors.iter().map(|view| view.monitor.id).collect())
}

/// One of the servers, in a process of its own.
struct Server {
    process: Child,
    /// It ends when this is closed, so also when we are killed.
    stdin: Option<ChildStdin>,
    address: String,
}

impl Server {
    fn start(name: &str, url: &str) -> anyhow::Result<Self> {
        let mut process = myself(name)?.env(server::DATABASE, url).spawn()?;
        let mut address = String::new();
        let stdout = process.stdout.take().context("stdout is piped")?;
        BufReader::new(stdout).read_line(&mut address)?;
        ensure!(!address.is_empty(), "{name} did not start");
        Ok(Self { stdin: process.stdin.take(), process, address: address.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.process.wait();
    }
}

/// Lets the client do what is ordered.
fn load(order: Order) -> anyhow::Result<(Order, Heard)> {
    let mut process = myself("load")?.spawn()?;
    let mut stdin = process.stdin.take().context("stdin is piped")?;
    writeln!(stdin, "{}", serde_json::to_string(&order)?)?;
    let output = process.wait_with_output()?;
    ensure!(output.status.success(), "the client failed");
    Ok((order, serde_json::from_slice(&output.stdout)?))
}

fn myself(task: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(task).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}
