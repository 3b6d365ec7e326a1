//! The instance's settings for sending, as read by the binary; a channel's own settings live in the file of its kind.

use std::fmt;
use std::time::Duration;

use url::{Host, Url};

/// How this instance sends: its own address, the mail server, and what targets it may reach.
#[derive(Clone)]
pub struct NotifySettings {
    /// `WATCHCLOCK_BASE_URL`: put before every path of an alert; may have a sub-path.
    pub base_url: String,
    /// `WATCHCLOCK_SMTP_URL`; without it e-mail channels say so.
    pub smtp_url: Option<String>,
    /// `WATCHCLOCK_MAIL_FROM`: `address` or `Name <address>`.
    pub mail_from: String,
    /// `WATCHCLOCK_ALLOW_PRIVATE_TARGETS`.
    pub allow_private_targets: bool,
    /// To reach the receiver at all, name resolution included.
    pub connect_timeout: Duration,
    /// For a whole attempt.
    pub total_timeout: Duration,
}

impl NotifySettings {
    /// The defaults around a base URL: no mail server, public targets only, 10 s to connect, 30 s in total.
    pub fn new(base_url: impl Into<String>) -> Self {
        let base_url = base_url.into();
        Self {
            mail_from: default_mail_from(&base_url),
            base_url,
            smtp_url: None,
            allow_private_targets: false,
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
        }
    }
}

/// The SMTP URL holds a password.
impl fmt::Debug for NotifySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotifySettings")
            .field("base_url", &self.base_url)
            .field("smtp_url", &self.smtp_url.as_ref().map(|_| "…"))
            .field("mail_from", &self.mail_from)
            .field("allow_private_targets", &self.allow_private_targets)
            .field("connect_timeout", &self.connect_timeout)
            .field("total_timeout", &self.total_timeout)
            .finish()
    }
}

/// `watchclock@` and the host of the base URL; `localhost` where that is a bare IP address, which no mail server likes.
pub fn default_mail_from(base_url: &str) -> String {
    format!("watchclock@{}", mail_host(base_url))
}

/// The right-hand side of our addresses and message ids.
pub(crate) fn mail_host(base_url: &str) -> String {
    match Url::parse(base_url).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(domain)) => domain.trim_end_matches('.').to_owned(),
        _ => "localhost".to_owned(),
    }
}

/// An address of ours: the base URL, sub-path included, and a path that begins with `/`.
pub(crate) fn address(base_url: &str, path: &str) -> String {
    format!("{}{path}", base_url.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_from_has_a_host_that_mail_servers_take() {
        assert_eq!(default_mail_from("https://clock.example.org/sub"), "watchclock@clock.example.org");
        assert_eq!(default_mail_from("http://127.0.0.1:8080"), "watchclock@localhost");
        assert_eq!(default_mail_from("http://[::1]:8080"), "watchclock@localhost");
    }

    #[test]
    fn addresses_keep_the_sub_path() {
        assert_eq!(address("https://x.org/clock/", "/incidents/1"), "https://x.org/clock/incidents/1");
        assert_eq!(address("https://x.org", "/runs/1"), "https://x.org/runs/1");
    }

    #[test]
    fn debug_hides_the_password() {
        let mut settings = NotifySettings::new("https://x.org");
        settings.smtp_url = Some("smtps://user:hunter2@mail.example.org".to_owned());
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
