//! Channels: where alerts go. One that was deleted is seen by nobody here; `delivery` still knows its name.

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

    /// A channel that nobody else changes until the transaction ends.
    pub async fn lock_channel(&self, tx: &mut Tx, project: Uuid, id: Uuid) -> StoreResult<Option<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.id, c.project_id, c.kind, c.name, c.enabled, c.settings, c.secrets, c.created_at, c.updated_at
             from channels c where c.id = $1 and c.project_id = $2 and c.deleted_at is null for update",
            id,
            project
        )
        .fetch_optional(&mut **tx)
        .await?)
    }

    /// Changes a channel that is locked.
    pub async fn update_channel(&self, tx: &mut Tx, channel: &Channel) -> StoreResult<()> {
        sqlx::query!(
            "update channels set name = $3, enabled = $4, settings = $5, secrets = $6, updated_at = $7
             where id = $1 and project_id = $2 and deleted_at is null",
            channel.id,
            channel.project_id,
            channel.name,
            channel.enabled,
            channel.settings,
            channel.secrets,
            channel.updated_at
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Deletes a channel with its settings and secrets; false when the project has none of that id. Its row stays, so
    /// that what it was told stays readable; what it was to be told is cancelled.
    pub async fn remove_channel(&self, project: Uuid, id: Uuid, now: Time) -> StoreResult<bool> {
        let mut tx = self.begin().await?;
        let done = sqlx::query!(
            "update channels set deleted_at = $3, enabled = false, settings = '{}', secrets = null
             where id = $1 and project_id = $2 and deleted_at is null",
            id,
            project,
            now
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        // What somebody is sending just now is settled by whoever sends it.
        sqlx::query!(
            "update deliveries set status = 'cancelled', settled_at = $2
             where channel_id = $1 and status in ('queued', 'retry')
               and (lease_until is null or lease_until <= $2)",
            id,
            now
        )
        .execute(&mut *tx)
        .await?;
        self.commit(tx).await?;
        Ok(true)
    }

    /// Removes deleted channels of which no delivery tells any more.
    pub async fn forget_deleted_channels(&self) -> StoreResult<()> {
        sqlx::query!(
            "delete from channels c where c.deleted_at is not null
               and not exists (select 1 from deliveries d where d.channel_id = c.id)"
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    pub async fn channels(&self, project: Uuid) -> StoreResult<Vec<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.id, c.project_id, c.kind, c.name, c.enabled, c.settings, c.secrets, c.created_at, c.updated_at
             from channels c where c.project_id = $1 and c.deleted_at is null order by c.id desc",
            project
        )
        .fetch_all(self.pool())
        .await?)
    }

    pub async fn channel(&self, project: Uuid, id: Uuid) -> StoreResult<Option<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.id, c.project_id, c.kind, c.name, c.enabled, c.settings, c.secrets, c.created_at, c.updated_at
             from channels c where c.id = $1 and c.project_id = $2 and c.deleted_at is null",
            id,
            project
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// A channel to deliver to, whatever its project.
    pub async fn any_channel(&self, id: Uuid) -> StoreResult<Option<Channel>> {
        Ok(sqlx::query_as!(
            Channel,
            "select c.id, c.project_id, c.kind, c.name, c.enabled, c.settings, c.secrets, c.created_at, c.updated_at
             from channels c where c.id = $1 and c.deleted_at is null",
            id
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Which of some channels a project has, as seen inside a transaction.
    pub async fn known_channels(&self, tx: &mut Tx, project: Uuid, ids: &[Uuid]) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select id from channels where project_id = $1 and id = any($2) and deleted_at is null",
            project,
            ids
        )
        .fetch_all(&mut **tx)
        .await?)
    }

    /// Enabled channels of projects, as seen inside a transaction: pairs of project and channel.
    pub async fn enabled_channels(&self, tx: &mut Tx, projects: &[Uuid]) -> StoreResult<Vec<(Uuid, Uuid)>> {
        let rows = sqlx::query!(
            "select project_id, id from channels where project_id = any($1) and enabled and deleted_at is null order by id",
            projects
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(|row| (row.project_id, row.id)).collect())
    }
}
