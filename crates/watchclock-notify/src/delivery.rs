//! One delivery: an alert, where it goes, and how it ended. Attempts and their timing are the service's and the store's.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use watchclock_domain::problem::Problem;

use crate::alert::Alert;
use crate::email::EmailSettings;
use crate::webhook::WebhookSettings;

/// The settings of a channel as they are stored and edited; its secret is kept apart, encrypted.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TargetSettings {
    Email(EmailSettings),
    Webhook(WebhookSettings),
}

impl TargetSettings {
    /// The kind as the API and the tables name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::Webhook(_) => "webhook",
        }
    }

    /// Puts the decrypted secret and the settings together; a kind without a secret ignores it.
    pub fn with_secret(self, secret: impl Into<String>) -> Target {
        match self {
            Self::Email(EmailSettings { to }) => Target::Email { to },
            Self::Webhook(WebhookSettings { url, headers }) => {
                Target::Webhook { url, secret: secret.into(), headers }
            }
        }
    }
}

/// Every problem of a channel's settings, found before it is saved. `allow_private_targets` is the instance's setting.
pub fn check_target(settings: &TargetSettings, allow_private_targets: bool) -> Vec<Problem> {
    match settings {
        TargetSettings::Email(email) => email.check(),
        TargetSettings::Webhook(webhook) => webhook.check(allow_private_targets),
    }
}

/// Where a delivery goes, its secrets decrypted.
#[derive(Clone, PartialEq)]
pub enum Target {
    Email { to: Vec<String> },
    Webhook { url: String, secret: String, headers: Vec<(String, String)> },
}

/// Shows no secret; a webhook's address and the values of its headers often are secrets.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Email { to } => f.debug_struct("Email").field("to", to).finish(),
            Self::Webhook { .. } => f.debug_struct("Webhook").finish_non_exhaustive(),
        }
    }
}

/// One alert on its way to one channel.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Stays the same over retries: receivers know a repeat by it (`Message-ID`, `webhook-id`).
    pub id: Uuid,
    pub channel_name: String,
    pub target: Target,
    pub alert: Alert,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// A real endpoint that takes one-click unsubscription (RFC 8058), where there is one.
    pub unsubscribe_url: Option<String>,
    /// Recipients that an earlier attempt reached, see [`crate::Notifier::reached`]; they get no second mail.
    pub reached: Vec<String>,
}

impl Delivery {
    /// A first attempt, without an address to unsubscribe at.
    pub fn new(id: Uuid, channel_name: impl Into<String>, target: Target, alert: Alert) -> Self {
        Self {
            id,
            channel_name: channel_name.into(),
            target,
            alert,
            attempt: 1,
            unsubscribe_url: None,
            reached: Vec::new(),
        }
    }
}

/// How an attempt ended, with the receiver's answer: readable, at most 1,000 characters, free of secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver took it.
    Sent(String),
    /// It may work later, or once a setting of the instance is put right.
    Retry(String),
    /// The receiver refused for good, or the channel's own settings make it impossible.
    GaveUp(String),
}

impl Outcome {
    /// The receiver's answer, or why there is none.
    pub fn answer(&self) -> &str {
        match self {
            Self::Sent(answer) | Self::Retry(answer) | Self::GaveUp(answer) => answer,
        }
    }

    /// Whether the receiver took it.
    pub fn is_sent(&self) -> bool {
        matches!(self, Self::Sent(_))
    }
}
