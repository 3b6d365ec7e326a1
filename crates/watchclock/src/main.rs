//! The Watchclock binary: commands, configuration, wiring, and shutdown in order. Everything else lives in the rooms below.

mod check;
mod commands;
mod config;
mod database;
mod logging;
mod secret_key;
mod serve;

use std::process::ExitCode;

use clap::Parser;

use crate::config::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // One TLS provider for mail and webhooks; a second install would be a bug of ours, so its answer does not matter.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("the async runtime could not be started: {error}")),
    };
    let done = runtime.block_on(async {
        match cli.command.unwrap_or(Command::Serve) {
            Command::Serve => serve::serve(&cli.settings).await,
            Command::Migrate => commands::migrate(&cli.settings).await,
            Command::CheckConfig(args) => check::check(&cli.settings, &args).await,
            Command::User(command) => commands::user::run(&cli.settings, command).await,
            Command::Key(command) => commands::key::run(&cli.settings, command).await,
            Command::Ping(args) => commands::ping::run(&cli.settings, &args).await,
            Command::Demo(args) => commands::demo::run(&cli.settings, &args).await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

/// Errors go to stderr in one readable paragraph.
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("watchclock: {error:#}");
    ExitCode::FAILURE
}
