//! The stage of a scenario: a database, a clock that stands still, receivers of alerts, and a server in this process.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration as RealDuration,
};

use axum::{Router, body::Body, http::Request};
use chrono::Duration;
use tower::ServiceExt as _;
use uuid::Uuid;
use watchclock_domain::Time;
use watchclock_notify::{EmailSettings, Notifier, NotifySettings, TargetSettings, WebhookSettings};
use watchclock_service::{
    Settings, Watchclock,
    channel::ChannelChange,
    clock::{Clock as _, ManualClock},
    project::Project,
    secret::Seal,
    watch::WATCHER,
};
use watchclock_store::Store;
use watchclock_web::WebSettings;

use crate::{
    database::Database,
    job::{Job, Reply},
    monitor::{MonitorBuilder, span_of},
    smtp::{Mail, SmtpSink},
    webhook::WebhookReceiver,
};

/// Where alerts say that we are; under `.test` nobody is.
const BASE_URL: &str = "https://clock.test";
/// Most deadlines that one step through time meets; more is a loop that does not end.
const MOST_STEPS: usize = 20_000;

/// One server process, as far as that can be had within one process.
#[derive(Debug, Clone)]
struct Server {
    watchclock: Watchclock,
    router: Router,
}

/// What jobs share with their world.
#[derive(Debug)]
pub(crate) struct Stage {
    server: Mutex<Server>,
    pub(crate) project: Project,
    store: Store,
    clock: Arc<ManualClock>,
    smtp_url: String,
    seal: Seal,
    // Last, so that the database is dropped when everything else is gone.
    database: Database,
}

impl Stage {
    fn server(&self) -> Server {
        self.server.lock().expect("no test panics while it holds this lock").clone()
    }

    pub(crate) fn watchclock(&self) -> Watchclock {
        self.server().watchclock
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Reply {
        let response = self.server().router.oneshot(request).await.expect("a router always answers");
        Reply::of(response).await
    }

    /// Another server on the same database, with a pool of its own.
    fn new_server(&self) -> Server {
        server(self.database.store(), &self.clock, &self.smtp_url, self.seal.clone())
    }
}

/// A whole instance for one test, with the e-mail channel `ops` (to `ops@example.org`) and without any monitor.
#[derive(Debug)]
pub struct World {
    /// Receives the mails.
    pub smtp: SmtpSink,
    stage: Arc<Stage>,
}

impl World {
    /// It is Monday, 2027-01-04, 00:00 UTC.
    pub async fn new() -> Self {
        let world = Self::without_channels().await;
        world.add_email("ops", &["ops@example.org"]).await;
        world
    }

    /// The same, telling nobody.
    pub async fn without_channels() -> Self {
        let smtp = SmtpSink::start().await;
        let database = Database::new().await;
        let store = database.store();
        let clock = Arc::new(ManualClock::new(time("2027-01-04T00:00:00Z")));
        let seal = Seal::new(&[7; 32]);
        let first = server(store.clone(), &clock, &smtp.url(), seal.clone());
        let project = first.watchclock.create_project("default", "Default", None).await;
        let project = project.expect("a project can be made");
        let smtp_url = smtp.url();
        let stage = Stage { server: Mutex::new(first), project, store, clock, smtp_url, seal, database };
        Self { smtp, stage: Arc::new(stage) }
    }

    pub(crate) fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// The service of the server.
    pub fn watchclock(&self) -> Watchclock {
        self.stage.watchclock()
    }

    pub fn store(&self) -> &Store {
        &self.stage.store
    }

    pub fn database(&self) -> &Database {
        &self.stage.database
    }

    pub fn project(&self) -> &Project {
        &self.stage.project
    }

    pub fn now(&self) -> Time {
        self.stage.clock.now()
    }

    /// Sets the clock without anything happening on the way but the heartbeat; see [`World::until`] for what does.
    pub fn at(&self, moment: &str) {
        self.stage.clock.set(time(moment));
        let beat = format!(
            "insert into heartbeats (name, at) values ('{WATCHER}', '{moment}')
             on conflict (name) do update set at = excluded.at"
        );
        self.stage.database.execute_at_once(beat);
    }

    /// The server is killed, and another one starts after a while.
    pub fn down_for(&self, span: &str) {
        self.stage.clock.set(self.now() + span_of(span));
        self.restart();
    }

    /// Sets the clock of the machine, as if nothing had happened; backwards, too.
    pub fn set_clock(&self, moment: &str) {
        self.stage.clock.set(time(moment));
    }

    /// Goes on to a moment with a heart that beats on the way.
    async fn beat_until(&self, moment: Time) {
        self.stage.clock.set(moment);
        self.stage.store.beat(WATCHER, moment).await.expect("the heart can beat");
    }

    /// Lets a span pass, `4h`: at every deadline on the way the server evaluates and delivers.
    pub async fn advance(&self, span: &str) {
        self.pass(self.now() + span_of(span)).await;
    }

    /// Lets time pass until a moment.
    pub async fn until(&self, moment: &str) {
        self.pass(time(moment)).await;
    }

    async fn pass(&self, target: Time) {
        assert!(target >= self.now(), "time passes forward only: {target} is before {}", self.now());
        let mut last = None;
        for _ in 0..MOST_STEPS {
            let next = self.tick().await.filter(|next| *next <= target);
            let Some(next) = next else {
                if self.now() < target {
                    self.beat_until(target).await;
                    continue;
                }
                return;
            };
            assert!(
                next > self.now() || last != Some(next),
                "something stays due at {next} although the server has ticked"
            );
            last = Some(next);
            self.beat_until(next.max(self.now())).await;
        }
        panic!("more than {MOST_STEPS} deadlines until {target}; it is {}", self.now());
    }

    /// Evaluates and delivers what is due now; tells when something is due next.
    pub async fn tick(&self) -> Option<Time> {
        let watchclock = self.watchclock();
        let deadline = watchclock.evaluate().await.expect("the evaluator ticks");
        watchclock.deliver().await.expect("the deliverer ticks");
        let delivery = self.stage.store.next_delivery().await.expect("deliveries can be read");
        deadline.into_iter().chain(delivery).min()
    }

    /// Begins the description of a monitor.
    pub fn monitor(&self, name: &str) -> MonitorBuilder<'_> {
        MonitorBuilder::new(self, name)
    }

    /// The job of a monitor that exists already, made by a ping for instance.
    pub async fn job(&self, slug: &str) -> Job {
        let view = self.watchclock().monitor(self.project().id, slug).await;
        Job::new(self, &view.unwrap_or_else(|error| panic!("{slug}: {error}")).monitor)
    }

    /// Delivers what is due and returns all mails so far, oldest first.
    pub async fn mails(&self) -> Vec<Mail> {
        self.watchclock().deliver().await.expect("the deliverer ticks");
        self.smtp.mails()
    }

    /// The subjects of [`World::mails`].
    pub async fn subjects(&self) -> Vec<String> {
        self.mails().await.iter().map(Mail::subject).collect()
    }

    /// Adds an e-mail channel.
    pub async fn add_email(&self, name: &str, to: &[&str]) -> Uuid {
        let to = to.iter().map(|&to| to.to_owned()).collect();
        self.add_channel(name, TargetSettings::Email(EmailSettings { to })).await.0
    }

    /// Adds a webhook channel to a receiver; returns its id and its signing secret.
    pub async fn add_webhook(&self, name: &str, receiver: &WebhookReceiver) -> (Uuid, String) {
        let settings = WebhookSettings { url: receiver.url(), headers: Vec::new() };
        let (id, secret) = self.add_channel(name, TargetSettings::Webhook(settings)).await;
        (id, secret.expect("a webhook gets a secret"))
    }

    async fn add_channel(&self, name: &str, settings: TargetSettings) -> (Uuid, Option<String>) {
        let change = ChannelChange { name: name.to_owned(), enabled: true, settings, secret: None };
        let made = self.watchclock().create_channel(self.project().id, change).await;
        let (view, secret) = made.expect("a channel can be made");
        (view.id, secret)
    }

    /// Any request, called without a socket.
    pub async fn call(&self, request: Request<Body>) -> Reply {
        self.stage.call(request).await
    }

    /// A GET, called without a socket.
    pub async fn get(&self, path: &str) -> Reply {
        let request = Request::get(path).body(Body::empty()).expect("a right request");
        self.stage.call(request).await
    }

    /// A POST, called without a socket.
    pub async fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = Body::from(body.as_ref().to_vec());
        let request = Request::post(path).body(body).expect("a right request");
        self.stage.call(request).await
    }

    /// The server stops and starts again: nothing is left but what is in the database.
    pub fn restart(&self) {
        let new = self.stage.new_server();
        *self.stage.server.lock().expect("no test panics while it holds this lock") = new;
    }

    /// A second server on the same database.
    pub fn second_server(&self) -> Watchclock {
        self.stage.new_server().watchclock
    }

    /// The way into a second server on the same database, by HTTP.
    pub fn second_router(&self) -> Router {
        self.stage.new_server().router
    }

    /// The way into the server by HTTP.
    pub fn router(&self) -> Router {
        self.stage.server().router
    }

    /// Serves on a real socket of 127.0.0.1 until the test ends.
    pub async fn listen(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let service = self.router().into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        address
    }
}

/// A moment as written in RFC 3339.
pub fn time(text: &str) -> Time {
    text.parse().unwrap_or_else(|error| panic!("`{text}` is no time: {error}"))
}

fn server(store: Store, clock: &Arc<ManualClock>, smtp_url: &str, seal: Seal) -> Server {
    let mut notify = NotifySettings::new(BASE_URL);
    notify.smtp_url = Some(smtp_url.to_owned());
    notify.allow_private_targets = true;
    notify.connect_timeout = RealDuration::from_secs(2);
    notify.total_timeout = RealDuration::from_secs(2);
    let notifier = Notifier::new(notify).expect("the settings are right");
    let settings =
        Settings { base_url: BASE_URL.to_owned(), allow_private_targets: true, mail_configured: true };
    let watchclock = Watchclock::new(store, notifier, Arc::<ManualClock>::clone(clock), settings, seal);
    let web = WebSettings { version: "0.0.0-test", ..WebSettings::default() };
    let router = watchclock_web::app(watchclock.clone(), web);
    Server { watchclock, router }
}

/// Adds a written span to a moment: `after(world.now(), "10m")`.
pub fn after(moment: Time, span: &str) -> Time {
    moment + span_of(span)
}

/// Whole minutes, for durations in expectations.
pub fn minutes(minutes: i64) -> Duration {
    Duration::minutes(minutes)
}
