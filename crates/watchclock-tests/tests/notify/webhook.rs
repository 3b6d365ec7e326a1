//! Webhooks against a receiver that answers, refuses, redirects or hangs, and targets that must not be reached.

use std::time::{Duration, Instant};

use watchclock_notify::{
    Delivery, Notifier, NotifySettings, Target, TargetSettings, WebhookSettings, check_target, webhook_secret,
};
use watchclock_tests::webhook::{Answer, WebhookReceiver};

use super::{delivery, gave_up, notifier, retry, sent, settings};

fn secret() -> String {
    webhook_secret(&[7; 32])
}

fn to(url: String) -> Delivery {
    with_headers(url, &[])
}

fn with_headers(url: String, headers: &[(&str, &str)]) -> Delivery {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    delivery(Target::Webhook { url, secret: secret(), headers })
}

async fn receiver() -> (WebhookReceiver, Notifier) {
    (WebhookReceiver::start().await, notifier(settings()))
}

#[tokio::test]
async fn a_webhook_arrives_signed_and_keeps_its_id() {
    let (receiver, notifier) = receiver().await;
    let delivery = with_headers(receiver.url(), &[("Authorization", "Bearer k3y-k3y"), ("X-Team", "ops")]);
    assert_eq!(sent(&notifier.send(&delivery).await), "200 OK: ok");
    sent(&notifier.send(&delivery).await);

    let hooks = receiver.hooks();
    assert_eq!((hooks[0].method.as_str(), hooks[0].path.as_str()), ("POST", "/hook"));
    assert_eq!(hooks[0].header("content-type"), "application/json");
    assert_eq!(hooks[0].header("authorization"), "Bearer k3y-k3y");
    assert_eq!(hooks[0].header("x-team"), "ops");
    assert!(hooks[0].header("user-agent").starts_with("Watchclock/"));
    for hook in &hooks {
        assert_eq!(hook.header("webhook-id"), delivery.id.to_string());
        assert!(hook.is_signed_with(&secret()) && !hook.is_signed_with(&webhook_secret(&[8; 32])));
    }
    let json = hooks[0].json();
    assert_eq!(json["type"], "incident.opened");
    assert_eq!(json["data"]["text"], "[failing] nightly-sync: records_processed is 0");
    assert_eq!(json["data"]["output_tail"], "è 🦀\n.\n<b>done</b>");
    assert_eq!(json["data"]["incident"]["url"], "https://clock.example.org/incidents/1");
}

#[tokio::test]
async fn the_status_decides() {
    let (receiver, notifier) = receiver().await;
    for status in [200, 201, 202, 204] {
        receiver.answer(Answer::Status(status, String::new()));
        sent(&notifier.send(&to(receiver.url())).await);
    }
    for status in [408, 425, 429, 500, 502, 503, 504] {
        receiver.answer(Answer::Status(status, "not now".to_owned()));
        let outcome = notifier.send(&to(receiver.url())).await;
        assert!(retry(&outcome).starts_with(&status.to_string()) && retry(&outcome).ends_with(": not now"));
    }
    for status in [400, 401, 403, 404, 410, 422] {
        receiver.answer(Answer::Status(status, "no".to_owned()));
        let outcome = notifier.send(&to(receiver.url())).await;
        assert!(gave_up(&outcome).starts_with(&status.to_string()), "{outcome:?}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (receiver, notifier) = receiver().await;
    let other = WebhookReceiver::start().await;
    receiver.answer(Answer::Redirect(format!("{}?token=k3y", other.url())));
    let outcome = notifier.send(&to(receiver.url())).await;
    let said = gave_up(&outcome);
    assert!(said.contains("302") && said.contains(&other.url()) && !said.contains("k3y"), "{said}");
    assert!(other.hooks().is_empty());
}

#[tokio::test]
async fn a_receiver_that_hangs_is_tried_again() {
    let (receiver, notifier) = receiver().await;
    receiver.answer(Answer::Hang);
    let outcome = notifier.send(&to(receiver.url())).await;
    assert_eq!(retry(&outcome), "no answer within 2 s");
}

#[tokio::test]
async fn the_body_changes_nothing_about_the_status() {
    let (receiver, notifier) = receiver().await;
    for answer in [Answer::Endless, Answer::StallAfterStatus] {
        receiver.answer(answer);
        let begun = Instant::now();
        let outcome = notifier.send(&to(receiver.url())).await;
        assert!(sent(&outcome).starts_with("200 OK"), "{outcome:?}");
        assert!(sent(&outcome).chars().count() <= 1_000);
        assert!(begun.elapsed() < Duration::from_secs(4));
    }
}

#[tokio::test]
async fn a_receiver_that_was_away_gets_it_when_it_is_back() {
    let (mut receiver, notifier) = receiver().await;
    receiver.down().await;
    let delivery = to(receiver.url());
    let outcome = notifier.send(&delivery).await;
    assert!(retry(&outcome).contains("Connection refused"), "{outcome:?}");
    receiver.up().await;
    sent(&notifier.send(&delivery).await);
    assert_eq!(receiver.hooks().len(), 1);
}

#[tokio::test]
async fn secrets_that_the_receiver_echoes_are_hidden() {
    let (receiver, notifier) = receiver().await;
    receiver
        .answer(Answer::Status(400, format!("{{\"auth\":\"Bearer k3y-k3y\",\"signed\":\"{}\"}}", secret())));
    let delivery = with_headers(receiver.url(), &[("Authorization", "Bearer k3y-k3y")]);
    let outcome = notifier.send(&delivery).await;
    assert_eq!(gave_up(&outcome), r#"400 Bad Request: {"auth":"[hidden]","signed":"[hidden]"}"#);
    assert!(!format!("{delivery:?}").contains("k3y"));
}

#[tokio::test]
async fn keys_in_an_address_are_no_part_of_the_answer() {
    let (mut receiver, notifier) = receiver().await;
    let url = format!("{}/T0K3NT0K3NT0K3N0?key=k3yk3y", receiver.url()).replace("//", "//u:p4ssw0rd@");
    receiver.answer(Answer::Status(
        404,
        "no /hook/T0K3NT0K3NT0K3N0?key=k3yk3y for u:p4ssw0rd dTpwNHNzdzByZA==".into(),
    ));
    let outcome = notifier.send(&to(url.clone())).await;
    assert_eq!(gave_up(&outcome), "404 Not Found: no /hook/[hidden]?[hidden] for [hidden] [hidden]");
    assert_eq!(receiver.hooks()[0].header("authorization"), "Basic dTpwNHNzdzByZA==");

    receiver.down().await;
    let outcome = notifier.send(&to(url)).await;
    let said = retry(&outcome);
    assert!(["T0K3N", "k3y", "p4ss"].iter().all(|key| !said.contains(key)), "{said}");
}

#[tokio::test]
async fn private_targets_are_refused_by_address_and_by_name() {
    let receiver = WebhookReceiver::start().await;
    let notifier = notifier(NotifySettings { allow_private_targets: false, ..settings() });
    let numeric = receiver.url().replace("127.0.0.1", "2130706433");
    let mapped = receiver.url().replace("127.0.0.1", "[::ffff:127.0.0.1]");
    for url in [receiver.url(), receiver.url_by_name(), numeric, mapped] {
        let outcome = notifier.send(&to(url.clone())).await;
        assert!(gave_up(&outcome).contains("WATCHCLOCK_ALLOW_PRIVATE_TARGETS"), "{url}: {outcome:?}");
        let settings = TargetSettings::Webhook(WebhookSettings { url, headers: Vec::new() });
        assert_eq!(check_target(&settings, false).len(), 1);
        assert!(check_target(&settings, true).is_empty());
    }
    assert!(receiver.hooks().is_empty());
}

#[tokio::test]
async fn a_name_that_resolves_home_is_refused_when_it_is_sent() {
    // a machine's own name passes the check of the literal and leads to a private or loopback address
    let Ok(name) = std::fs::read_to_string("/proc/sys/kernel/hostname") else { return };
    let notifier = notifier(NotifySettings { allow_private_targets: false, ..settings() });
    let outcome = notifier.send(&to(format!("http://{}:9/hook", name.trim()))).await;
    assert!(!outcome.is_sent(), "{outcome:?}");
    if !outcome.answer().contains("lookup") && !outcome.answer().contains("resolve") {
        assert!(gave_up(&outcome).contains("is the private address"), "{outcome:?}");
    }
}
