//! A job as the server sees it: sends the pings of one monitor and looks at what became of them. Neighbour: `monitor` makes one.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode},
};
use uuid::Uuid;
use watchclock_domain::{incident::Incident, monitor::Monitor, run::Run};
use watchclock_service::{
    incident::{IncidentFilter, IncidentView},
    monitor::{MonitorChange, MonitorView},
    run::RunFilter,
};

use crate::{
    tape,
    world::{Stage, World},
};

/// What a request was answered with.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    pub async fn of(response: axum::response::Response) -> Self {
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("the body can be read");
        Self { status: parts.status, headers: parts.headers, body }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// A header's value, empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Status and text: `409 refused: run #1 is active`.
    pub fn line(&self) -> String {
        format!("{} {}", self.status.as_u16(), self.text())
    }

    #[track_caller]
    fn expect_ok(self) -> Self {
        assert!(self.status.is_success(), "a ping was answered {}", self.line());
        self
    }
}

/// One job, from one machine. Cheap to clone; [`Job::from`] is the same job elsewhere.
#[derive(Debug, Clone)]
pub struct Job {
    stage: Arc<Stage>,
    pub monitor: Uuid,
    pub slug: String,
    addr: IpAddr,
    host: Option<String>,
}

impl Job {
    pub(crate) fn new(world: &World, monitor: &Monitor) -> Self {
        let stage = Arc::clone(world.stage());
        let (monitor, slug) = (monitor.id, monitor.slug.clone());
        Self { stage, monitor, slug, addr: IpAddr::V4(Ipv4Addr::LOCALHOST), host: None }
    }

    /// The same job on another machine: an address, or a name that it tells as `host`.
    #[must_use]
    pub fn from(&self, place: &str) -> Self {
        match place.parse() {
            Ok(addr) => Self { addr, ..self.clone() },
            Err(_) => Self { host: Some(place.to_owned()), ..self.clone() },
        }
    }

    /// Starts a run; an empty `rid` is none.
    pub async fn start(&self, rid: &str) -> Reply {
        self.signal("/start", rid, "").await.expect_ok()
    }

    /// Ends a run well.
    pub async fn end(&self, rid: &str) -> Reply {
        self.signal("", rid, "").await.expect_ok()
    }

    /// Ends a run well and reports something.
    pub async fn end_with(&self, rid: &str, body: &str) -> Reply {
        self.signal("", rid, body).await.expect_ok()
    }

    /// Ends a run badly.
    pub async fn fail(&self, rid: &str) -> Reply {
        self.signal("/fail", rid, "").await.expect_ok()
    }

    /// Adds output to a run.
    pub async fn log(&self, rid: &str, text: &str) -> Reply {
        self.signal("/log", rid, text).await.expect_ok()
    }

    /// A start, whatever it is answered with.
    pub async fn try_start(&self, rid: &str) -> Reply {
        self.signal("/start", rid, "").await
    }

    async fn signal(&self, path: &str, rid: &str, body: &str) -> Reply {
        let rid = if rid.is_empty() { String::new() } else { format!("?rid={rid}") };
        self.ping(&format!("{path}{rid}"), body).await
    }

    /// Any ping by POST: what follows the monitor's id in its address, and a body.
    pub async fn ping(&self, path: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = Body::from(body.as_ref().to_vec());
        self.send(self.request("POST", path).body(body).expect("a right request")).await
    }

    /// The beginning of a request to the address of a ping, with this job's host in the query.
    pub fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        let mut uri = format!("/ping/{}{path}", self.monitor);
        if let Some(host) = &self.host {
            let sign = if uri.contains('?') { '&' } else { '?' };
            uri = format!("{uri}{sign}host={host}");
        }
        Request::builder().method(method).uri(uri)
    }

    /// Sends a request as from this job's address.
    pub async fn send(&self, mut request: Request<Body>) -> Reply {
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(self.addr, 40_000)));
        self.stage.call(request).await
    }

    /// All its runs, in the order of their numbers.
    pub async fn runs(&self) -> Vec<Run> {
        let filter = RunFilter { monitor: Some(self.monitor), limit: 500, ..RunFilter::default() };
        let page = self.stage.watchclock().runs(self.stage.project.id, &filter).await;
        let mut runs = page.expect("runs can be listed").items;
        runs.sort_by_key(|run| run.number);
        runs
    }

    /// The run of this number.
    pub async fn run(&self, number: i64) -> Run {
        let runs = self.runs().await;
        let found = runs.iter().find(|run| run.number == number).cloned();
        found.unwrap_or_else(|| panic!("there is no run #{number}:\n{}", tape::of_runs(&runs)))
    }

    /// The kept output of the run of this number.
    pub async fn output(&self, number: i64) -> String {
        let run = self.run(number).await.id;
        let output = self.stage.watchclock().output(self.stage.project.id, run).await;
        output.expect("output can be read").map(|output| output.text()).unwrap_or_default()
    }

    /// Its runs as text, one line each: `#2 nightly-7 success 6m overlapped,pairing_assumed`.
    pub async fn tape(&self) -> String {
        tape::of_runs(&self.runs().await)
    }

    /// All its incidents, oldest first.
    pub async fn incidents(&self) -> Vec<Incident> {
        let filter = IncidentFilter { monitor: Some(self.monitor), limit: 500, ..IncidentFilter::default() };
        let page = self.stage.watchclock().incidents(self.stage.project.id, &filter).await;
        let mut incidents = page.expect("incidents can be listed").items;
        incidents.reverse();
        incidents
    }

    /// The only incident there is, with its story and its deliveries.
    pub async fn incident(&self) -> IncidentView {
        let incidents = self.incidents().await;
        assert_eq!(incidents.len(), 1, "one incident was expected:\n{}", tape::of_incidents(&incidents));
        self.incident_view(incidents[0].id).await
    }

    /// An incident with its story and its deliveries.
    pub async fn incident_view(&self, id: Uuid) -> IncidentView {
        self.stage.watchclock().incident(self.stage.project.id, id).await.expect("the incident exists")
    }

    /// Its incidents as text, one line each: `missed: no run started for … → a run started`.
    pub async fn story(&self) -> String {
        tape::of_incidents(&self.incidents().await)
    }

    /// The monitor as pages see it.
    pub async fn view(&self) -> MonitorView {
        let id = self.monitor.to_string();
        self.stage.watchclock().monitor(self.stage.project.id, &id).await.expect("the monitor exists")
    }

    /// Its health in a word.
    pub async fn health(&self) -> &'static str {
        self.view().await.health.word()
    }

    pub async fn pause(&self) {
        let done = self.stage.watchclock().pause_monitor(self.stage.project.id, self.monitor).await;
        done.expect("the monitor can be paused");
    }

    pub async fn resume(&self) {
        let done = self.stage.watchclock().resume_monitor(self.stage.project.id, self.monitor).await;
        done.expect("the monitor can be resumed");
    }

    /// Changes its configuration.
    pub async fn edit(&self, change: MonitorChange) {
        let done =
            self.stage.watchclock().update_monitor(self.stage.project.id, self.monitor, None, change).await;
        done.unwrap_or_else(|error| panic!("the monitor cannot be changed: {error}"));
    }

    pub async fn delete(&self) {
        let done = self.stage.watchclock().delete_monitor(self.stage.project.id, self.monitor).await;
        done.expect("the monitor can be deleted");
    }
}
