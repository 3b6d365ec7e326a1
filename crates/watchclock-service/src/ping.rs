//! A ping, from the edge to its answer. Neighbour: `intake` gathers those that arrive together.

use std::sync::Arc;

use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor, ping::Ping, ping_limit::TooSoon, run::Run, schedule::ScheduleText, span,
};

use crate::{ServiceError, Watchclock, monitor::MonitorChange};

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
        let (change, mut notes) = created_as(slug, create);
        let described = |change: &MonitorChange, notes: &[String]| MonitorChange {
            description: Some(notes.join("; ")),
            ..change.clone()
        };
        let mut made = self.create_monitor(project.id, described(&change, &notes)).await;
        if let Err(ServiceError::Invalid(problems)) = &made
            && change.schedule.is_some()
            && problems.iter().all(|problem| is_about_slots(&problem.field))
        {
            // A schedule that can be read and still expects nothing, now and with the calendars of the project.
            notes.extend(problems.iter().map(|problem| {
                format!("the schedule given with the first ping is left out: {}", problem.message)
            }));
            let change = MonitorChange { schedule: None, ..change };
            made = self.create_monitor(project.id, described(&change, &notes)).await;
        }
        match made {
            Ok(_) => Ok(true),
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

/// Whether a problem is about when runs are expected, and not about what the monitor is called.
fn is_about_slots(field: &str) -> bool {
    field == "calendars" || field.starts_with("schedule")
}

/// The monitor that a ping asked for. What cannot be understood is left out and told in the description.
fn created_as(slug: &str, create: &CreateMissing) -> (MonitorChange, Vec<String>) {
    let mut notes = Vec::new();
    let mut change = MonitorChange { slug: Some(slug.to_owned()), ..MonitorChange::default() };
    change.name =
        Some(create.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| slug.to_owned()));
    if let Some(text) = &create.schedule {
        match ScheduleText::from_shorthand(text, create.tz.as_deref()) {
            Ok(schedule) if watchclock_domain::schedule::Schedule::compile(&schedule).is_ok() => {
                change.schedule = Some(schedule);
            }
            Ok(_) | Err(_) => {
                notes.push(format!("the schedule `{text}` given with the first ping is not valid"));
            }
        }
    }
    if let Some(text) = &create.grace {
        match span::parse(text) {
            Ok(grace) => change.grace = Some(grace),
            Err(_) => notes.push(format!("the grace `{text}` given with the first ping is not valid")),
        }
    }
    (change, notes)
}
