//! Forms keep what was typed and say all that is wrong with it, each beside its field.

use axum::http::StatusCode;
use watchclock_domain::ping_limit::PingLimit;
use watchclock_service::monitor::MonitorFilter;
use watchclock_tests::{World, visitor::Visitor};

use super::{Scene, check_page};

/// What stands in the field of this name, with what is wrong with it.
#[track_caller]
fn field(html: &str, name: &str) -> String {
    let at = html.find(&format!("name=\"{name}\"")).unwrap_or_else(|| panic!("no field {name}:\n{html}"));
    let start = html[..at].rfind("<div class=\"field").unwrap_or(0);
    let end = html[at..].find("<div class=\"field").map_or(html.len(), |end| at + end);
    html[start..end].to_owned()
}

async fn wrong(visitor: &Visitor, path: &str, fields: &[(&str, &str)]) -> String {
    let reply = visitor.post(path, fields).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    check_page(path, &reply);
    reply.text()
}

#[tokio::test]
async fn a_monitors_form_tells_all_that_is_wrong_at_once() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let long = "x".repeat(101);
    let typed = [
        ("name", &*long),
        ("slug", "No Such Slug"),
        ("schedule.kind", "cron"),
        ("schedule.cron", "0 3 * * *\r\n61 3 * * *"),
        ("schedule.tz", "Europe/Berln"),
        ("grace", "5x"),
        ("max_duration", "soon"),
        ("min_duration", "-3m"),
        ("early_tolerance", "?"),
        ("alert_after", "1h30"),
        ("ping_limit", "20/min"),
        ("overlap.policy", "allow"),
        ("overlap.allowed", "many"),
        ("thresholds.failed", "0"),
        ("thresholds.missed", "two"),
        ("tags", &*long),
        ("rules[0].when", "records_processed eqq 0"),
        ("rules[0].name", &*long),
        ("rules[0].for", "101"),
        ("rules[1].when", "rows gt 5"),
        ("rules[1].name", "many rows"),
        ("rules[3].when", "rows lt"),
        ("description", "line one\r\nline <two>"),
        ("runbook", "see \"the book\""),
    ];
    for path in ["/monitors".to_owned(), format!("/monitors/{}/edit", scene.job.monitor)] {
        let html = wrong(&member, &path, &typed).await;
        for (name, problem) in [
            ("name", "at most 100 characters"),
            ("slug", "beginning with a letter or digit"),
            ("schedule.tz", "did you mean"),
            ("grace", "no unit"),
            ("max_duration", "no number"),
            ("min_duration", "negative"),
            ("early_tolerance", "no number"),
            ("alert_after", "lacks a unit"),
            ("ping_limit", "whole number from 1 to 6000"),
            ("thresholds.failed", "from 1 to 100"),
            ("thresholds.missed", "not a whole number"),
            ("tags", "at most 50 characters"),
            ("rules[0].name", "at most 100 characters"),
            ("rules[0].for", "from 1 to 100 runs"),
        ] {
            let field = field(&html, name);
            assert!(field.contains(problem), "{name}: {field}");
        }
        for problem in ["not a whole number", "did you mean", "                  ^^^"] {
            assert!(html.contains(problem), "{problem}");
        }
        // The place of a wrong line of cron, and each value as it was typed.
        assert!(html.contains("61 3 * * *\n^^"), "{html}");
        for kept in [
            "value=\"No Such Slug\"",
            "value=\"Europe/Berln\"",
            "value=\"5x\"",
            "value=\"soon\"",
            "value=\"-3m\"",
            "value=\"1h30\"",
            "value=\"20/min\"",
            "value=\"many\"",
            "value=\"two\"",
            "value=\"records_processed eqq 0\"",
            "value=\"many rows\"",
            "value=\"rows lt\"",
            "61 3 * * *</textarea>",
            "line &#60;two&#62;</textarea>",
            "see &#34;the book&#34;",
        ] {
            assert!(html.contains(kept), "{kept} is lost:\n{html}");
        }
        let marked = html.matches("aria-invalid=\"true\"").count();
        assert!(marked >= 12, "{marked} fields are marked as wrong");
    }
    let all = MonitorFilter::default();
    let monitors = scene.world.watchclock().monitors(scene.world.project().id, &all, 0).await;
    assert_eq!(monitors.unwrap().len(), 1, "nothing was saved");
}

#[tokio::test]
async fn a_monitor_is_made_edited_and_checked_without_a_script() {
    let world = World::new().await;
    let member = world.member("member@example.org", watchclock_service::member::Role::Member).await;
    let mut fields = vec![
        ("name", "Nightly sync"),
        ("schedule.kind", "cron"),
        ("schedule.cron", "30 2 * * 1-5"),
        ("schedule.tz", "Europe/Berlin"),
        ("grace", "10m"),
        ("overlap.policy", "alert"),
        ("channels_all", "yes"),
        ("rules[0].when", "rows eq 0"),
        ("rules[0].severity", "warning"),
        ("tags", "db, nightly"),
    ];
    let checked = member.post("/monitors", &[&fields[..], &[("check", "yes")]].concat()).await;
    assert_eq!(checked.status, StatusCode::OK);
    assert!(checked.text().contains("weekday") || checked.text().contains("Friday"), "{}", checked.text());
    let made = member.post("/monitors", &fields).await;
    let page = member.follow(&made).await;
    assert!(page.text().contains("Nightly sync is made."));
    let job = world.job("nightly-sync").await;
    let path = format!("/monitors/{}/edit", job.monitor);
    let rule = job.view().await.monitor.rules[0].id.to_string();
    fields.extend([
        ("version", "1"),
        ("max_duration", "1h"),
        ("rules[0].id", &*rule),
        ("ping_limit", " 20 "),
    ]);
    fields[0].1 = "Nightly";
    assert_eq!(member.post(&path, &fields).await.status, StatusCode::SEE_OTHER);
    let view = job.view().await;
    assert_eq!((view.monitor.name.as_str(), view.monitor.version), ("Nightly", 2));
    assert_eq!(view.monitor.rules[0].id.to_string(), rule, "it is the same rule");
    assert_eq!(view.monitor.ping_limit, PingLimit::new(20));
    assert!(field(&member.get(&path).await.text(), "ping_limit").contains("value=\"20\""));
    let mut beyond = fields.clone();
    beyond.retain(|(name, _)| !["ping_limit", "version"].contains(name));
    beyond.extend([("ping_limit", "6001"), ("version", "2")]);
    let html = wrong(&member, &path, &beyond).await;
    assert!(
        field(&html, "ping_limit").contains("value=\"6001\"")
            && html.contains("from 1 to 6000 pings a minute")
    );
    // Somebody who had the older page open does not write over it unseen.
    let html = wrong(&member, &path, &fields).await;
    assert!(html.contains("somebody changed this monitor meanwhile") && html.contains("value=\"2\""));
    let taken =
        member.post("/monitors", &[("name", "x"), ("slug", "nightly"), ("schedule.kind", "none")]).await;
    assert!(field(&taken.text(), "slug").contains("has the slug `nightly` already"));
}

#[tokio::test]
async fn a_channel_that_somebody_changed_meanwhile_is_not_written_over_unseen() {
    let world = World::new().await;
    let member = world.member("member@example.org", watchclock_service::member::Role::Member).await;
    let fields =
        [("kind", "webhook"), ("name", "hook"), ("url", "https://example.org/a"), ("enabled", "yes")];
    assert_eq!(member.post("/channels", &fields).await.status, StatusCode::SEE_OTHER);
    let channels = world.watchclock().channels(world.project().id).await.unwrap();
    let id = channels.iter().find(|channel| channel.name == "hook").unwrap().id;
    let path = format!("/channels/{id}/edit");
    let version = |html: &str| {
        let field = html.split("name=\"version\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        field.expect("the form knows its version").to_owned()
    };
    let old = version(&member.get(&path).await.text());
    // Somebody else switches it off, and the clock stands still.
    member.post(&format!("/channels/{id}/disable"), &[]).await;
    let typed = [
        ("name", "hook 2"),
        ("url", "https://example.org/b"),
        ("headers", "X-Team: data"),
        ("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ("enabled", "yes"),
    ];
    let html = wrong(&member, &path, &[&typed[..], &[("version", &old)]].concat()).await;
    assert!(html.contains("somebody changed this channel meanwhile"), "{html}");
    for kept in ["value=\"hook 2\"", "value=\"https://example.org/b\"", "X-Team: data</textarea>"] {
        assert!(html.contains(kept), "{kept} is lost:\n{html}");
    }
    assert!(field(&html, "secret").contains("type it once more") && !html.contains("MfKQ9"), "{html}");
    for unreadable in ["x", "", "7.0", "99999999999999999999"] {
        let html = wrong(&member, &path, &[&typed[..], &[("version", unreadable)]].concat()).await;
        assert!(html.contains("somebody changed this channel meanwhile"), "{unreadable}: {html}");
    }
    let stored = world.watchclock().channel(world.project().id, id).await.unwrap();
    assert_eq!((stored.name.as_str(), stored.enabled), ("hook", false), "nothing was saved");
    // Who has read that may go on.
    let new = version(&html);
    assert_ne!(new, old);
    let saved = member.post(&path, &[&typed[..], &[("version", &new)]].concat()).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    let stored = world.watchclock().channel(world.project().id, id).await.unwrap();
    assert_eq!((stored.name.as_str(), stored.enabled), ("hook 2", true));
}

#[tokio::test]
async fn other_forms_keep_what_was_typed() {
    let scene = Scene::new().await;
    let owner = scene.world.member("owner@example.org", watchclock_service::member::Role::Owner).await;
    let mail =
        [("kind", "email"), ("name", ""), ("to", "ops@example.org\r\nnot an address"), ("enabled", "yes")];
    let html = wrong(&owner, "/channels", &mail).await;
    assert!(
        field(&html, "to").contains("not an address</textarea>")
            && field(&html, "to").contains("class=\"problem\"")
    );
    assert!(field(&html, "name").contains("class=\"problem\""), "{html}");
    let hook = [("kind", "webhook"), ("name", "hook"), ("url", "ftp://example.org"), ("enabled", "yes")];
    let html = wrong(&owner, "/channels", &hook).await;
    assert!(
        field(&html, "url").contains("value=\"ftp://example.org\"")
            && field(&html, "url").contains("class=\"problem\"")
    );
    let html = wrong(&owner, "/settings/keys", &[("name", &"k".repeat(300)), ("role", "write")]).await;
    assert!(
        field(&html, "name").contains("class=\"problem\"") && html.contains("value=\"write\" selected"),
        "{html}"
    );
    let html = wrong(&owner, "/settings/members", &[("email", "nobody"), ("role", "owner")]).await;
    assert!(
        field(&html, "email").contains("not an e-mail address") && html.contains("value=\"owner\" selected")
    );
    let html = wrong(&owner, "/settings/project", &[("name", "")]).await;
    assert!(field(&html, "name").contains("1 to 100 characters"));
    let path = format!("/incidents/{}/comment", scene.incident.id);
    let html = wrong(&owner, &path, &[("text", "  ")]).await;
    assert!(field(&html, "text").contains("class=\"problem\""), "{html}");
    let big = "x".repeat(3_000_000);
    assert_eq!(owner.post("/monitors", &[("name", &big)]).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn an_incident_is_acknowledged_commented_on_and_resolved() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let path = format!("/incidents/{}", scene.incident.id);
    for (deed, says) in
        [("acknowledge", "Acknowledged"), ("comment", "Your comment is added"), ("resolve", "Resolved.")]
    {
        let done = member.post(&format!("{path}/{deed}"), &[("text", "looking into it <now>")]).await;
        let page = member.follow(&done).await;
        check_page(&path, &page);
        assert!(page.text().contains(says), "{deed}");
        assert!(!member.get(&path).await.text().contains(says), "{deed} is told once");
    }
    let html = member.get(&path).await.text();
    assert!(html.contains("looking into it &#60;now&#62;") && html.contains("member@example.org"), "{html}");
    let again = member.post(&format!("{path}/resolve"), &[]).await;
    assert!(member.follow(&again).await.text().contains("Resolved."), "once more is no error");
}
