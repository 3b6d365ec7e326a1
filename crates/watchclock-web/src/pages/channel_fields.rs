//! What stands in the form of each kind of channel, read and written. Neighbour: `channel_form` is the form around it.

use watchclock_domain::problem::Problem as Found;
use watchclock_service::channel::{
    ChannelChange, ChannelView, EmailSettings, TargetSettings, WebhookSettings,
};

use super::{
    fields::Fields,
    problems::Problems,
    views::channels::{FormField, FormInput},
};

/// Reads the settings of a kind. What does not have their shape comes back as a problem.
pub(super) fn read(kind: &str, fields: &Fields) -> Result<ChannelChange, Problems> {
    let mut problems = Problems::default();
    let settings = if kind == "email" {
        TargetSettings::Email(EmailSettings { to: fields.lines("to") })
    } else {
        let mut headers = Vec::new();
        for line in fields.lines("headers") {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                let line: String = line.chars().take(60).collect();
                problems.push(Found::new("headers", format!("`{line}`: write Name: value")));
            }
        }
        TargetSettings::Webhook(WebhookSettings { url: fields.get("url").to_owned(), headers })
    };
    let change = ChannelChange {
        name: fields.get("name").to_owned(),
        enabled: fields.is_ticked("enabled"),
        settings,
        secret: fields.some("secret").map(str::to_owned),
    };
    if problems.is_empty() { Ok(change) } else { Err(problems) }
}

/// A channel as its form would send it; never its secret.
pub(super) fn written(channel: &ChannelView) -> Fields {
    let mut pairs =
        vec![("version".to_owned(), channel.version.to_string()), ("name".to_owned(), channel.name.clone())];
    match &channel.settings {
        TargetSettings::Email(email) => pairs.push(("to".to_owned(), email.to.join("\n"))),
        TargetSettings::Webhook(webhook) => {
            let headers: Vec<String> =
                webhook.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            pairs.push(("url".to_owned(), webhook.url.clone()));
            pairs.push(("headers".to_owned(), headers.join("\n")));
        }
    }
    if channel.enabled {
        pairs.push(("enabled".to_owned(), "yes".to_owned()));
    }
    Fields::of(pairs)
}

/// What a kind does, in a sentence.
pub(super) fn note(kind: &str) -> &'static str {
    match kind {
        "email" => "Each alert is one mail to all addresses; mails of one incident stay in one thread.",
        _ => "A POST with signed JSON for each alert; any answer from 200 to 299 counts as delivered.",
    }
}

/// The inputs of a kind, empty.
pub(super) fn inputs(kind: &str, is_stored: bool) -> Vec<FormField> {
    let input = |name: &str, label: &str, help: &str, placeholder: &str, input: FormInput| FormField {
        name: name.to_owned(),
        label: label.to_owned(),
        help: help.to_owned(),
        placeholder: placeholder.to_owned(),
        required: name == "url",
        input,
        ..FormField::default()
    };
    if kind == "email" {
        return vec![input("to", "Addresses, one a line", "", "on-call@example.com", FormInput::Lines)];
    }
    let (secret_help, secret_hint) = if is_stored {
        ("The stored one is never shown; what you type here replaces it.", "stored; leave empty to keep it")
    } else {
        ("Leave it empty: one is made, and shown to you once.", "whsec_…")
    };
    vec![
        input("url", "URL", "", "https://hooks.example.com/watchclock", FormInput::Url),
        input("secret", "Signing secret", secret_help, secret_hint, FormInput::Secret),
        input(
            "headers",
            "Own headers, one a line",
            "Sent with every request.",
            "X-Team: operations",
            FormInput::Lines,
        ),
    ]
}
