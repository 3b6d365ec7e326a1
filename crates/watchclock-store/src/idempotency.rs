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

    /// Forgets answers given before `before`.
    pub async fn forget_answers(&self, before: Time) -> StoreResult<()> {
        sqlx::query!("delete from idempotency_keys where at < $1", before).execute(self.pool()).await?;
        Ok(())
    }
}
