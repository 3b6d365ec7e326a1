//! Reads what is to be set on a channel; which fields there are depends on its kind.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use utoipa::ToSchema;
use watchclock_domain::problem::Problem;
use watchclock_service::channel::{
    ChannelChange, ChannelView, EmailSettings, TargetSettings, WebhookSettings,
};

use super::super::fields::{Fields, Problems, kind_of, text_of, word_of};

const KINDS: [&str; 2] = ["email", "webhook"];
/// Fields of the kind `email`.
pub(in super::super) const EMAIL: [&str; 4] = ["kind", "name", "enabled", "to"];
/// Fields of the kind `webhook`.
pub(in super::super) const WEBHOOK: [&str; 6] = ["kind", "name", "enabled", "url", "headers", "secret"];
const READ_ONLY: [&str; 3] = ["id", "header_names", "last_delivery"];

/// A channel; its other fields depend on its kind.
#[derive(Debug, ToSchema)]
#[schema(as = ChannelInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct ChannelInput {
    /// Of a new channel; it cannot change.
    #[schema(example = "email", pattern = "^(email|webhook)$")]
    kind: Option<String>,
    #[schema(example = "Ops")]
    name: Option<String>,
    enabled: Option<bool>,
    /// Of kind `email`: plain addresses, which get one mail together.
    #[schema(example = json!(["ops@example.org"]))]
    to: Option<Vec<String>>,
    /// Of kind `webhook`.
    #[schema(example = "https://pager.example.org/hook")]
    url: Option<String>,
    /// Of kind `webhook`: own headers. They are not shown again.
    #[schema(write_only)]
    headers: Option<BTreeMap<String, String>>,
    /// Of kind `webhook`: the signing secret, `whsec_…`. It is not shown again.
    #[schema(write_only)]
    secret: Option<String>,
}

/// Reads a new channel; none when its kind is unknown.
pub(super) fn read_new(mut json: Json, problems: &mut Problems) -> Option<ChannelChange> {
    if let Some(map) = json.as_object_mut() {
        map.retain(|_, json| !json.is_null());
    }
    let kind = match json.get("kind") {
        Some(Json::String(text)) => match word_of(text, &KINDS, |kind| kind) {
            Ok(kind) => kind,
            Err(message) => {
                problems.push(Problem::new("kind", message));
                return None;
            }
        },
        other if json.is_object() => {
            let found = other.map_or_else(String::new, |other| format!(", not {}", kind_of(other)));
            problems.push(Problem::new("kind", format!("must be `email` or `webhook`{found}")));
            return None;
        }
        _ => "email",
    };
    let blank = match kind {
        "webhook" => TargetSettings::Webhook(WebhookSettings { url: String::new(), headers: Vec::new() }),
        _ => TargetSettings::Email(EmailSettings { to: Vec::new() }),
    };
    Some(read(json, ("", true, blank), problems))
}

/// Reads a change of a channel.
pub(super) fn read_change(json: Json, before: &ChannelView, problems: &mut Problems) -> ChannelChange {
    if let Some(kind) = json.get("kind").filter(|kind| kind.as_str() != Some(before.settings.kind())) {
        let (kind, is) = (kind.as_str().unwrap_or("that"), before.settings.kind());
        let message = format!("this is of kind `{is}` and cannot become `{kind}`; make another channel");
        problems.push(Problem::new("kind", message));
    }
    read(json, (&before.name, before.enabled, before.settings.clone()), problems)
}

fn read(
    json: Json,
    (name, enabled, mut settings): (&str, bool, TargetSettings),
    problems: &mut Problems,
) -> ChannelChange {
    let own = match &settings {
        TargetSettings::Email(_) => EMAIL.as_slice(),
        TargetSettings::Webhook(_) => WEBHOOK.as_slice(),
    };
    let unchanged = |settings| ChannelChange { name: name.to_owned(), enabled, settings, secret: None };
    let Some(mut fields) = Fields::with_read_only(json, "", (own, &READ_ONLY), problems) else {
        return unchanged(settings);
    };
    fields.fill_nulls(|name| match name {
        "enabled" => Some(Json::from(true)),
        "headers" => Some(Json::Object(serde_json::Map::new())),
        _ => None,
    });
    let secret = match &mut settings {
        TargetSettings::Email(email) => {
            email.to = fields.texts("to").unwrap_or_else(|| std::mem::take(&mut email.to));
            None
        }
        TargetSettings::Webhook(webhook) => {
            webhook.url = fields.text("url").unwrap_or_else(|| std::mem::take(&mut webhook.url));
            if let Some(headers) = headers(&mut fields) {
                webhook.headers = headers;
            }
            fields.text("secret")
        }
    };
    let name = fields.text("name").unwrap_or_else(|| name.to_owned());
    let enabled = fields.flag("enabled").unwrap_or(enabled);
    ChannelChange { name, enabled, settings, secret }
}

fn headers(fields: &mut Fields<'_>) -> Option<Vec<(String, String)>> {
    let map = match fields.take("headers")? {
        Json::Object(map) => map,
        other => {
            fields
                .wrong("headers", format!("must be an object of names and values, not {}", kind_of(&other)));
            return None;
        }
    };
    let count = map.len();
    let headers: Vec<(String, String)> = map
        .into_iter()
        .filter_map(|(name, json)| {
            let field = format!("headers.{name}");
            Some((name, text_of(json, field, fields.problems)?))
        })
        .collect();
    (headers.len() == count).then_some(headers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(json: Json) -> Vec<String> {
        let mut problems = Problems::new();
        read_new(json, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_kind_has_its_own_fields() {
        let mut problems = Problems::new();
        let email = json!({"kind": "email", "name": "Ops", "to": "ops@example.org"});
        let change = read_new(email, &mut problems).unwrap();
        assert_eq!(
            change.settings,
            TargetSettings::Email(EmailSettings { to: vec!["ops@example.org".to_owned()] })
        );
        let hook =
            json!({"kind": "webhook", "url": "https://x.org", "headers": {"x-a": "b"}, "enabled": false});
        let change = read_new(hook, &mut problems).unwrap();
        assert_eq!((change.enabled, change.settings.kind()), (false, "webhook"));
        assert_eq!(problems, []);
    }

    #[test]
    fn what_is_wrong_is_told_at_once() {
        let email = told(json!({"kind": "email", "url": "x", "to": [1], "name": 1, "last_delivery": []}));
        assert_eq!(email.len(), 4, "{email:?}");
        assert_eq!(told(json!({"kind": "emial"})).len(), 1);
        assert_eq!(told(json!({"name": "x"})), ["kind: must be `email` or `webhook`"]);
        assert_eq!(told(json!([])), ["the body must be a JSON object, not a list"]);
        assert_eq!(told(json!({"kind": "webhook", "headers": ["a"], "secret": 5})).len(), 2);
    }
}
