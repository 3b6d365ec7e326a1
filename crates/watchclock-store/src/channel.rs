//! Channels: where alerts go.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

/// A channel as stored. What its settings mean is known to the notifier alone.
#[derive(Debug, Clone)]
pub struct Channel {
    pub id: Uuid,
    pub project_id: Uuid,
    pub kind: String,
    pub name: String,
    pub enabled: bool,
    pub settings: serde_json::Value,
    /// Encrypted.
    pub secrets: Option<Vec<u8>>,
    pub created_at: Time,
    pub updated_at: Time,
}

impl Store {
    pub async fn add_channel(&self, channel: &Channel) -> StoreResult<()> {
        sqlx::query!(
            "insert into channels (id, project_id, kind, name, enabled, settings, secrets, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
            channel.id,
            channel.project_id,
            channel.kind,
            channel.name,
            channel.enabled,
            channel.settings,
            channel.secrets,
            channel.created_at
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// Changes a channel; false when the project has none of that id.
    pub async fn update_channel(&self, channel: &Channel) -> StoreResult<bool> {
        let done = sqlx::query!(
            "update channels set name = $3, enabled = $4, settings = $5, secrets = $6, updated_at = $7
             where id = $1 and project_id = $2",
            channel.id,
            channel.project_id,
            channel.name,
            channel.enabled,
            channel.settings,
            channel.secrets,
            channel.updated_at
        )
        .execute(self.pool())
        .await?;
        Ok(done.rows_affected() > 0)
    }

    pub async fn remove_channel(&self, project: Uuid, id: Uuid) -> StoreResult<bool> {
        let done = sqlx::query!("delete from channels where id = $1 and project_id = $2", id, project)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    pub async fn channels(&self, project: Uuid) -> StoreResult<Vec<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.* from channels c where c.project_id = $1 order by c.id desc",
            project
        )
        .fetch_all(self.pool())
        .await?)
    }

    pub async fn channel(&self, project: Uuid, id: Uuid) -> StoreResult<Option<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.* from channels c where c.id = $1 and c.project_id = $2",
            id,
            project
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// A channel to deliver to, whatever its project.
    pub async fn any_channel(&self, id: Uuid) -> StoreResult<Option<Channel>> {
        Ok(sqlx::query_as!(Channel, "select c.* from channels c where c.id = $1", id)
            .fetch_optional(self.pool())
            .await?)
    }

    /// Enabled channels of projects, as seen inside a transaction: pairs of project and channel.
    pub async fn enabled_channels(&self, tx: &mut Tx, projects: &[Uuid]) -> StoreResult<Vec<(Uuid, Uuid)>> {
        let rows = sqlx::query!(
            "select project_id, id from channels where project_id = any($1) and enabled order by id",
            projects
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(|row| (row.project_id, row.id)).collect())
    }
}
