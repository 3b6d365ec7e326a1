//! Whether the instance itself is well: who watches the watcher.

use chrono::Duration;

use crate::{ServiceResult, Watchclock, deliver::DELIVERER, evaluate::EVALUATOR};

/// Without a tick for so long, the evaluator counts as dead.
const LATE: Duration = Duration::seconds(30);

/// What is wrong with the instance; empty when all is well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Troubles(pub Vec<String>);

impl Watchclock {
    /// Looks whether the loops tick and deliveries go out. An error means that the database does not answer.
    pub async fn troubles(&self) -> ServiceResult<Troubles> {
        let now = self.now();
        let mut troubles = Vec::new();
        for (name, lost) in [(EVALUATOR, "nothing is being watched"), (DELIVERER, "no alert goes out")] {
            match self.store().last_beat(name).await? {
                None => troubles.push(format!("the {name} has not ticked yet: {lost}")),
                Some(at) if now - at > LATE => {
                    troubles.push(format!(
                        "the {name} has not ticked for {} s: {lost}",
                        (now - at).num_seconds()
                    ));
                }
                Some(_) => {}
            }
        }
        let stuck = self.store().stuck_deliveries(now - Duration::minutes(2)).await?;
        if stuck > 0 {
            let stuck =
                if stuck == 1 { "1 delivery is".to_owned() } else { format!("{stuck} deliveries are") };
            troubles.push(format!("{stuck} stuck: due for more than two minutes"));
        }
        Ok(Troubles(troubles))
    }

    /// The version of the database server.
    pub async fn database_version(&self) -> ServiceResult<String> {
        Ok(self.store().server_version().await?)
    }

    /// When the evaluator last ticked.
    pub async fn last_evaluated(&self) -> ServiceResult<Option<watchclock_domain::Time>> {
        Ok(self.store().last_beat(EVALUATOR).await?)
    }
}
