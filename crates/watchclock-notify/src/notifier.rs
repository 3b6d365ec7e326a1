//! The door of this crate: takes one delivery and does it. What to send, and when again, is decided by the service.

use uuid::Uuid;
use watchclock_domain::problem::Problem;

use crate::delivery::{Delivery, Outcome};
use crate::settings::NotifySettings;

/// Sends deliveries. Cheap to clone; clones share connections.
#[derive(Clone, Debug)]
pub struct Notifier {}

impl Notifier {
    /// Checks the settings; every problem is named at once, under the setting's name.
    pub fn new(_settings: NotifySettings) -> Result<Self, Vec<Problem>> {
        Ok(Self {})
    }

    /// Makes one attempt.
    pub async fn send(&self, _delivery: &Delivery) -> Outcome {
        Outcome::Retry("not built yet".to_owned())
    }

    /// The recipients that earlier attempts of a delivery reached while others have to wait.
    pub fn reached(&self, _delivery: Uuid) -> Vec<String> {
        Vec::new()
    }
}
