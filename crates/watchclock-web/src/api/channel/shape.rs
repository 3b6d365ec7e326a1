//! A channel as the API shows it: never a secret, and to a key that may only read no address that could be one.

use serde::Serialize;
use url::Url;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::channel::{ChannelView, TargetSettings};

use super::super::delivery::DeliveryShape;

/// Where alerts go.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Channel)]
pub(in super::super) struct ChannelShape {
    id: Uuid,
    #[schema(example = "email", pattern = "^(email|webhook)$")]
    kind: &'static str,
    name: String,
    enabled: bool,
    /// Of kind `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Vec<String>>,
    /// Of kind `webhook`. A key that may only read is shown its host alone: the rest often is a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Of kind `webhook`: its own headers. Their values are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_names: Option<Vec<String>>,
    last_delivery: Option<DeliveryShape>,
}

impl ChannelShape {
    pub(super) fn of(view: &ChannelView, in_full: bool) -> Self {
        let mut shape = Self {
            id: view.id,
            kind: view.settings.kind(),
            name: view.name.clone(),
            enabled: view.enabled,
            to: None,
            url: None,
            header_names: None,
            last_delivery: view.last_delivery.as_ref().map(DeliveryShape::of),
        };
        match &view.settings {
            TargetSettings::Email(email) => shape.to = Some(email.to.clone()),
            TargetSettings::Webhook(webhook) => {
                shape.url = Some(if in_full { webhook.url.clone() } else { host_of(&webhook.url) });
                shape.header_names = Some(webhook.headers.iter().map(|(name, _)| name.clone()).collect());
            }
        }
        shape
    }
}

fn host_of(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let origin = parsed.as_ref().and_then(|url| Some(format!("{}://{}/…", url.scheme(), url.host_str()?)));
    origin.unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_is_shown_to_readers() {
        assert_eq!(
            host_of("https://user:pass@hooks.example.org:8443/services/T0/B0/secret?k=1"),
            "https://hooks.example.org/…"
        );
        assert_eq!(host_of("secret"), "…");
    }
}
