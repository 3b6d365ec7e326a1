//! What a mail says, and that nothing in an alert can break one.

use chrono::TimeDelta;
use mail_parser::{MessageParser, MimeHeaders as _};
use uuid::Uuid;

use super::{BASE_URL, at, hostile, mail_to, opened, resolved};
use crate::alert::{Alert, AlertEvent};
use crate::delivery::Delivery;
use crate::email::{Email, parse_address};
use crate::letter::Letter;

fn letter(alert: Alert) -> Letter {
    let now = alert.at;
    Letter::new(&mail_to(alert, &["ops@example.org"]), BASE_URL, now)
}

fn raw(delivery: &Delivery) -> Vec<u8> {
    let email = Email {
        smtp: None,
        from: "Watchclock <watchclock@clock.example.org>".parse().unwrap(),
        host: "clock.example.org".to_owned(),
        base_url: BASE_URL.to_owned(),
        total_timeout: std::time::Duration::from_secs(1),
        reached: std::sync::Mutex::default(),
    };
    let to = [parse_address("ops@example.org").unwrap(), parse_address("dev@bücher.example").unwrap()];
    email.message(delivery, &to, at()).unwrap().formatted()
}

#[test]
fn opened_in_text() {
    let letter = letter(opened());
    assert_eq!(letter.subject, "[failing] nightly-sync: records_processed is 0");
    insta::assert_snapshot!(letter.text().unwrap());
}

#[test]
fn resolved_in_text() {
    let letter = letter(resolved());
    assert_eq!(letter.subject, "[resolved] nightly-sync: records_processed is 0, lasted 12 min");
    insta::assert_snapshot!(letter.text().unwrap());
}

#[test]
fn test_alert_in_text() {
    let alert =
        Alert::test(Uuid::from_u128(0xd44), "default", "Ops mail", at(), "2026-11-28 02:04:12 +00:00");
    let letter = letter(alert);
    assert_eq!(letter.subject, "[test] Ops mail: this channel works");
    insta::assert_snapshot!(letter.text().unwrap());
}

#[test]
fn a_late_mail_says_when_it_was() {
    let delivery = mail_to(opened(), &["ops@example.org"]);
    let text = Letter::new(&delivery, BASE_URL, at() + TimeDelta::minutes(14)).text().unwrap();
    assert!(text.contains("this was at 2026-11-28 02:04:12 UTC"), "{text}");
}

#[test]
fn headers() {
    let mut delivery = mail_to(opened(), &[]);
    delivery.unsubscribe_url = Some("https://clock.example.org/u/1?a=\r\nBcc: x".to_owned());
    let raw = String::from_utf8(raw(&delivery)).unwrap();
    let (head, _) = raw.split_once("\r\n\r\n").unwrap();
    let boundary = head.split_once("boundary=\"").unwrap().1.split_once('"').unwrap().0;
    insta::assert_snapshot!(head.replace(boundary, "…").replace("\r\n", "\n"));
}

#[test]
fn a_long_name_stands_above_its_value_and_is_not_broken() {
    let mut alert = opened();
    alert.facts.push(("median(rows_written, 14)".to_owned(), "11,900".to_owned()));
    let letter = letter(alert);
    let html = letter.html().unwrap();
    let (before, after) = html.split_once("median(rows_written, 14)</td>\n</tr>\n<tr>").unwrap();
    assert!(before.ends_with(r#"color:#6a6862; overflow-wrap:anywhere;">"#), "{before}");
    assert!(after.trim_start().starts_with(r#"<td class="value" valign="top" colspan="2""#), "{after}");
    assert!(letter.text().unwrap().contains("\nmedian(rows_written, 14)\n             11,900\n"));
}

#[test]
fn html_and_text_say_the_same() {
    let raw = raw(&mail_to(opened(), &[]));
    let mail = MessageParser::default().parse(&raw).unwrap();
    let (text, html) = (mail.body_text(0).unwrap(), mail.body_html(0).unwrap());
    for said in [
        "nightly-sync",
        "records_processed is 0",
        "2026-11-28 03:04:12 +01:00",
        "rows_skipped = 1,204",
        "s3://in/è",
        "12 days, 12 runs",
        "batch is empty",
        "every day at 03:00 (Europe/Berlin)",
        "https://clock.example.org/watch/incidents/a11",
        "https://clock.example.org/watch/runs/4711",
        "https://wiki.example.org/runbooks/nightly-sync",
    ] {
        assert!(text.contains(said), "{said} in {text}");
        assert!(html.contains(said), "{said} in {html}");
    }
}

#[test]
fn nothing_breaks_a_mail() {
    let raw = raw(&mail_to(hostile(), &[]));
    assert!(raw.is_ascii() && !raw.contains(&0));
    assert!(raw.len() < 100_000, "{} bytes", raw.len());
    let text = String::from_utf8(raw.clone()).unwrap();
    assert!(text.split("\r\n").all(|line| line.len() < 998 && !line.contains(['\r', '\n'])));
    let mail = MessageParser::default().parse(&raw).unwrap();
    assert!(mail.header("Bcc").is_none() && mail.header("X-Evil").is_none());
    assert_eq!(mail.parts.len(), 3);
    assert!(
        mail.subject()
            .unwrap()
            .starts_with("[failing] night Bcc: all@example.org ly <b>sync</b> è 🦀: {{ 7*7 }}")
    );
    let (text, html) = (mail.body_text(0).unwrap(), mail.body_html(0).unwrap());
    for said in ["\n    .\n    ..\n    From me\n    <script>è 🦀\u{fffd}\n    end", "(earlier ones left out)"]
    {
        assert!(text.replace("\r\n", "\n").contains(said), "{text}");
    }
    assert!(!html.contains("<script>") && html.contains("&#60;script&#62;è 🦀"), "{html}");
    assert!(!html.contains("href=\"javascript:"), "{html}");
    assert_eq!(mail.text_part(0).unwrap().content_type().unwrap().attribute("charset"), Some("utf-8"));
}

#[test]
fn addresses_are_plain_and_ascii_on_the_wire() {
    assert_eq!(parse_address(" ops@example.org ").unwrap().to_string(), "ops@example.org");
    assert_eq!(parse_address("ops@bücher.example").unwrap().to_string(), "ops@xn--bcher-kva.example");
    for wrong in [
        "",
        "ops",
        "@example.org",
        "ops@",
        "Ops <ops@example.org>",
        "ops@example.org\r\nBcc: x@example.org",
        "a b@x.org",
        "è@x.org",
        "a@x.org,b@x.org",
    ] {
        assert!(parse_address(wrong).is_err(), "{wrong}");
    }
}

/// `WATCHCLOCK_MAIL_PREVIEW=/some/directory cargo test -p watchclock-notify -- --ignored preview`
#[test]
#[ignore = "writes the HTML mails to a directory, to be looked at in a browser"]
fn preview() {
    let directory =
        std::env::var("WATCHCLOCK_MAIL_PREVIEW").expect("set WATCHCLOCK_MAIL_PREVIEW to a directory");
    let mut warning = opened();
    warning.severity = "warning".to_owned();
    warning.event = AlertEvent::Reminder;
    warning.runbook = Some("Ask in #data before restarting; the warehouse may be in its window.".to_owned());
    let test = Alert::test(Uuid::from_u128(0xd44), "default", "Ops mail", at(), "2026-11-28 02:04:12 +00:00");
    for (name, alert) in [
        ("opened", opened()),
        ("resolved", resolved()),
        ("warning", warning),
        ("test", test),
        ("hostile", hostile()),
    ] {
        std::fs::write(format!("{directory}/{name}.html"), letter(alert).html().unwrap()).unwrap();
    }
}
