//! `watchclock key`: keys of the API.

use anyhow::Context as _;
use watchclock_service::key::KeyRole;

use super::with_watchclock;
use crate::config::{KeyCommand, Settings};

pub(crate) async fn run(settings: &Settings, command: KeyCommand) -> anyhow::Result<()> {
    with_watchclock(settings, async |watchclock| {
        let slug = match &command {
            KeyCommand::Add { project, .. }
            | KeyCommand::List { project, .. }
            | KeyCommand::Revoke { project, .. } => project.clone(),
        };
        // A key may be wanted before the server's first start.
        if slug == "default" && watchclock.projects().await?.is_empty() {
            watchclock.create_project("default", "Default", None).await?;
        }
        let project = watchclock
            .project_by_slug(&slug)
            .await
            .with_context(|| format!("there is no project `{slug}`"))?;
        match command {
            KeyCommand::Add { role, name, .. } => {
                let role = KeyRole::from_word(&role).context("the role must be read, write or ping")?;
                let (_, key) = watchclock.add_key(project.id, &name, role).await?;
                println!("{key}");
            }
            KeyCommand::List { json, .. } => {
                let keys = watchclock.keys(project.id).await?;
                if json {
                    let keys: Vec<serde_json::Value> = keys
                        .iter()
                        .map(|key| {
                            serde_json::json!({
                                "id": key.id, "name": key.name, "role": key.role, "shown": key.shown,
                                "created_at": key.created_at, "last_used_at": key.last_used_at,
                            })
                        })
                        .collect();
                    println!("{}", serde_json::to_string_pretty(&keys)?);
                } else {
                    for key in keys {
                        println!("{}  {:5}  {}…  {}", key.id, key.role, key.shown, key.name);
                    }
                }
            }
            KeyCommand::Revoke { id, .. } => {
                watchclock
                    .remove_key(project.id, id)
                    .await
                    .with_context(|| format!("there is no key {id}"))?;
            }
        }
        Ok(())
    })
    .await
}
