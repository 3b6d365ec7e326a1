//! `check-config`: every problem at once, and on request a real test mail.

use anyhow::bail;
use uuid::Uuid;
use watchclock_notify::{Alert, Delivery, Notifier, Outcome, Target};
use watchclock_store::Store;

use crate::{
    config::{self, CheckArgs, Settings},
    secret_key,
};

pub(crate) async fn check(settings: &Settings, args: &CheckArgs) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    let resolved = settings.resolve();
    if let Err(found) = &resolved {
        problems.extend(found.iter().cloned());
    }
    if settings.secret_key.is_some() || settings.secret_key_file.is_some() {
        problems.extend(
            secret_key::seal(settings).err().map(|error| format!("WATCHCLOCK_SECRET_KEY: {error:#}")),
        );
    }
    let config = resolved.ok();
    if let Some(url) = config.as_ref().and_then(|config| config.database_url.as_ref()) {
        match Store::open(url, 1) {
            Ok(store) => {
                problems.extend(store.answers().await.err().map(|error| format!("DATABASE_URL: {error}")));
            }
            Err(error) => problems.push(format!("DATABASE_URL: {error}")),
        }
    }
    if let (Some(config), Some(to)) = (&config, &args.send_test) {
        problems.extend(send_test(config, to).await);
    }
    if !problems.is_empty() {
        bail!(config::all(&problems));
    }
    println!("the configuration is good");
    Ok(())
}

/// Sends a mail the way that alerts go; what went wrong, if anything.
async fn send_test(config: &config::Config, to: &str) -> Option<String> {
    let notifier = match Notifier::new(config.notify.clone()) {
        Ok(notifier) => notifier,
        Err(problems) => return problems.first().map(ToString::to_string),
    };
    let id = Uuid::now_v7();
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let alert = Alert::test(id, "check-config", to, now, &now.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    let target = Target::Email { to: vec![to.to_owned()] };
    match notifier.send(&Delivery::new(id, to, target, alert)).await {
        Outcome::Sent(answer) => {
            println!("the test mail to {to} was taken: {answer}");
            None
        }
        Outcome::Retry(answer) | Outcome::GaveUp(answer) => Some(format!("the test mail to {to}: {answer}")),
    }
}
