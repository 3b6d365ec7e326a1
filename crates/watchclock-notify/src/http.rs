//! One request to an address that somebody typed in: guarded, bounded, never redirected. Every channel kind on HTTP posts with
//! it, calendars are fetched with it.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, StatusCode};
use tokio::time::timeout;
use url::Url;

use crate::answer;
use crate::delivery::Outcome;
use crate::guard::{self, PublicOnly, Refused};
use crate::settings::NotifySettings;
use crate::tls;

/// How much of a receiver's body is read for the answer.
const BODY_BYTES: usize = 4_096;

/// A receiver that has answered its status has answered; its body may take this long and no longer.
const BODY_TIMEOUT: Duration = Duration::from_secs(2);

/// The client of all channels on HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    client: Client,
    allow_private_targets: bool,
    total_timeout: Duration,
}

impl Http {
    pub(crate) fn new(settings: &NotifySettings) -> Result<Self, String> {
        tls::install_provider();
        let client = if let Ok(client) = builder(settings).build() {
            client
        } else {
            let bundled = tls::bundled().map_err(|error| error.to_string())?;
            let builder = builder(settings).tls_backend_preconfigured(bundled);
            builder.build().map_err(|error| answer::chain(&error))?
        };
        Ok(Self {
            client,
            allow_private_targets: settings.allow_private_targets,
            total_timeout: settings.total_timeout,
        })
    }

    /// Posts `body`. Whatever the receiver echoes, `secrets` are not part of the outcome.
    pub(crate) async fn post(
        &self,
        url: Url,
        headers: HeaderMap,
        body: Vec<u8>,
        secrets: &[String],
    ) -> Outcome {
        // a literal address never meets the resolver
        if !self.allow_private_targets
            && let Err(refused) = guard::check_literal(&url)
        {
            return Outcome::GaveUp(answer::tidy(&refused.to_string(), secrets));
        }
        let request = self.client.post(url).headers(headers).body(body).send();
        match timeout(self.total_timeout, request).await {
            Err(_) => Outcome::Retry(format!("no answer within {} s", self.total_timeout.as_secs_f32())),
            Ok(Err(error)) => failed(&error.without_url(), secrets),
            Ok(Ok(response)) => judge(response, secrets).await,
        }
    }
}

impl Http {
    /// Gets a text of at most `most` bytes. The error is for people; what is secret in the address is not part of it.
    pub(crate) async fn get_text(&self, url: Url, most: usize) -> Result<String, String> {
        if !self.allow_private_targets {
            guard::check_literal(&url).map_err(|refused| refused.to_string())?;
        }
        let secrets = [url.to_string(), url.path().to_owned()]
            .map(|part| if part.len() > 1 { part } else { String::new() });
        let getting = async {
            let answer = self.client.get(url).send().await;
            let mut response = answer.map_err(|error| match failed(&error.without_url(), &secrets) {
                Outcome::Sent(said) | Outcome::Retry(said) | Outcome::GaveUp(said) => said,
            })?;
            let status = response.status();
            if !status.is_success() {
                return Err(match judge(response, &secrets).await {
                    Outcome::Sent(said) | Outcome::Retry(said) | Outcome::GaveUp(said) => said,
                });
            }
            let mut body = Vec::new();
            loop {
                match response.chunk().await {
                    Ok(Some(chunk)) if body.len() + chunk.len() > most => {
                        return Err(format!("{status}: the answer has more than {most} bytes"));
                    }
                    Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                    Ok(None) => break,
                    Err(error) => {
                        let said = format!(
                            "{status}: the answer broke off: {}",
                            answer::chain(&error.without_url())
                        );
                        return Err(answer::tidy(&said, &secrets));
                    }
                }
            }
            String::from_utf8(body).map_err(|_| format!("{status}: the answer is no UTF-8 text"))
        };
        let late = || format!("no answer within {} s", self.total_timeout.as_secs_f32());
        timeout(self.total_timeout, getting).await.unwrap_or_else(|_| Err(late()))
    }
}

fn builder(settings: &NotifySettings) -> ClientBuilder {
    let builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(settings.connect_timeout)
        .user_agent(concat!("Watchclock/", env!("CARGO_PKG_VERSION")));
    if settings.allow_private_targets { builder } else { builder.dns_resolver(PublicOnly) }
}

/// There was no HTTP answer.
fn failed(error: &reqwest::Error, secrets: &[String]) -> Outcome {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return Outcome::GaveUp(answer::tidy(&refused.to_string(), secrets));
        }
        cause = inner.source();
    }
    let what = if error.is_connect() { "cannot connect" } else { "no answer" };
    let causes = error.source().map_or_else(|| error.to_string(), answer::chain);
    Outcome::Retry(answer::tidy(&format!("{what}: {causes}"), secrets))
}

/// What an HTTP answer means for the delivery.
async fn judge(mut response: Response, secrets: &[String]) -> Outcome {
    let status = response.status();
    if status.is_redirection() {
        let to =
            response.headers().get("location").map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
        let to = to.map(|to| format!(" to {}", without_query(&to))).unwrap_or_default();
        let said =
            format!("{status}: it redirects{to}; redirects are not followed, use the final address itself");
        return Outcome::GaveUp(answer::tidy(&said, secrets));
    }
    let body = read_some(&mut response).await;
    let said = if body.trim().is_empty() { status.to_string() } else { format!("{status}: {body}") };
    let said = answer::tidy(&said, secrets);
    match status {
        status if status.is_success() => Outcome::Sent(said),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            Outcome::Retry(said)
        }
        status if status.is_server_error() => Outcome::Retry(said),
        _ => Outcome::GaveUp(said),
    }
}

/// The beginning of the body; an endless or stalling one changes nothing about the status.
async fn read_some(response: &mut Response) -> String {
    let mut body = Vec::new();
    let reading = async {
        while body.len() < BODY_BYTES
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk[..chunk.len().min(BODY_BYTES - body.len())]);
        }
    };
    // what was read before the time ran out is kept
    let _ = timeout(BODY_TIMEOUT, reading).await;
    String::from_utf8_lossy(&body).into_owned()
}

fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or(address)
}
