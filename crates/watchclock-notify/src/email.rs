//! The e-mail channel: its settings, their check, and sending one alert; the words are in `letter.rs`, the wire in `smtp/`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::{Address, error::Error as MessageError};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use url::{Host, Url};
use uuid::Uuid;
use watchclock_domain::problem::Problem;

use crate::alert::AlertEvent;
use crate::answer;
use crate::delivery::{Delivery, Outcome};
use crate::letter::Letter;
use crate::smtp::{Envelope, Failure, Receipt, SETTING, Smtp};

const MOST_RECIPIENTS: usize = 50;

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
        if self.to.is_empty() {
            return vec![Problem::new("to", "give at least one address")];
        }
        if self.to.len() > MOST_RECIPIENTS {
            let said = format!("at most {MOST_RECIPIENTS} addresses; use a mailing list for more");
            return vec![Problem::new("to", said)];
        }
        let parsed = self.to.iter().enumerate().map(|(n, to)| (n, parse_address(to)));
        parsed.filter_map(|(n, to)| to.err().map(|said| Problem::new(format!("to[{n}]"), said))).collect()
    }
}

/// A plain address, its domain in ASCII.
pub(crate) fn parse_address(written: &str) -> Result<Address, String> {
    let shown = crate::text::one_line(written, 100);
    let wrong = || format!("“{shown}” is not an e-mail address; write ops@example.org");
    let (user, domain) = written.trim().rsplit_once('@').ok_or_else(wrong)?;
    if !user.is_ascii() {
        return Err(format!("“{shown}”: only ASCII is possible before the @"));
    }
    if user.contains(|c: char| c.is_control() || c == ' ' || c == '<' || c == '>') {
        return Err(wrong());
    }
    let domain = if domain.is_ascii() {
        domain.to_owned()
    } else {
        Host::parse(domain).map_err(|_| wrong())?.to_string()
    };
    Address::new(user, domain).map_err(|_| wrong())
}

/// Sends alerts by e-mail.
#[derive(Debug)]
pub(crate) struct Email {
    pub(crate) smtp: Option<Smtp>,
    pub(crate) from: Mailbox,
    /// The right-hand side of message ids.
    pub(crate) host: String,
    pub(crate) base_url: String,
    pub(crate) total_timeout: Duration,
    /// Whom unfinished deliveries have reached already.
    pub(crate) reached: Mutex<HashMap<Uuid, Vec<String>>>,
}

impl Email {
    pub(crate) async fn send(&self, delivery: &Delivery, to: &[String], now: DateTime<Utc>) -> Outcome {
        let Some(smtp) = &self.smtp else {
            return Outcome::GaveUp(format!("e-mail is not set up: set {SETTING}"));
        };
        let recipients = match recipients(to) {
            Ok(recipients) => recipients,
            Err(said) => return Outcome::GaveUp(said),
        };
        let message = match self.message(delivery, &recipients, now) {
            Ok(message) => message.formatted(),
            Err(error) => return Outcome::GaveUp(format!("this alert cannot be put into a mail: {error}")),
        };
        let mut reached = self.reached(delivery.id);
        reached.extend(delivery.reached.iter().cloned());
        let waiting: Vec<Address> =
            recipients.into_iter().filter(|to| !reached.contains(&to.to_string())).collect();
        if waiting.is_empty() {
            return Outcome::Sent("every recipient was reached by an earlier attempt".to_owned());
        }
        let envelope = Envelope { from: &self.from.email, to: &waiting, message: &message };
        let outcome = match timeout(self.total_timeout, smtp.send(&envelope)).await {
            Err(_) => {
                let seconds = self.total_timeout.as_secs_f32();
                Outcome::Retry(format!("no answer from the mail server {} within {seconds} s", smtp.server()))
            }
            Ok(Err(Failure::Later(said))) => Outcome::Retry(said),
            Ok(Err(Failure::Never(said))) => Outcome::GaveUp(said),
            Ok(Ok(receipt)) => {
                let earlier = !reached.is_empty();
                reached.extend(receipt.accepted.iter().cloned());
                judge(&receipt, earlier)
            }
        };
        self.remember(delivery.id, &outcome, reached);
        let tidy = |said: String| answer::tidy(&said, &smtp.server().secrets);
        match outcome {
            Outcome::Sent(said) => Outcome::Sent(tidy(said)),
            Outcome::Retry(said) => Outcome::Retry(tidy(said)),
            Outcome::GaveUp(said) => Outcome::GaveUp(tidy(said)),
        }
    }

    /// Whom earlier attempts of a delivery reached while others have to wait.
    pub(crate) fn reached(&self, delivery: Uuid) -> Vec<String> {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.get(&delivery).cloned().unwrap_or_default()
    }

    fn remember(&self, delivery: Uuid, outcome: &Outcome, addresses: Vec<String>) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Retry(_) if !addresses.is_empty() => {
                reached.insert(delivery, addresses);
            }
            _ => {
                reached.remove(&delivery);
            }
        }
    }

    /// The mail, in ASCII from end to end, so that no server has to support anything.
    pub(crate) fn message(
        &self,
        delivery: &Delivery,
        to: &[Address],
        now: DateTime<Utc>,
    ) -> Result<Message, Box<dyn std::error::Error + Send + Sync>> {
        let letter = Letter::new(delivery, &self.base_url, now);
        let mut mail = Message::builder()
            .from(self.from.clone())
            .subject(letter.subject.as_str())
            .date(SystemTime::from(now))
            .message_id(Some(format!("<{}@{}>", delivery.id, self.host)))
            .raw_header(raw("Auto-Submitted", "auto-generated"))
            .raw_header(raw("X-Auto-Response-Suppress", "All"));
        for address in to {
            mail = mail.to(Mailbox::new(None, address.clone()));
        }
        if !matches!(delivery.alert.event, AlertEvent::Test | AlertEvent::Unwatched) {
            let thread = format!("<{}@{}>", delivery.alert.incident, self.host);
            mail = mail.in_reply_to(thread.clone()).references(thread);
        }
        // parsing leaves nothing in it that could end a header
        if let Some(url) = delivery.unsubscribe_url.as_deref().and_then(|url| Url::parse(url).ok()) {
            mail = mail
                .raw_header(raw("List-Unsubscribe", &format!("<{url}>")))
                .raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let (text, html) = (letter.text()?, letter.html()?);
        let parts = MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, text))
            .singlepart(part(ContentType::TEXT_HTML, html));
        mail.multipart(parts).map_err(|error: MessageError| error.into())
    }
}

/// What the server's receipt means. `earlier`: whether an earlier attempt reached somebody.
fn judge(receipt: &Receipt, earlier: bool) -> Outcome {
    let mut said: Vec<String> = receipt.reply.iter().cloned().collect();
    let each = |what: &str, list: &[(String, String)]| {
        list.iter().map(|(to, reply)| format!("{what} {to}: {reply}")).collect::<Vec<_>>()
    };
    said.extend(each("refused for", &receipt.refused));
    said.extend(each("has to wait for", &receipt.delayed));
    let said = said.join("; ");
    if !receipt.delayed.is_empty() {
        Outcome::Retry(said)
    } else if receipt.reply.is_some() || earlier {
        Outcome::Sent(said)
    } else {
        Outcome::GaveUp(said)
    }
}

/// Every address once.
fn recipients(to: &[String]) -> Result<Vec<Address>, String> {
    let mut recipients: Vec<Address> = Vec::new();
    for written in to {
        let address = parse_address(written)?;
        if !recipients.iter().any(|known| known.to_string().eq_ignore_ascii_case(address.as_ref())) {
            recipients.push(address);
        }
    }
    if recipients.is_empty() { Err("this channel has no address".to_owned()) } else { Ok(recipients) }
}

fn part(kind: ContentType, body: String) -> SinglePart {
    SinglePart::builder().header(kind).header(ContentTransferEncoding::QuotedPrintable).body(body)
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}
