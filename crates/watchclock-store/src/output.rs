//! What runs reported as text: the last part, kept apart from the runs.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::ping::{OUTPUT_LIMIT, Output};

use crate::{Store, StoreResult, Tx};

fn output(tail: Vec<u8>, cut: i64) -> Output {
    Output { tail, cut: u64::try_from(cut).unwrap_or(0) }
}

impl Store {
    /// Adds to the outputs of runs, in order, keeping the last [`OUTPUT_LIMIT`] bytes of each.
    pub(crate) async fn append_outputs(&self, tx: &mut Tx, more: &[(Uuid, &Output)]) -> StoreResult<()> {
        let ids: Vec<Uuid> = more.iter().map(|(run, _)| *run).collect();
        let mut outputs = self.outputs_of(tx, &ids).await?;
        for (run, more) in more {
            outputs.entry(*run).or_default().append(more, OUTPUT_LIMIT);
        }
        let ids: Vec<Uuid> = outputs.keys().copied().collect();
        let cuts: Vec<i64> =
            outputs.values().map(|output| i64::try_from(output.cut).unwrap_or(i64::MAX)).collect();
        let tails: Vec<Vec<u8>> = outputs.into_values().map(|output| output.tail).collect();
        sqlx::query!(
            "insert into run_outputs (run_id, tail, cut) select * from unnest($1::uuid[], $2::bytea[], $3::bigint[])
             on conflict (run_id) do update set tail = excluded.tail, cut = excluded.cut",
            &ids,
            &tails,
            &cuts
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// The output of one run; none when it reported nothing.
    pub async fn output(&self, run: Uuid) -> StoreResult<Option<Output>> {
        let row = sqlx::query!("select tail, cut from run_outputs where run_id = $1", run)
            .fetch_optional(self.pool())
            .await?;
        Ok(row.map(|row| output(row.tail, row.cut)))
    }

    /// Outputs of several runs, as they are kept.
    pub async fn outputs_of(&self, tx: &mut Tx, runs: &[Uuid]) -> StoreResult<BTreeMap<Uuid, Output>> {
        let rows = sqlx::query!("select run_id, tail, cut from run_outputs where run_id = any($1)", runs)
            .fetch_all(&mut **tx)
            .await?;
        Ok(rows.into_iter().map(|row| (row.run_id, output(row.tail, row.cut))).collect())
    }

    /// Outputs of several runs, as text by run.
    pub async fn outputs(&self, tx: &mut Tx, runs: &[Uuid]) -> StoreResult<Vec<(Uuid, String)>> {
        let outputs = self.outputs_of(tx, runs).await?;
        Ok(outputs.into_iter().map(|(run, output)| (run, output.text())).collect())
    }
}
