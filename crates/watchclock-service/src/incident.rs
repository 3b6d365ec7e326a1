//! Incidents as looked at, acknowledged and commented. Neighbour: `monitor` resolves them under the monitor's lock.

use uuid::Uuid;
use watchclock_domain::incident::{Incident, IncidentEvent};
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
        let events = self.store().incident_events(id).await?;
        let deliveries = self.store().deliveries_of_incident(id).await?;
        Ok(IncidentView { incident, events, deliveries })
    }

    /// Stops reminders; the incident stays open.
    pub async fn acknowledge_incident(&self, project: Uuid, id: Uuid, by: &str) -> ServiceResult<()> {
        let now = self.now();
        self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let mut tx = self.store().begin().await?;
        if !self.store().acknowledge(&mut tx, id, by, now).await? {
            return Err(ServiceError::Conflict(
                "the incident is resolved or acknowledged already".to_owned(),
            ));
        }
        let event = IncidentEvent {
            incident: id,
            at: now,
            event: "acknowledged",
            by: Some(by.to_owned()),
            text: String::new(),
        };
        self.store().add_events(&mut tx, &[event]).await?;
        Ok(self.store().commit(tx).await?)
    }

    pub async fn comment_incident(&self, project: Uuid, id: Uuid, by: &str, text: &str) -> ServiceResult<()> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > 4_000 || text.contains('\0') {
            return Err(ServiceError::invalid("text", "a comment has 1 to 4000 characters"));
        }
        self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let event = IncidentEvent {
            incident: id,
            at: self.now(),
            event: "comment",
            by: Some(by.to_owned()),
            text: text.to_owned(),
        };
        let mut tx = self.store().begin().await?;
        self.store().add_events(&mut tx, &[event]).await?;
        Ok(self.store().commit(tx).await?)
    }
}
