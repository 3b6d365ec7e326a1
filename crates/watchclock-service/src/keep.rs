//! How long a project keeps what happened, and the tick that removes the rest. What goes when is in the store's `keep`.

use uuid::Uuid;
use watchclock_domain::problem::Problem;
pub use watchclock_store::keep::Keep;

use crate::{ServiceError, ServiceResult, Watchclock};

/// A monitor is looked at so often.
const EVERY: chrono::Duration = chrono::Duration::hours(1);
/// Most monitors that are asked for at once.
const MONITORS_AT_ONCE: i64 = 200;
/// Most batches of one tick; what remains is older and comes first in the next one.
const MAX_BATCHES: usize = 5_000;

/// What is to be set; unset stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepChange {
    pub runs: Option<i64>,
    pub days: Option<i64>,
    /// `Some(None)`: as long as the run.
    pub output_days: Option<Option<i64>>,
}

impl Watchclock {
    /// What a project keeps.
    pub async fn keep(&self, project: Uuid) -> ServiceResult<Keep> {
        self.store().keep(project).await?.ok_or(ServiceError::NotFound)
    }

    /// Sets what a project keeps; what is beyond it goes with the next ticks.
    pub async fn change_keep(&self, project: Uuid, change: KeepChange) -> ServiceResult<Keep> {
        let before = self.keep(project).await?;
        let mut problems = Vec::new();
        let mut within = |field: &str, value: i64, least: i32, most: i32| {
            let read = i32::try_from(value).ok().filter(|value| (least..=most).contains(value));
            if read.is_none() {
                let message = format!("must be from {least} to {most}, not {value}");
                problems.push(Problem::new(format!("keep.{field}"), message));
            }
            read.unwrap_or(least)
        };
        let keep = Keep {
            runs: change.runs.map_or(before.runs, |runs| within("runs", runs, 10, 1_000_000)),
            days: change.days.map_or(before.days, |days| within("days", days, 1, 3_650)),
            output_days: change
                .output_days
                .map_or(before.output_days, |days| days.map(|days| within("output_days", days, 1, 3_650))),
        };
        if !problems.is_empty() {
            return Err(ServiceError::Invalid(problems));
        }
        self.store().set_keep(project, keep).await?;
        Ok(keep)
    }

    /// Removes what is older than projects keep, a small batch at a time.
    pub(crate) async fn sweep(&self) -> ServiceResult<()> {
        let now = self.now();
        let mut left = MAX_BATCHES;
        while left > 0 {
            let due = self.store().monitors_to_sweep(now - EVERY, MONITORS_AT_ONCE).await?;
            if due.is_empty() {
                break;
            }
            for (monitor, keep) in due {
                while left > 0 {
                    left -= 1;
                    if self.store().sweep_monitor(monitor, keep, now).await? {
                        break;
                    }
                }
            }
        }
        self.store().sweep_alerts(now).await?;
        Ok(())
    }
}
