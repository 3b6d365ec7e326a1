//! Renders and sends one delivery: sent, retry or give up. It has no database; the service says what to send and when again.

mod alert;
mod delivery;
mod email;
mod notifier;
mod settings;
mod webhook;

pub use alert::{Alert, AlertEvent, MonitorRef, RunRef};
pub use delivery::{Delivery, Outcome, Target, TargetSettings, check_target};
pub use email::EmailSettings;
pub use notifier::Notifier;
pub use settings::{NotifySettings, default_mail_from};
pub use webhook::WebhookSettings;
