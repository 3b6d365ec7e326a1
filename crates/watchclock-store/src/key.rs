//! Keys of the API. Only their hashes are kept.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult};

/// A key as stored and shown.
#[derive(Debug, Clone)]
pub struct ApiKey {
    pub id: Uuid,
    pub project_id: Uuid,
    pub name: String,
    /// `read`, `write` or `ping`.
    pub role: String,
    /// Its first characters.
    pub shown: String,
    pub created_at: Time,
    pub last_used_at: Option<Time>,
}

impl Store {
    pub async fn add_key(&self, key: &ApiKey, hash: &[u8]) -> StoreResult<()> {
        sqlx::query!(
            "insert into api_keys (id, project_id, name, role, key_hash, shown, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
            key.id,
            key.project_id,
            key.name,
            key.role,
            hash,
            key.shown,
            key.created_at
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    pub async fn keys(&self, project: Uuid) -> StoreResult<Vec<ApiKey>> {
        Ok(sqlx::query_as!(
            ApiKey,
            "select id, project_id, name, role, shown, created_at, last_used_at from api_keys
             where project_id = $1 order by id desc",
            project
        )
        .fetch_all(self.pool())
        .await?)
    }

    pub async fn key_by_hash(&self, hash: &[u8]) -> StoreResult<Option<ApiKey>> {
        Ok(sqlx::query_as!(
            ApiKey,
            "select id, project_id, name, role, shown, created_at, last_used_at from api_keys where key_hash = $1",
            hash
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Notes that a key was used, at most once a minute.
    pub async fn touch_key(&self, id: Uuid, now: Time) -> StoreResult<()> {
        sqlx::query!(
            "update api_keys set last_used_at = $2
             where id = $1 and (last_used_at is null or last_used_at < $3)",
            id,
            now,
            now - chrono::Duration::minutes(1)
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// Revokes a key; false when the project has none of that id.
    pub async fn remove_key(&self, project: Uuid, id: Uuid) -> StoreResult<bool> {
        let done = sqlx::query!("delete from api_keys where id = $1 and project_id = $2", id, project)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() > 0)
    }
}
