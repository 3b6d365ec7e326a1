//! Incidents as looked at, acknowledged and commented. Neighbour: `monitor` resolves them under the monitor's lock.

use std::collections::HashMap;

use uuid::Uuid;
use watchclock_domain::{
    Time,
    incident::{Incident, IncidentEvent},
};
pub use watchclock_store::incident::{EventRow, IncidentFilter};
use watchclock_store::{Page, delivery::DeliveryRow};

use crate::{ServiceError, ServiceResult, Watchclock};

/// An incident with its story and its deliveries.
#[derive(Debug, Clone)]
pub struct IncidentView {
    pub incident: Incident,
    pub events: Vec<EventRow>,
    pub deliveries: Vec<DeliveryRow>,
}

impl Watchclock {
    /// Incidents of a project, newest first.
    pub async fn incidents(&self, project: Uuid, filter: &IncidentFilter) -> ServiceResult<Page<Incident>> {
        Ok(self.store().incidents(project, filter).await?)
    }

    /// How many incidents of a project are open.
    pub async fn count_open_incidents(&self, project: Uuid) -> ServiceResult<u64> {
        Ok(u64::try_from(self.store().count_open_incidents(project).await?).unwrap_or(0))
    }

    /// What became of the alerts of incidents: how many deliveries of each have which status.
    pub async fn delivery_counts(&self, incidents: &[Uuid]) -> ServiceResult<Vec<(Uuid, String, i64)>> {
        Ok(self.store().delivery_counts(incidents).await?)
    }

    pub async fn incident(&self, project: Uuid, id: Uuid) -> ServiceResult<IncidentView> {
        let incident = self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        self.in_full(vec![incident]).await?.pop().ok_or(ServiceError::NotFound)
    }

    /// Incidents of a project, newest first, each with its story and its deliveries.
    pub async fn incident_views(
        &self,
        project: Uuid,
        filter: &IncidentFilter,
    ) -> ServiceResult<Page<IncidentView>> {
        let page = self.store().incidents(project, filter).await?;
        Ok(Page { items: self.in_full(page.items).await?, next: page.next })
    }

    async fn in_full(&self, incidents: Vec<Incident>) -> ServiceResult<Vec<IncidentView>> {
        let ids: Vec<Uuid> = incidents.iter().map(|incident| incident.id).collect();
        let mut events: HashMap<Uuid, Vec<EventRow>> = HashMap::new();
        for (incident, event) in self.store().events_of(&ids).await? {
            events.entry(incident).or_default().push(event);
        }
        let mut deliveries: HashMap<Uuid, Vec<DeliveryRow>> = HashMap::new();
        for (incident, delivery) in self.store().deliveries_of(&ids).await? {
            deliveries.entry(incident).or_default().push(delivery);
        }
        Ok(incidents
            .into_iter()
            .map(|incident| IncidentView {
                events: events.remove(&incident.id).unwrap_or_default(),
                deliveries: deliveries.remove(&incident.id).unwrap_or_default(),
                incident,
            })
            .collect())
    }

    /// Stops reminders; the incident stays open. Nothing happens to one that is acknowledged already.
    pub async fn acknowledge_incident(&self, project: Uuid, id: Uuid, by: &str) -> ServiceResult<()> {
        self.acknowledge_incident_saying(project, id, by, None).await
    }

    /// The same, with a comment.
    pub async fn acknowledge_incident_saying(
        &self,
        project: Uuid,
        id: Uuid,
        by: &str,
        text: Option<&str>,
    ) -> ServiceResult<()> {
        let now = self.now();
        let comment = comment(id, now, by, text)?;
        let incident = self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let mut tx = self.store().begin().await?;
        if self.store().acknowledge(&mut tx, (incident.monitor, id), by, now).await? {
            let event = IncidentEvent {
                incident: id,
                at: now,
                event: "acknowledged",
                by: Some(by.to_owned()),
                text: String::new(),
            };
            self.store().add_events(&mut tx, &[event]).await?;
        } else if !self.store().is_open(&mut tx, id).await? {
            return Err(ServiceError::Conflict("the incident is resolved already".to_owned()));
        }
        if let Some(comment) = comment {
            self.store().comment_once(&mut tx, &comment).await?;
        }
        Ok(self.store().commit(tx).await?)
    }

    pub async fn comment_incident(&self, project: Uuid, id: Uuid, by: &str, text: &str) -> ServiceResult<()> {
        let comment = comment(id, self.now(), by, Some(text))?;
        self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let mut tx = self.store().begin().await?;
        self.store().add_events(&mut tx, comment.as_slice()).await?;
        Ok(self.store().commit(tx).await?)
    }
}

/// What somebody says of an incident, checked.
pub(crate) fn comment(
    incident: Uuid,
    at: Time,
    by: &str,
    text: Option<&str>,
) -> ServiceResult<Option<IncidentEvent>> {
    let Some(text) = text.map(str::trim) else { return Ok(None) };
    if text.is_empty() || text.chars().count() > 4_000 || text.contains('\0') {
        return Err(ServiceError::invalid("text", "a comment has 1 to 4000 characters"));
    }
    let (by, text) = (Some(by.to_owned()), text.to_owned());
    Ok(Some(IncidentEvent { incident, at, event: "comment", by, text }))
}
