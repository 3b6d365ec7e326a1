//! E-mail against a mail server that behaves, refuses, breaks off or stalls.

use std::time::{Duration, Instant};

use watchclock_notify::{AlertEvent, Delivery, Notifier, NotifySettings, Target};
use watchclock_tests::smtp::{SmtpSink, Stage, Trouble};

use super::{delivery, gave_up, notifier, retry, sent, settings};

const SOON: Duration = Duration::from_secs(2);

fn to(addresses: &[&str]) -> Delivery {
    delivery(Target::Email { to: addresses.iter().map(|to| (*to).to_owned()).collect() })
}

fn through(url: String) -> Notifier {
    notifier(NotifySettings { smtp_url: Some(url), ..settings() })
}

async fn sink() -> (SmtpSink, Notifier) {
    let sink = SmtpSink::start().await;
    let notifier = through(sink.url());
    (sink, notifier)
}

#[tokio::test]
async fn a_mail_arrives_whole_and_the_reply_is_kept() {
    let (sink, notifier) = sink().await;
    let delivery = to(&["ops@example.org", "dev@example.org", "OPS@example.org"]);
    assert_eq!(sent(&notifier.send(&delivery).await), "250 2.0.0 Ok: queued as 1");

    let mails = sink.wait_for(1, SOON).await;
    assert_eq!(mails[0].from, "watchclock@clock.example.org");
    assert_eq!(mails[0].to, ["ops@example.org", "dev@example.org"]);
    assert_eq!(mails[0].subject(), "[failing] nightly-sync: records_processed is 0");
    let id = mails[0].header("Message-ID").unwrap();
    assert_eq!(id, format!("<{}@clock.example.org>", delivery.id));
    assert!(mails[0].text().contains("    è 🦀\n    .\n    <b>done</b>\n"), "{}", mails[0].text());
    assert!(mails[0].html().contains("&#60;b&#62;done"), "{}", mails[0].html());
    assert!(mails[0].text().contains("https://clock.example.org/incidents/1"));
}

#[tokio::test]
async fn the_mails_of_an_incident_are_one_thread() {
    let (sink, notifier) = sink().await;
    let opened = to(&["ops@example.org"]);
    let mut resolved = to(&["ops@example.org"]);
    resolved.alert.incident = opened.alert.incident;
    resolved.alert.event = AlertEvent::Resolved;
    resolved.alert.lasted = Some("12 min".to_owned());
    for delivery in [&opened, &resolved] {
        sent(&notifier.send(delivery).await);
    }
    let mails = sink.mails();
    assert_eq!(mails[1].subject(), "[resolved] nightly-sync: records_processed is 0, lasted 12 min");
    for name in ["In-Reply-To", "References"] {
        assert_eq!(mails[0].header(name), mails[1].header(name));
        assert!(mails[0].header(name).unwrap().contains(&opened.alert.incident.to_string()));
    }
    assert_ne!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    assert_eq!(sink.connections(), 1, "the second mail uses the open connection");
}

#[tokio::test]
async fn temporary_trouble_is_tried_again() {
    for (stage, trouble, said) in [
        (Stage::Greeting, Trouble::Say("421 4.3.2 shutting down"), "421 4.3.2 shutting down"),
        (Stage::Greeting, Trouble::Say("554 5.7.1 you are listed"), "554 5.7.1 you are listed"),
        (Stage::Mail, Trouble::Say("451 4.3.0 later"), "451 4.3.0 later"),
        (Stage::Rcpt, Trouble::Say("450 4.2.0 Greylisted"), "450 4.2.0 Greylisted"),
        (Stage::Rcpt, Trouble::Say("421 4.7.0 too many"), "421 4.7.0 too many"),
        (Stage::Data, Trouble::Say("452 4.3.1 disk full"), "452 4.3.1 disk full"),
        (Stage::Message, Trouble::Say("451 4.3.0 busy"), "451 4.3.0 busy"),
        (Stage::Greeting, Trouble::Drop, "cannot talk to the mail server 127.0.0.1:"),
        (Stage::MidMessage, Trouble::Drop, ""),
        (Stage::Message, Trouble::Drop, "incomplete response"),
        (Stage::Greeting, Trouble::Stall, "within 2 s"),
        (Stage::Message, Trouble::Stall, "within 2 s"),
    ] {
        let (sink, notifier) = sink().await;
        sink.script([Some((stage, trouble.clone()))]);
        let delivery = to(&["ops@example.org"]);
        let outcome = notifier.send(&delivery).await;
        assert!(retry(&outcome).contains(said), "{stage:?} {trouble:?}: {outcome:?}");
        assert!(!retry(&outcome).is_empty());
        assert!(sink.mails().is_empty());
        sent(&notifier.send(&delivery).await);
        assert_eq!(sink.mails().len(), 1, "{stage:?} {trouble:?}");
    }
}

#[tokio::test]
async fn permanent_refusals_are_given_up() {
    for (stage, said) in [
        (Stage::Mail, "550 5.7.1 sender not allowed"),
        (Stage::Rcpt, "550 5.1.1 no such user"),
        (Stage::Data, "554 5.5.1 no valid recipients"),
        (Stage::Message, "554 5.7.1 spam"),
    ] {
        let (sink, notifier) = sink().await;
        sink.always(Some((stage, Trouble::Say(said))));
        let outcome = notifier.send(&to(&["ops@example.org"])).await;
        assert!(gave_up(&outcome).contains(said), "{outcome:?}");
    }
}

#[tokio::test]
async fn one_bad_recipient_does_not_cost_the_others_their_mail() {
    let (sink, notifier) = sink().await;
    sink.refuse("gone@example.org", "550 5.1.1 no such user");
    let delivery = to(&["gone@example.org", "ops@example.org"]);
    let answer = "250 2.0.0 Ok: queued as 1; refused for gone@example.org: 550 5.1.1 no such user";
    assert_eq!(sent(&notifier.send(&delivery).await), answer);
    assert_eq!(sink.mails()[0].to, ["ops@example.org"]);

    sink.refuse("ops@example.org", "550 5.1.1 neither");
    let outcome = notifier.send(&to(&["gone@example.org", "ops@example.org"])).await;
    assert!(gave_up(&outcome).contains("gone@example.org: 550") && gave_up(&outcome).contains("neither"));
}

#[tokio::test]
async fn a_greylisted_recipient_gets_it_later_and_the_others_once() {
    let (sink, notifier) = sink().await;
    sink.greylist("slow@example.org", 2);
    let delivery = to(&["ops@example.org", "slow@example.org"]);

    let first = notifier.send(&delivery).await;
    assert!(retry(&first).starts_with("250 2.0.0 Ok: queued as 1; has to wait for slow@example.org: 450"));
    assert_eq!(notifier.reached(delivery.id), ["ops@example.org"]);
    retry(&notifier.send(&delivery).await);
    sent(&notifier.send(&delivery).await);
    let recipients: Vec<_> = sink.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients, [["ops@example.org"], ["slow@example.org"]]);
    assert!(notifier.reached(delivery.id).is_empty());
    let ids: Vec<_> = sink.mails().iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn another_process_can_take_over_a_half_sent_delivery() {
    let (sink, notifier) = sink().await;
    sink.greylist("slow@example.org", 1);
    let mut delivery = to(&["ops@example.org", "slow@example.org"]);
    retry(&notifier.send(&delivery).await);
    delivery.reached = notifier.reached(delivery.id);
    let other = through(sink.url());
    sent(&other.send(&delivery).await);
    assert_eq!(sink.mails()[1].to, ["slow@example.org"]);
}

#[tokio::test]
async fn a_server_that_was_away_gets_the_mail_when_it_is_back() {
    let (mut sink, notifier) = sink().await;
    sent(&notifier.send(&to(&["ops@example.org"])).await);
    sink.down().await;
    let delivery = to(&["ops@example.org"]);
    let outcome = notifier.send(&delivery).await;
    assert!(retry(&outcome).contains("Connection refused"), "{outcome:?}");
    sink.up().await;
    sent(&notifier.send(&delivery).await);
    assert_eq!(sink.mails().len(), 2);
}

#[tokio::test]
async fn login_works_and_a_wrong_one_is_a_setting_to_mend() {
    let sink = SmtpSink::start().await;
    sink.require_login("ops@example.org", "p@ss/wörd");
    let right = through(sink.url_as("ops%40example.org", "p%40ss%2Fw%C3%B6rd"));
    sent(&right.send(&to(&["ops@example.org"])).await);

    let wrong = through(sink.url_as("ops", "hunter2"));
    let outcome = wrong.send(&to(&["ops@example.org"])).await;
    let said = retry(&outcome);
    assert!(said.contains("535 5.7.8 wrong user") && said.contains("WATCHCLOCK_SMTP_URL"), "{said}");
    assert!(!format!("{wrong:?} {outcome:?}").contains("hunter2"));

    let outcome = through(sink.url()).send(&to(&["ops@example.org"])).await;
    assert!(retry(&outcome).contains("530 5.7.0 log in first"), "{outcome:?}");
}

#[tokio::test]
async fn a_secret_that_the_server_echoes_is_hidden() {
    let sink = SmtpSink::start().await;
    sink.always(Some((Stage::Mail, Trouble::Say("550 hunter2 or AGEAaHVudGVyMg== is what you said"))));
    let outcome = through(sink.url_as("a", "hunter2")).send(&to(&["ops@example.org"])).await;
    assert!(gave_up(&outcome).contains("550 [hidden] or [hidden] is what you said"), "{outcome:?}");
}

#[tokio::test]
async fn encryption_is_insisted_on_where_asked() {
    let sink = SmtpSink::start().await;
    let outcome = through(format!("{}?tls=required", sink.url())).send(&to(&["ops@example.org"])).await;
    assert!(retry(&outcome).contains("offers no STARTTLS"), "{outcome:?}");
    let outcome = through(sink.url().replace("smtp:", "smtps:")).send(&to(&["ops@example.org"])).await;
    assert!(retry(&outcome).contains("cannot set up TLS"), "{outcome:?}");
    sent(&through(format!("{}?tls=none", sink.url())).send(&to(&["ops@example.org"])).await);
    assert_eq!(sink.mails().len(), 1);
}

#[tokio::test]
async fn without_a_mail_server_the_channel_says_so() {
    let outcome = notifier(settings()).send(&to(&["ops@example.org"])).await;
    assert_eq!(gave_up(&outcome), "e-mail is not set up: set WATCHCLOCK_SMTP_URL");
}

#[tokio::test]
async fn fifty_alerts_at_once_all_leave() {
    let (sink, notifier) = sink().await;
    let begun = Instant::now();
    let sends: Vec<_> = (0..50)
        .map(|_| {
            let notifier = notifier.clone();
            tokio::spawn(async move { notifier.send(&to(&["ops@example.org"])).await })
        })
        .collect();
    for send in sends {
        sent(&send.await.unwrap());
    }
    assert_eq!(sink.mails().len(), 50);
    assert!(sink.connections() <= 50);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn settings_are_refused_all_at_once() {
    let settings = NotifySettings {
        base_url: "clock.example.org".to_owned(),
        smtp_url: Some("http://u:hunter2@mail".to_owned()),
        mail_from: "nobody".to_owned(),
        ..settings()
    };
    let problems = Notifier::new(settings).unwrap_err();
    let fields: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["WATCHCLOCK_BASE_URL", "WATCHCLOCK_SMTP_URL", "WATCHCLOCK_MAIL_FROM"]);
    assert!(!format!("{problems:?}").contains("hunter2"));
}

/// `WATCHCLOCK_SMTP_URL=smtp://… WATCHCLOCK_TEST_TO=you@… cargo test -p watchclock-tests --test notify -- --ignored --nocapture`
#[tokio::test]
#[ignore = "sends one mail through the server named by WATCHCLOCK_SMTP_URL"]
async fn through_a_server_of_your_own() {
    let url = std::env::var("WATCHCLOCK_SMTP_URL").expect("set WATCHCLOCK_SMTP_URL");
    let recipient = std::env::var("WATCHCLOCK_TEST_TO").expect("set WATCHCLOCK_TEST_TO");
    let outcome = through(url).send(&to(&[&recipient])).await;
    println!("{outcome:?}");
    sent(&outcome);
}
