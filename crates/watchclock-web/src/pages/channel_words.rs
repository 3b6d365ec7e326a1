//! Channels in words: what a kind is called, where one leads.

use watchclock_service::channel::TargetSettings;

/// Kinds that can be added: word, name, one sentence.
pub(crate) const KINDS: [(&str, &str, &str); 2] = [
    ("email", "E-mail", "To one or several addresses."),
    ("webhook", "Webhook", "Signed JSON, posted to a URL."),
];

/// What people call a kind.
pub(crate) fn kind_name(kind: &str) -> &str {
    KINDS.iter().find(|(word, ..)| *word == kind).map_or(kind, |(_, name, _)| name)
}

/// Where a channel leads, without what may be a secret: of an address on the web only the host.
pub(crate) fn target(settings: &TargetSettings) -> String {
    match settings {
        TargetSettings::Email(email) => match email.to.as_slice() {
            [first, second, _, ..] => format!("{first}, {second} and {} more", email.to.len() - 2),
            few => few.join(", "),
        },
        TargetSettings::Webhook(webhook) => url::Url::parse(&webhook.url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_else(|| "an address that cannot be read".to_owned()),
    }
}

/// The page that a channel's name leads to: its form for those who may change it, else the list.
pub(crate) fn href(base: &str, id: uuid::Uuid, may_change: bool) -> String {
    if may_change { format!("{base}/channels/{id}/edit") } else { format!("{base}/channels") }
}
