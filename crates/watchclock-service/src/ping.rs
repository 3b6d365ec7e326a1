//! A ping, from the edge to its answer. Neighbour: `intake` gathers those that arrive together.

use std::sync::Arc;

use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor, ping::Ping, ping_limit::TooSoon, run::Run, schedule::ScheduleText, span,
};

use crate::{ServiceError, ServiceResult, Watchclock, monitor::MonitorChange};

/// How a ping names its monitor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PingTo {
    Id(Uuid),
    Slug { ping_key: String, slug: String },
}

/// What `?create=1` asked for, as text; nothing in it can cost the ping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CreateMissing {
    pub schedule: Option<String>,
    pub tz: Option<String>,
    pub grace: Option<String>,
    pub name: Option<String>,
}

/// One ping at the door.
#[derive(Debug, Clone)]
pub struct PingRequest {
    pub to: PingTo,
    pub ping: Ping,
    pub create: Option<CreateMissing>,
    /// GET or HEAD, which link prefetchers send too.
    pub is_get: bool,
}

/// What a stored ping is answered with.
#[derive(Debug, Clone)]
pub struct PingAnswer {
    pub monitor: Arc<Monitor>,
    /// None for a log that no run took.
    pub run: Option<Run>,
    /// The active run because of which a start was refused.
    pub refused_by: Option<Run>,
    pub created: bool,
}

#[derive(Debug, Clone, Copy, thiserror::Error)]
pub enum PingError {
    #[error("not found")]
    NotFound,
    /// The monitor takes signals by POST only.
    #[error("this monitor takes pings by POST only")]
    PostOnly,
    /// It came too soon after others; it was counted, not taken.
    #[error(
        "too many pings: this monitor takes {} a minute; this one was not recorded, send it again in {} s",
        .0.limit.per_minute(),
        .0.wait_seconds
    )]
    TooSoon(TooSoon),
    /// It was not stored; the job may send it again.
    #[error("nothing can be stored now")]
    Unavailable,
}

impl Watchclock {
    /// Stores a ping. What is answered is durable.
    pub fn ping(
        &self,
        request: PingRequest,
    ) -> impl Future<Output = Result<PingAnswer, PingError>> + Send + '_ {
        // It is large, and handed on several times.
        let mut request = Box::new(request);
        async move {
            let created = match request.create.take() {
                Some(create) => Box::pin(self.create_missing(&request.to, &create)).await?,
                None => false,
            };
            let mut answer = self.inner.intake.take(request).await?;
            answer.created = created;
            Ok(answer)
        }
    }

    /// Makes a monitor; its description tells what was left out.
    async fn create_described(
        &self,
        project: Uuid,
        change: &MonitorChange,
        notes: &[String],
    ) -> ServiceResult<()> {
        let description = notes.join("; ").chars().take(MOST_TOLD).collect();
        let change = MonitorChange { description: Some(description), ..change.clone() };
        self.create_monitor(project, change).await.map(drop)
    }

    /// Makes the monitor that a slug names, if the ping key is right and there is none yet.
    async fn create_missing(&self, to: &PingTo, create: &CreateMissing) -> Result<bool, PingError> {
        let PingTo::Slug { ping_key, slug } = to else { return Ok(false) };
        let unavailable = |error: ServiceError| {
            tracing::warn!(%error, "could not create the monitor of a ping");
            PingError::Unavailable
        };
        let project = self
            .store()
            .project_by_ping_key(ping_key)
            .await
            .map_err(|error| unavailable(error.into()))?
            .ok_or(PingError::NotFound)?;
        let exists = self
            .store()
            .monitor_by_slug(project.id, slug)
            .await
            .map_err(|error| unavailable(error.into()))?;
        if exists.is_some() {
            return Ok(false);
        }
        let (mut change, mut notes) = created_as(slug, create);
        let mut made = self.create_described(project.id, &change, &notes).await;
        if let Err(ServiceError::Invalid(problems)) = &made {
            // What can be read and still cannot be: a schedule that expects nothing with the calendars of the project,
            // a grace of years. The ping counts for more.
            for problem in problems {
                let what = leave_out(&mut change, &problem.field);
                notes.extend(what.map(|what| {
                    format!("the {what} given with the first ping is left out: {}", problem.message)
                }));
            }
            made = self.create_described(project.id, &change, &notes).await;
        }
        match made {
            Ok(()) => Ok(true),
            // Another ping was first.
            Err(ServiceError::Taken(_)) => Ok(false),
            Err(ServiceError::Invalid(problems)) => {
                // The slug itself cannot be one.
                tracing::info!(?problems, "a ping asked for a monitor that cannot be");
                Err(PingError::NotFound)
            }
            Err(error) => Err(unavailable(error)),
        }
    }
}

/// Takes what a problem is about out of a monitor, and says what that was.
fn leave_out(change: &mut MonitorChange, field: &str) -> Option<&'static str> {
    match field {
        "grace" => change.grace.take().map(|_| "grace"),
        "calendars" => change.schedule.take().map(|_| "schedule"),
        field if field.starts_with("schedule") => change.schedule.take().map(|_| "schedule"),
        _ => None,
    }
}

/// The monitor that a ping asked for. What cannot be understood is left out and told in the description.
fn created_as(slug: &str, create: &CreateMissing) -> (MonitorChange, Vec<String>) {
    let mut notes = Vec::new();
    let mut change = MonitorChange { slug: Some(slug.to_owned()), ..MonitorChange::default() };
    let name = create.name.as_deref().map(printable).filter(|name| !name.is_empty());
    change.name = Some(name.unwrap_or_else(|| slug.to_owned()));
    if let Some(text) = &create.schedule {
        match ScheduleText::from_shorthand(text, create.tz.as_deref()) {
            Ok(schedule) => change.schedule = Some(schedule),
            Err(problems) => {
                let why: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
                notes.push(format!(
                    "the schedule `{text}` given with the first ping is left out: {}",
                    why.join("; ")
                ));
            }
        }
    }
    if let Some(text) = &create.grace {
        match span::parse(text) {
            Ok(grace) => change.grace = Some(grace),
            Err(problem) => {
                let why = problem.message;
                notes.push(format!("the grace `{text}` given with the first ping is left out: {why}"));
            }
        }
    }
    (change, notes)
}

/// How much of what was left out a description tells, in characters.
const MOST_TOLD: usize = 2_000;

/// Longest name of a monitor, in characters.
const MOST_NAME: usize = 100;

/// A name as one line of at most [`MOST_NAME`] characters: for a formality no ping is lost.
fn printable(name: &str) -> String {
    let spaced: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.trim().chars().take(MOST_NAME).collect::<String>().trim().to_owned()
}
