//! Answers to requests that may be sent again with the same key.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

/// How long a repeated key means the same request, in hours.
pub const KEPT_HOURS: i64 = 24;

impl Store {
    /// Answers given since `since` under keys, by scope and key.
    pub async fn answered(
        &self,
        tx: &mut Tx,
        keys: &[(Uuid, String)],
        since: Time,
    ) -> StoreResult<Vec<(Uuid, String, serde_json::Value)>> {
        let (scopes, keys): (Vec<Uuid>, Vec<String>) = keys.iter().cloned().unzip();
        let rows = sqlx::query!(
            "select i.scope, i.key, i.answer from unnest($1::uuid[], $2::text[]) as wanted(scope, key)
             join idempotency_keys i on i.scope = wanted.scope and i.key = wanted.key
             where i.at >= $3",
            &scopes,
            &keys,
            since
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(|row| (row.scope, row.key, row.answer)).collect())
    }

    /// Remembers an answer, replacing one that has expired.
    pub async fn remember_answer(
        &self,
        tx: &mut Tx,
        scope: Uuid,
        key: &str,
        at: Time,
        answer: &serde_json::Value,
    ) -> StoreResult<()> {
        sqlx::query!(
            "insert into idempotency_keys (scope, key, at, answer) values ($1, $2, $3, $4)
             on conflict (scope, key) do update set at = excluded.at, answer = excluded.answer",
            scope,
            key,
            at,
            answer
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Takes a key for a request that is about to be carried out: none when it is now `holder`'s, else what stands
    /// under it. What was given before `since` has expired; an `open` request from before `stale` was abandoned.
    pub async fn take_key(
        &self,
        (scope, key): (Uuid, &str),
        at: Time,
        (since, stale): (Time, Time),
        open: &serde_json::Value,
    ) -> StoreResult<Option<serde_json::Value>> {
        let taken = sqlx::query!(
            "insert into idempotency_keys as i (scope, key, at, answer) values ($1, $2, $3, $4)
             on conflict (scope, key) do update set at = excluded.at, answer = excluded.answer
             where i.at < $5 or (i.answer ? 'holder' and i.at < $6)",
            scope,
            key,
            at,
            open,
            since,
            stale
        )
        .execute(self.pool())
        .await?;
        if taken.rows_affected() > 0 {
            return Ok(None);
        }
        let row =
            sqlx::query!("select answer from idempotency_keys where scope = $1 and key = $2", scope, key)
                .fetch_optional(self.pool())
                .await?;
        // Given back just now: as if it were still open, the caller asks again.
        Ok(Some(row.map_or_else(|| open.clone(), |row| row.answer)))
    }

    /// Puts an answer where `holder` has taken the key; without one, gives the key back.
    pub async fn settle_key(
        &self,
        (scope, key): (Uuid, &str),
        holder: Uuid,
        answer: Option<&serde_json::Value>,
    ) -> StoreResult<()> {
        let holder = holder.to_string();
        match answer {
            Some(answer) => {
                sqlx::query!(
                    "update idempotency_keys set answer = $4
                     where scope = $1 and key = $2 and answer ->> 'holder' = $3",
                    scope,
                    key,
                    holder,
                    answer
                )
                .execute(self.pool())
                .await?
            }
            None => {
                sqlx::query!(
                    "delete from idempotency_keys where scope = $1 and key = $2 and answer ->> 'holder' = $3",
                    scope,
                    key,
                    holder
                )
                .execute(self.pool())
                .await?
            }
        };
        Ok(())
    }

    /// Forgets answers given before `before`.
    pub async fn forget_answers(&self, before: Time) -> StoreResult<()> {
        sqlx::query!("delete from idempotency_keys where at < $1", before).execute(self.pool()).await?;
        Ok(())
    }
}
