//! The evaluator's tick: monitors whose moment has come are looked at; what became wrong opens incidents.

use uuid::Uuid;
use watchclock_domain::{Time, timeline::Timeline};
use watchclock_store::{Batch, StoreError, StoreResult};

use crate::{ServiceResult, Watchclock, contained::contained};

/// Most monitors in one transaction.
const MAX_MONITORS: i64 = 200;
/// Most transactions in one tick; what remains is due at once again.
const MAX_ROUNDS: usize = 50;

/// The evaluator's heartbeat.
pub(crate) const EVALUATOR: &str = "evaluator";

impl Watchclock {
    /// Evaluates what is due and tells when it should be called next.
    pub async fn evaluate(&self) -> ServiceResult<Option<Time>> {
        let now = self.now();
        self.watch().await?;
        self.store().beat(EVALUATOR, now).await?;
        for _ in 0..MAX_ROUNDS {
            let due = self.store().due_monitors(now, MAX_MONITORS).await?;
            if due.is_empty() {
                break;
            }
            let looked_at = self.evaluate_contained(&due, now).await?;
            // What another server has locked is its to do; looking again at once would only spin.
            if looked_at == 0 {
                break;
            }
        }
        Ok(self.store().next_deadline().await?)
    }

    /// Evaluates monitors together; when one of them cannot be, it is put off and the others go on.
    async fn evaluate_contained(&self, due: &[Uuid], now: Time) -> StoreResult<usize> {
        match contained(Box::pin(self.evaluate_monitors(due, now))).await {
            Err(error) if !error.is_transient() && due.len() > 1 => {
                tracing::warn!(%error, monitors = due.len(), "monitors could not be evaluated together");
                let mut looked_at = 0;
                for monitor in due {
                    looked_at +=
                        Box::pin(self.evaluate_contained(std::slice::from_ref(monitor), now)).await?;
                }
                Ok(looked_at)
            }
            Err(error) if !error.is_transient() => {
                tracing::error!(%error, monitor = %due[0], "a monitor could not be evaluated; trying again in a minute");
                self.store().postpone(due[0], now + chrono::Duration::minutes(1)).await?;
                Ok(1)
            }
            done => done,
        }
    }

    async fn evaluate_monitors(&self, due: &[Uuid], now: Time) -> Result<usize, StoreError> {
        let mut monitors = self.inner.cache.get(self.store(), due).await?;
        let mut tx = self.store().begin().await?;
        // One alone is waited for: whoever has it, perhaps a transaction that failed here and is being undone, is quick.
        let mut facts = self.store().lock_facts(&mut tx, due, &[], due.len() > 1).await?;
        self.refresh(&mut tx, &mut monitors, &facts).await?;
        let mut timelines = self.timelines(&mut tx, &monitors, &mut facts).await?;
        let mut new_id = || self.new_id();
        for line in timelines.values_mut() {
            line.pass(now, &mut new_id);
        }
        let looked_at = timelines.len();
        self.tell_usual(&mut tx, &mut timelines).await?;
        let changed: Vec<&Timeline<'_>> = timelines.values().filter(|line| line.changed()).collect();
        let alerts = self.compose_alerts(&mut tx, &changed).await?;
        let alerting = !alerts.is_empty();
        self.store().write(&mut tx, &Batch { timelines: changed, alerts }).await?;
        self.store().commit(tx).await?;
        self.keep_pasts(&mut timelines);
        self.inner.known.forget(due);
        if alerting {
            self.inner.wakes.deliverer.notify_one();
        }
        Ok(looked_at)
    }

    /// Forgets what has expired, and what is older than projects keep.
    pub async fn clean(&self) -> ServiceResult<()> {
        let now = self.now();
        self.store().forget_expired(now).await?;
        while self.store().sweep_deleted().await? {}
        self.store().forget_deleted_channels().await?;
        self.store()
            .forget_answers(now - chrono::Duration::hours(watchclock_store::idempotency::KEPT_HOURS))
            .await?;
        self.sweep().await
    }
}
