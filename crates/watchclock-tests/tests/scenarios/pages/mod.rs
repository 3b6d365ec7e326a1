//! Pages over HTTP, without a browser: who may see what, what forms say, what odd texts do to them.

mod access;
mod calendars;
mod forms;
mod odd;
mod quiet;
mod rule_rows;
mod rules;
mod sign_in;
mod stale;
mod words;

use watchclock_domain::incident::Incident;
use watchclock_service::member::Role;
use watchclock_tests::{Job, Reply, Visitor, World};

/// A project in which something has happened: a monitor with a failed run that printed something, and its incident.
struct Scene {
    world: World,
    job: Job,
    run: String,
    incident: Incident,
    channel: String,
}

impl Scene {
    async fn new() -> Self {
        let world = World::new().await;
        let channel = world.add_email("night shift", &["night@example.org"]).await.to_string();
        let job = world.monitor("sync").cron("0 3 * * *").rule("rows eq 0").create().await;
        job.start("a").await;
        job.ping("/fail?rid=a&meta.rows=7", "it broke").await;
        // The loops tick, so that no page warns of them.
        world.advance("1s").await;
        let run = job.run(1).await.id.to_string();
        let incident = job.incidents().await.remove(0);
        Self { world, job, run, incident, channel }
    }

    /// Pages that whoever belongs to the project may look at.
    fn pages(&self) -> Vec<String> {
        let (monitor, incident) = (self.job.monitor, self.incident.id);
        vec![
            "/".to_owned(),
            "/?q=sync&health=failing".to_owned(),
            format!("/monitors/{monitor}"),
            format!("/monitors/{monitor}?window=30d&status=failed"),
            format!("/monitors/{}", self.job.slug),
            format!("/runs/{}", self.run),
            format!("/runs/{}/output", self.run),
            "/maintenance".to_owned(),
            "/incidents".to_owned(),
            "/incidents?open=false".to_owned(),
            format!("/incidents/{incident}"),
            "/channels".to_owned(),
            "/settings".to_owned(),
            "/settings/calendars".to_owned(),
            "/settings/keys".to_owned(),
            "/settings/members".to_owned(),
            "/settings/account".to_owned(),
            "/settings/about".to_owned(),
            "/docs".to_owned(),
            "/docs/rules".to_owned(),
            "/docs/schedules".to_owned(),
            "/docs/runs".to_owned(),
            "/docs/api".to_owned(),
        ]
    }

    /// Pages for those who may change something.
    fn workshops(&self) -> Vec<String> {
        let (monitor, channel) = (self.job.monitor, &self.channel);
        vec![
            "/monitors/new".to_owned(),
            "/maintenance/new".to_owned(),
            "/settings/calendars/new".to_owned(),
            format!("/monitors/{monitor}/edit"),
            format!("/monitors/{monitor}/delete"),
            "/channels/new?kind=email".to_owned(),
            "/channels/new?kind=webhook".to_owned(),
            format!("/channels/{channel}/edit"),
            format!("/channels/{channel}/delete"),
        ]
    }

    /// Addresses that do something to what is there, when a form is sent to them.
    fn deeds(&self) -> Vec<String> {
        let (monitor, incident, channel) = (self.job.monitor, self.incident.id, &self.channel);
        [
            format!("/incidents/{incident}/acknowledge"),
            format!("/incidents/{incident}/comment"),
            format!("/incidents/{incident}/snooze"),
            format!("/incidents/{incident}/resolve"),
            format!("/channels/{channel}/disable"),
            format!("/channels/{channel}/enable"),
            format!("/channels/{channel}/test"),
            format!("/channels/{channel}/edit"),
            format!("/channels/{channel}/delete"),
            format!("/monitors/{monitor}/pause"),
            format!("/monitors/{monitor}/resume"),
            format!("/monitors/{monitor}/edit"),
            format!("/monitors/{monitor}/delete"),
        ]
        .into()
    }

    async fn member(&self) -> Visitor {
        self.world.member("member@example.org", Role::Member).await
    }
}

/// A page is whole, safe, and nothing in it is named twice.
#[track_caller]
fn check_page(path: &str, reply: &Reply) {
    let html = reply.text();
    assert!(html.trim_end().ends_with("</html>"), "{path} is not a whole page:\n{html}");
    let policy = reply.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    assert_eq!(reply.header("cache-control"), "no-store", "{path}");
    assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    for tag in html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()) {
        let lower = tag.to_ascii_lowercase();
        assert!(!lower.starts_with("style") && !lower.contains(" style="), "{path}: <{tag}>");
        assert!(!lower.starts_with("script") || lower.contains("src="), "{path}: <{tag}>");
        assert!(!lower.contains(" on") || !lower.contains("=\"javascript"), "{path}: <{tag}>");
    }
    let mut ids: Vec<&str> = values(&html, " id=\"").collect();
    for label in values(&html, "<label for=\"") {
        assert!(ids.contains(&label), "{path}: a label is for `{label}`, which is not there");
    }
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "{path}: an id stands there twice");
    for target in values(&html, "aria-describedby=\"") {
        assert!(ids.binary_search(&target).is_ok(), "{path}: nothing is called `{target}`");
    }
}

/// A page says all of these.
#[track_caller]
fn says(html: &str, words: &[&str]) {
    for words in words {
        assert!(html.contains(words), "it does not say {words}:\n{html}");
    }
}

/// The values of an attribute, in order.
fn values<'h>(html: &'h str, attribute: &'h str) -> impl Iterator<Item = &'h str> {
    html.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
}
