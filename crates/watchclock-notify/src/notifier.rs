//! The door of this crate: takes one delivery and does it. What to send, and when again, is decided by the service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use url::Url;
use uuid::Uuid;
use watchclock_domain::problem::Problem;

use crate::delivery::{Delivery, Outcome, Target};
use crate::email::{Email, parse_address};
use crate::http::Http;
use crate::settings::{NotifySettings, mail_host};
use crate::smtp::{self, Server, Smtp};
use crate::webhook;

/// Sends deliveries. Cheap to clone; clones share connections.
#[derive(Clone, Debug)]
pub struct Notifier {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    base_url: String,
    email: Email,
    http: Http,
}

impl Notifier {
    /// Checks the settings; every problem is named at once, under the setting's name.
    pub fn new(settings: NotifySettings) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        if !Url::parse(&settings.base_url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
            let said = "write http:// or https://, the host, and the sub-path if there is one";
            problems.push(Problem::new("WATCHCLOCK_BASE_URL", said));
        }
        let smtp = settings.smtp_url.as_deref().map(Server::parse).transpose().and_then(|server| {
            let smtp = server.map(|server| Smtp::new(server, settings.connect_timeout)).transpose();
            smtp.map_err(|error| vec![Problem::new(smtp::SETTING, format!("cannot set up TLS: {error}"))])
        });
        let from = mail_from(&settings.mail_from);
        let http = Http::new(&settings);
        match (smtp, from, http) {
            (Ok(smtp), Ok(from), Ok(http)) if problems.is_empty() => {
                let email = Email {
                    smtp,
                    from,
                    host: mail_host(&settings.base_url),
                    base_url: settings.base_url.clone(),
                    total_timeout: settings.total_timeout,
                    reached: Mutex::new(HashMap::new()),
                };
                Ok(Self { inner: Arc::new(Inner { base_url: settings.base_url, email, http }) })
            }
            (smtp, from, http) => {
                problems.extend(smtp.err().into_iter().flatten());
                problems.extend(from.err());
                problems
                    .extend(http.err().map(|said| Problem::new("", format!("cannot set up HTTP: {said}"))));
                Err(problems)
            }
        }
    }

    /// Gets a text from an address that somebody typed in (`https`, `http`, and `webcal` as calendars are often given), as
    /// guarded and as bounded as a delivery.
    pub async fn fetch_text(&self, address: &str, most: usize) -> Result<String, String> {
        let address = address.trim();
        let address = address
            .strip_prefix("webcal://")
            .map_or_else(|| address.to_owned(), |rest| format!("https://{rest}"));
        let url = Url::parse(&address).map_err(|error| format!("this is not a URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("write an https://, http:// or webcal:// address".to_owned());
        }
        self.inner.http.get_text(url, most).await
    }

    /// Makes one attempt. It ends within the total time-out; nothing is kept of a delivery but whom it reached.
    pub async fn send(&self, delivery: &Delivery) -> Outcome {
        // the only clock here: the date of a mail and the timestamp of a signature are those of the attempt
        let now = DateTime::<Utc>::from(SystemTime::now());
        let inner = &self.inner;
        let outcome = match &delivery.target {
            Target::Email { to } => inner.email.send(delivery, to, now).await,
            Target::Webhook { url, secret, headers } => {
                webhook::send(&inner.http, delivery, (url, secret, headers), &inner.base_url, now).await
            }
        };
        tracing::debug!(delivery = %delivery.id, attempt = delivery.attempt, ?outcome, "attempt");
        outcome
    }

    /// The recipients of a mail that earlier attempts reached while others have to wait (greylisting, a full mailbox).
    ///
    /// This notifier remembers them until the delivery ends. Where another process may make the next attempt, store
    /// them with the attempt and hand them in as [`Delivery::reached`], so that nobody gets the mail twice.
    pub fn reached(&self, delivery: Uuid) -> Vec<String> {
        self.inner.email.reached(delivery)
    }
}

/// `address` or `Name <address>`; without a name it is ours.
fn mail_from(setting: &str) -> Result<Mailbox, Problem> {
    let setting = setting.trim();
    let (name, address) = match setting.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"').trim(), address),
        None => ("", setting),
    };
    let address = parse_address(address).map_err(|said| Problem::new("WATCHCLOCK_MAIL_FROM", said))?;
    let name = if name.is_empty() { "Watchclock".to_owned() } else { crate::text::one_line(name, 100) };
    Ok(Mailbox::new(Some(name), address))
}
