//! The e-mail channel: its settings, their check, and sending one alert; the words are in `letter.rs`, the wire in `smtp/`.

use serde::{Deserialize, Serialize};
use watchclock_domain::problem::Problem;

/// Who gets the mails of a channel.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct EmailSettings {
    /// Plain addresses: `ops@example.org`. All of them get one mail together.
    pub to: Vec<String>,
}

impl EmailSettings {
    /// Every problem of these settings.
    pub fn check(&self) -> Vec<Problem> {
        Vec::new()
    }
}
