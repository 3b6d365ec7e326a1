//! Renders and sends one delivery: sent, retry or give up. It has no database; the service says what to send and when again.

mod alert;
mod answer;
mod delivery;
mod email;
mod guard;
mod http;
mod letter;
mod notifier;
mod payload;
mod rows;
mod settings;
mod signature;
mod smtp;
mod text;
mod tls;
mod webhook;

#[cfg(test)]
mod tests;

pub use alert::{Alert, AlertEvent, MonitorRef, RunRef, UnwatchedSpan};
pub use delivery::{Delivery, Outcome, Target, TargetSettings, check_target};
pub use email::EmailSettings;
pub use notifier::Notifier;
pub use settings::{NotifySettings, default_mail_from};
pub use signature::webhook_secret;
pub use webhook::WebhookSettings;
