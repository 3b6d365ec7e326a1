//! Fetching a text from an address that somebody typed in: bounded in size and time, never redirected, never to private targets.

use std::time::{Duration, Instant};

use watchclock_notify::NotifySettings;
use watchclock_tests::webhook::{Answer, WebhookReceiver};

use super::{notifier, settings};

#[tokio::test]
async fn a_text_is_fetched_and_nothing_else() {
    let server = WebhookReceiver::start().await;
    let notifier = notifier(settings());
    server.answer(Answer::Status(200, "BEGIN:VCALENDAR".to_owned()));
    assert_eq!(notifier.fetch_text(&server.url(), 100).await.as_deref(), Ok("BEGIN:VCALENDAR"));
    assert_eq!(server.hooks()[0].method.as_str(), "GET");
    for (answer, most, said) in [
        (Answer::Status(200, "x".repeat(101)), 100, "the answer has more than 100 bytes"),
        (Answer::Endless, 100_000, "the answer has more than 100000 bytes"),
        (Answer::Status(404, "gone".to_owned()), 100, "404 Not Found: gone"),
        (Answer::Redirect("https://elsewhere.example.org/x".to_owned()), 100, "redirects are not followed"),
        (Answer::Hang, 100, "no answer within 2 s"),
        (Answer::StallAfterStatus, 100, "no answer within 2 s"),
    ] {
        server.answer(answer.clone());
        let started = Instant::now();
        let error = notifier.fetch_text(&server.url(), most).await.expect_err("it is refused");
        assert!(error.contains(said), "{answer:?}: {error}");
        assert!(!error.contains(&server.url()), "{error}");
        assert!(started.elapsed() < Duration::from_secs(8), "{answer:?}");
    }
}

#[tokio::test]
async fn private_and_strange_addresses_are_not_asked() {
    let server = WebhookReceiver::start().await;
    let notifier = notifier(NotifySettings::new("https://clock.example.org"));
    for address in [server.url(), server.url_by_name(), "webcal://127.0.0.1/x.ics".to_owned()] {
        let error = notifier.fetch_text(&address, 100).await.expect_err("it is refused");
        assert!(error.contains("WATCHCLOCK_ALLOW_PRIVATE_TARGETS"), "{address}: {error}");
    }
    for address in ["ftp://example.org/x", "file:///etc/passwd", "holidays.ics", ""] {
        assert!(notifier.fetch_text(address, 100).await.is_err(), "{address}");
    }
    assert!(server.hooks().is_empty());
}
