//! Logs to stderr: text for people, JSON for machines.

use std::io::IsTerminal as _;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, Settings};

pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log).with_context(|| {
        format!("WATCHCLOCK_LOG: `{}` is no filter; write `info` or `debug`", settings.log)
    })?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match settings.log_format {
        LogFormat::Text => builder.with_target(false).with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}

/// Hands PostgreSQL's own lines to the log.
pub(crate) fn postgres_sink() -> Box<dyn Fn(&str) + Send> {
    Box::new(|line| {
        let routine = line.starts_with("LOG:") || line.starts_with("HINT:") || line.starts_with("DETAIL:");
        if routine {
            tracing::debug!(target: "postgres", "{line}");
        } else {
            tracing::warn!(target: "postgres", "{line}");
        }
    })
}
