//! Monitors that are broken, renamed, made by a ping: one bad row stops nothing else.

use watchclock_service::monitor::MonitorChange;
use watchclock_tests::World;

/// B56
#[tokio::test]
async fn a_corrupt_monitor_says_so_and_stops_nobody_else() {
    let world = World::new().await;
    world.database().forget_checks("monitors").await;
    let mut broken = Vec::new();
    for (n, damage) in [
        "schedule_kind = 'bad'",
        "time_zone = 'X/Y'",
        "schedule_lines = '{0 0 31 2 *}'",
        "schedule_lines = '{}'",
        "thresholds = '[]', overlap_policy = 'x', grace_seconds = 9223372036854775807",
    ]
    .into_iter()
    .enumerate()
    {
        let job = world.monitor(&format!("broken-{n}")).cron("0 3 * * *").grace("5m").create().await;
        let sql = format!("update monitors set {damage}, version = version + 1 where id = '{}'", job.monitor);
        world.database().execute(&sql).await;
        broken.push(job);
    }
    let good = world.monitor("good").cron("0 3 * * *").grace("5m").create().await;
    world.advance("12h").await;
    assert_eq!(good.tape().await, "#1 missed");
    assert_eq!(world.subjects().await.iter().filter(|subject| subject.contains(" good: ")).count(), 1);
    for job in &broken {
        let view = job.view().await;
        assert!(view.monitor.broken.is_some(), "{}", job.slug);
        assert_eq!(view.health.word(), "failing");
        assert_eq!(job.tape().await, "", "nothing is expected of what cannot be read");
        assert_eq!(job.end("a").await.line(), "200 OK", "its pings are recorded");
    }
}

#[tokio::test]
async fn what_cannot_be_read_survives_a_pause_and_is_replaced_only_as_a_whole() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").rule("rows eq 0").create().await;
    world.database().execute("update monitors set time_zone = 'X/Y', version = version + 1").await;
    world.database().execute("update rules set condition = 'rows eq'").await;
    world.watchclock().pause_monitor(world.project().id, job.monitor).await.unwrap();
    world.watchclock().resume_monitor(world.project().id, job.monitor).await.unwrap();
    assert!(job.view().await.monitor.broken.is_some());
    let stored = "select time_zone || ' ' || schedule_lines[1] || ' ' || condition
                  from monitors m join rules r on r.monitor_id = m.id";
    assert_eq!(world.database().value(stored).await.unwrap(), "X/Y 0 3 * * * rows eq");
    let change = MonitorChange { name: Some("other".to_owned()), ..MonitorChange::default() };
    let refused = world.watchclock().update_monitor(world.project().id, job.monitor, None, change).await;
    let told = format!("{:?}", refused.unwrap_err());
    assert!(told.contains("\"schedule\"") && told.contains("\"rules\""), "{told}");
    world.database().execute("update monitors set time_zone = 'UTC', version = version + 1").await;
    world.database().execute("update rules set condition = 'rows eq 0'").await;
    world.advance("2h").await;
    world.advance("1d").await;
    assert_eq!(job.health().await, "failing", "{}", job.tape().await);
}

#[tokio::test]
async fn a_monitor_repaired_by_hand_is_watched_again() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("5m").create().await;
    world.database().execute("update monitors set time_zone = 'X/Y', version = version + 1").await;
    world.advance("12h").await;
    assert_eq!(job.tape().await, "");
    world.database().execute("update monitors set time_zone = 'UTC'").await;
    world.advance("1h").await;
    job.end("").await;
    assert_eq!(job.health().await, "healthy");
    world.advance("1d").await;
    assert_eq!(job.health().await, "failing", "{}", job.tape().await);
}

#[tokio::test]
async fn a_ping_by_slug_creates_the_monitor_where_asked_to() {
    let world = World::new().await;
    let key = world.project().ping_key.clone();
    let to = |rest: &str| format!("/ping/{key}/new-job{rest}");
    assert_eq!(world.post(&to(""), "").await.line(), "404 not found");
    let query = "/start?create=1&schedule=0%203%20*%20*%20*&tz=Europe/Berlin&grace=10m&rid=a";
    assert_eq!(world.post(&to(query), "").await.line(), "201 Created");
    assert_eq!(world.post(&to("?create=1&rid=a"), "").await.line(), "200 OK");
    let job = world.job("new-job").await;
    assert_eq!(job.tape().await, "#1 a success 0s unscheduled");
    let monitor = job.view().await.monitor;
    assert_eq!(monitor.schedule.text().tz, "Europe/Berlin");
    assert_eq!(monitor.grace, watchclock_tests::world::minutes(10));
    assert_eq!(world.post("/ping/wrong-key-wrong-key-wr/new-job?create=1", "").await.line(), "404 not found");
}

#[tokio::test]
async fn a_wrong_schedule_never_costs_the_ping() {
    let world = World::new().await;
    let path = format!("/ping/{}/odd?create=1&schedule=never&grace=soon", world.project().ping_key);
    assert_eq!(world.post(&path, "").await.line(), "201 Created");
    let job = world.job("odd").await;
    assert_eq!(job.tape().await, "#1 success");
    assert!(job.view().await.monitor.description.contains("never"), "it is told on the monitor");
}

#[tokio::test]
async fn nothing_that_a_first_ping_asks_for_costs_it() {
    let world = World::new().await;
    let (key, long) = (world.project().ping_key.clone(), "n".repeat(300));
    for (slug, query, tells) in [
        ("long-name", format!("name={long}"), ""),
        ("two-lines", "name=a%0Ab".to_owned(), ""),
        ("no-zone", "schedule=0+3+*+*+*&tz=Mars/Base".to_owned(), "Mars/Base"),
        ("half-grace", "grace=0.5s".to_owned(), "a whole number of seconds"),
        ("years", "grace=99999h&schedule=0+3+*+*+*".to_owned(), "grace"),
        ("never", "schedule=0+0+31+2+*".to_owned(), "0 0 31 2 *"),
        ("wordy", format!("schedule={long}{long}{long}"), "left out"),
    ] {
        let reply = world.post(&format!("/ping/{key}/{slug}?create=1&{query}"), "").await;
        assert_eq!(reply.line(), "201 Created", "{slug}");
        let job = world.job(slug).await;
        assert_eq!(job.runs().await.len(), 1, "{slug}");
        let monitor = job.view().await.monitor;
        assert!(monitor.description.contains(tells), "{slug}: {}", monitor.description);
        assert!(monitor.description.is_empty() == tells.is_empty(), "{slug}: {}", monitor.description);
    }
    assert_eq!(world.job("long-name").await.view().await.monitor.name, long[..100]);
    assert_eq!(world.job("two-lines").await.view().await.monitor.name, "a b");
    assert_eq!(world.job("years").await.view().await.monitor.schedule.text().lines, ["0 3 * * *"]);
}

#[tokio::test]
async fn many_first_pings_at_once_make_one_monitor() {
    let world = World::new().await;
    let path = format!("/ping/{}/herd?create=1", world.project().ping_key);
    let pings = (0..20).map(|_| world.post(&path, ""));
    let answers = futures_util::future::join_all(pings).await;
    assert!(answers.iter().all(|reply| reply.status.is_success()));
    assert_eq!(answers.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(world.job("herd").await.runs().await.len(), 20);
}
