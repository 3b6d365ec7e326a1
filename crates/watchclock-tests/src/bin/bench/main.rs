//! `make bench`: durable pings per second, against a handler that only says OK, in the same run.
//!
//! One process orders the others, all of this binary: `server` the two HTTP servers, `load` the client. Each figure is the
//! median of alternating rounds, and the ratio that of what follows each other, so that a machine that gets slower meanwhile
//! is slower for both.

mod domain;
mod load;
mod rounds;
mod rules;
mod schedule;
mod server;
mod usage;
mod verify;

use std::process::ExitCode;

use rounds::Plan;

const USAGE: &str =
    "usage: bench [--seconds N] [--rounds N] [--connections N] [--monitors N] [--shared] [--no-domain]
             [--database URL]
       bench schedules: only what schedules cost, beside the croner crate
       bench rules: only what rules cost a ping
  --seconds      how long each round measures (3)
  --rounds       rounds of each server (10)
  --connections  clients that wait for each answer before they send again (256)
  --monitors     monitors that are pinged (1000)
  --shared       connections take each other's monitors, so that runs overlap and incidents open
  --no-domain    leave out the figures of schedules and rules
  --database     an empty PostgreSQL to use; else a private one is started, as `watchclock serve` does";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("a machine that can be measured can run threads");
    let done = match words.first().map(String::as_str) {
        Some("serve-bare") => runtime.block_on(server::bare()),
        Some("serve-watchclock") => runtime.block_on(server::watchclock()),
        Some("schedules") => schedule::measure(),
        Some("rules") => runtime.block_on(rounds::only_rules()),
        Some("load") => runtime.block_on(load::run()),
        _ => {
            let Some(plan) = plan(&words) else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            runtime.block_on(rounds::run(&plan))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn plan(words: &[String]) -> Option<Plan> {
    let mut plan = Plan {
        seconds: 3,
        rounds: 10,
        connections: 256,
        monitors: 1_000,
        shared: false,
        domain: true,
        database: None,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--shared" => plan.shared = true,
            "--no-domain" => plan.domain = false,
            "--database" => plan.database = Some(words.next()?.clone()),
            "--seconds" => plan.seconds = words.next()?.parse().ok()?,
            "--rounds" => plan.rounds = words.next()?.parse().ok()?,
            "--connections" => plan.connections = words.next()?.parse().ok()?,
            "--monitors" => plan.monitors = words.next()?.parse().ok()?,
            _ => return None,
        }
    }
    let fits =
        plan.rounds > 0 && plan.seconds > 0 && plan.connections > 0 && plan.connections <= plan.monitors;
    fits.then_some(plan)
}
