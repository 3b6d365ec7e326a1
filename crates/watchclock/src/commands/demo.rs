//! `watchclock demo`: two weeks of believable jobs.

use crate::config::{DemoArgs, Settings};

pub(crate) async fn run(_settings: &Settings, _args: &DemoArgs) -> anyhow::Result<()> {
    anyhow::bail!("not yet")
}
