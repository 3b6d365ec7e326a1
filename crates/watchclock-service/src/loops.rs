//! The loops around the ticks: they wait until something is due or somebody wakes them. All logic is in the ticks.

use std::{
    future::Future,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use tokio::sync::Notify;
use watchclock_domain::Time;

use crate::{Watchclock, contained::contained};

/// Longest wait: other servers write deadlines too, and the heartbeat must not go cold.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// After an error, so that a database that is down is not hammered.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// Wakes for loops that wait for their next moment.
#[derive(Debug, Default)]
pub(crate) struct Wakes {
    pub(crate) evaluator: Notify,
    pub(crate) deliverer: Notify,
    /// When the evaluator wakes by itself, in microseconds; so that earlier deadlines wake it.
    planned: AtomicI64,
}

impl Wakes {
    pub(crate) fn planned(&self) -> Time {
        Time::from_timestamp_micros(self.planned.load(Ordering::Relaxed)).unwrap_or_default()
    }

    pub(crate) fn plan(&self, at: Time) {
        self.planned.store(at.timestamp_micros(), Ordering::Relaxed);
    }
}

impl Watchclock {
    /// Evaluates deadlines at their moment, until `stop` ends.
    pub async fn run_evaluator(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            let wait = match contained(Box::pin(self.evaluate())).await {
                Ok(next) => {
                    let wait = self.until(next);
                    self.inner.wakes.plan(self.now() + wait);
                    wait
                }
                Err(error) => {
                    tracing::error!(%error, "the evaluator could not tick");
                    AFTER_ERROR
                }
            };
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(wait) => {}
                () = self.inner.wakes.evaluator.notified() => {}
            }
        }
    }

    /// Sends deliveries at their moment, until `stop` ends; then waits for those that are being sent.
    pub async fn run_deliverer(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut sending = tokio::task::JoinSet::new();
        loop {
            let wait = match contained(Box::pin(self.claim_and_spawn(&mut sending))).await {
                Ok(next) => self.until(next),
                Err(error) => {
                    tracing::error!(%error, "the deliverer could not tick");
                    AFTER_ERROR
                }
            };
            tokio::select! {
                () = &mut stop => break,
                () = tokio::time::sleep(wait) => {}
                () = self.inner.wakes.deliverer.notified() => {}
                Some(_) = sending.join_next(), if !sending.is_empty() => {}
            }
        }
        while sending.join_next().await.is_some() {}
    }

    /// Forgets what has expired, now and then, until `stop` ends.
    pub async fn run_cleaner(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            if let Err(error) = contained(Box::pin(self.clean())).await {
                tracing::warn!(%error, "could not clean up");
            }
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(Duration::from_mins(10)) => {}
            }
        }
    }

    /// Fetches calendars and plans their monitors anew, until `stop` ends.
    pub async fn run_calendars(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            if let Err(error) = contained(Box::pin(self.tend_calendars())).await {
                tracing::warn!(%error, "could not look after calendars");
            }
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(Duration::from_mins(1)) => {}
            }
        }
    }

    fn until(&self, next: Option<Time>) -> Duration {
        next.map_or(LONGEST_WAIT, |next| (next - self.now()).to_std().unwrap_or_default().min(LONGEST_WAIT))
    }
}
