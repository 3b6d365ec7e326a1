//! Channels: making, changing and testing them. What a kind means is the notifier's; secrets are sealed here.

use std::time::Duration;

use uuid::Uuid;
use watchclock_domain::{monitor::ChannelChoice, problem::Problem};
use watchclock_notify::{Alert, check_target, webhook_secret};
pub use watchclock_notify::{EmailSettings, TargetSettings, WebhookSettings};
pub use watchclock_store::delivery::DeliveryRow;
use watchclock_store::{AlertRow, Tx, channel::Channel};

use crate::{ServiceError, ServiceResult, Watchclock, secret, version};

/// A channel as looked at; its secret is never among what is shown.
#[derive(Debug, Clone)]
pub struct ChannelView {
    pub id: Uuid,
    pub name: String,
    pub enabled: bool,
    pub settings: TargetSettings,
    pub last_delivery: Option<DeliveryRow>,
    /// Another one after each change.
    pub version: i64,
}

/// What is to be set on a channel.
#[derive(Debug, Clone)]
pub struct ChannelChange {
    pub name: String,
    pub enabled: bool,
    pub settings: TargetSettings,
    /// A signing secret brought along; none keeps the one that is there, or makes one.
    pub secret: Option<String>,
}

impl Watchclock {
    pub async fn channels(&self, project: Uuid) -> ServiceResult<Vec<ChannelView>> {
        let channels = self.store().channels(project).await?;
        let ids: Vec<Uuid> = channels.iter().map(|channel| channel.id).collect();
        let mut last = self.store().last_deliveries(&ids).await?;
        Ok(channels
            .into_iter()
            .filter_map(|channel| {
                let at = last.iter().position(|delivery| delivery.channel_id == channel.id);
                view(channel, at.map(|at| last.swap_remove(at)))
            })
            .collect())
    }

    pub async fn channel(&self, project: Uuid, id: Uuid) -> ServiceResult<ChannelView> {
        let channel = self.store().channel(project, id).await?.ok_or(ServiceError::NotFound)?;
        let last = self.store().last_deliveries(&[id]).await?.pop();
        view(channel, last).ok_or(ServiceError::NotFound)
    }

    /// Makes a channel. A webhook that brings no secret gets one, returned this once.
    pub async fn create_channel(
        &self,
        project: Uuid,
        change: ChannelChange,
    ) -> ServiceResult<(ChannelView, Option<String>)> {
        self.check_channel(&change)?;
        let is_webhook = matches!(change.settings, TargetSettings::Webhook(_));
        let made = (is_webhook && change.secret.is_none()).then(|| webhook_secret(&secret::random()));
        let secret = change.secret.clone().filter(|_| is_webhook).or_else(|| made.clone());
        let now = self.now();
        let channel = Channel {
            id: self.new_id(),
            project_id: project,
            kind: change.settings.kind().to_owned(),
            name: change.name.trim().to_owned(),
            enabled: change.enabled,
            settings: serde_json::to_value(&change.settings).unwrap_or_default(),
            secrets: secret.map(|secret| self.inner.seal.seal(&secret)),
            created_at: now,
            updated_at: now,
        };
        self.store().add_channel(&channel).await?;
        Ok((self.channel(project, channel.id).await?, made))
    }

    /// Sets everything of a channel but its kind, which stays. With a version, only while that is the one.
    pub async fn update_channel(
        &self,
        project: Uuid,
        id: Uuid,
        version: Option<i64>,
        change: ChannelChange,
    ) -> ServiceResult<ChannelView> {
        let edit = |before: &ChannelView| version::check(version, before.version).map(|()| change);
        self.change_channel(project, id, edit).await
    }

    /// Changes a channel from what it is: two who change different things at once both get what they want.
    pub async fn change_channel<E: From<ServiceError>>(
        &self,
        project: Uuid,
        id: Uuid,
        edit: impl FnOnce(&ChannelView) -> Result<ChannelChange, E>,
    ) -> Result<ChannelView, E> {
        let mut tx = self.store().begin().await.map_err(ServiceError::from)?;
        let locked = self.store().lock_channel(&mut tx, project, id).await.map_err(ServiceError::from)?;
        let channel = locked.ok_or(ServiceError::NotFound)?;
        let before = view(channel.clone(), None).ok_or(ServiceError::NotFound)?;
        let change = edit(&before)?;
        self.write_channel(tx, channel, change).await?;
        Ok(self.channel(project, id).await?)
    }

    async fn write_channel(
        &self,
        mut tx: Tx,
        mut channel: Channel,
        change: ChannelChange,
    ) -> ServiceResult<()> {
        self.check_channel(&change)?;
        if channel.kind != change.settings.kind() {
            return Err(ServiceError::invalid(
                "kind",
                "the kind of a channel cannot change; make another one",
            ));
        }
        change.name.trim().clone_into(&mut channel.name);
        channel.enabled = change.enabled;
        channel.settings = serde_json::to_value(&change.settings).unwrap_or_default();
        if let Some(secret) = &change.secret {
            channel.secrets = Some(self.inner.seal.seal(secret));
        }
        channel.updated_at = version::changed(channel.updated_at, self.now());
        self.store().update_channel(&mut tx, &channel).await?;
        Ok(self.store().commit(tx).await?)
    }

    /// Nothing is sent to it any more; what it was told stays with the incidents.
    pub async fn delete_channel(&self, project: Uuid, id: Uuid) -> ServiceResult<()> {
        if self.store().remove_channel(project, id, self.now()).await? {
            Ok(())
        } else {
            Err(ServiceError::NotFound)
        }
    }

    /// Sends a real alert through the ledger and waits a while for its first answer; none when it is still on its way.
    pub async fn test_channel(&self, project: Uuid, id: Uuid) -> ServiceResult<TestResult> {
        let channel = self.store().channel(project, id).await?.ok_or(ServiceError::NotFound)?;
        let project = self.store().project(project).await?.ok_or(ServiceError::NotFound)?;
        let now = self.now();
        let (alert_id, delivery) = (self.new_id(), self.new_id());
        let local = watchclock_domain::schedule::Zone::utc().show(now);
        let alert = Alert::test(alert_id, &project.name, &channel.name, now, &local);
        let row = AlertRow {
            id: alert_id,
            project: project.id,
            incident: Uuid::nil(),
            event: "test".to_owned(),
            sequence: 1,
            at: now,
            due_at: now,
            content: serde_json::to_value(&alert).unwrap_or_default(),
            channels: vec![(delivery, channel.id)],
        };
        let mut tx = self.store().begin().await?;
        self.store().queue_alerts(&mut tx, &[row]).await?;
        self.store().commit(tx).await?;
        self.inner.wakes.deliverer.notify_one();
        // The deliverer settles it; we only look, for as long as somebody will wait at a page.
        for _ in 0..160 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if let Some((status, Some(answer))) = self.store().delivery_status(delivery).await? {
                return Ok(TestResult { delivery, ok: Some(status == "sent"), answer });
            }
        }
        Ok(TestResult {
            delivery,
            ok: None,
            answer: "still being sent; see the channel's last delivery".to_owned(),
        })
    }

    fn check_channel(&self, change: &ChannelChange) -> ServiceResult<()> {
        let problems = self.channel_problems(change);
        if problems.is_empty() { Ok(()) } else { Err(ServiceError::Invalid(problems)) }
    }

    /// Everything that making or changing such a channel would be refused for.
    pub fn channel_problems(&self, change: &ChannelChange) -> Vec<Problem> {
        let mut problems = check_target(&change.settings, self.settings().allow_private_targets);
        let name = change.name.trim();
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            problems
                .push(Problem::new("name", "a channel needs a name of at most 100 characters, on one line"));
        }
        if let Some(secret) = &change.secret {
            problems.extend(WebhookSettings::check_secret(secret));
        }
        problems
    }

    /// Which channels of a project hear of a monitor, by name; for pages.
    pub async fn channels_of(
        &self,
        project: Uuid,
        choice: &ChannelChoice,
    ) -> ServiceResult<Vec<ChannelView>> {
        let mut channels = self.channels(project).await?;
        if let ChannelChoice::Some(ids) = choice {
            channels.retain(|channel| ids.contains(&channel.id));
        }
        Ok(channels)
    }
}

/// What came of a channel's test.
#[derive(Debug, Clone)]
pub struct TestResult {
    pub delivery: Uuid,
    /// None while it is still on its way.
    pub ok: Option<bool>,
    /// The receiver's answer.
    pub answer: String,
}

/// None when the stored settings cannot be read; such a channel shows in the log of each delivery.
fn view(channel: Channel, last_delivery: Option<DeliveryRow>) -> Option<ChannelView> {
    match serde_json::from_value(channel.settings) {
        Ok(settings) => Some(ChannelView {
            id: channel.id,
            name: channel.name,
            enabled: channel.enabled,
            settings,
            last_delivery,
            version: version::of(channel.updated_at),
        }),
        Err(error) => {
            tracing::error!(%error, channel = %channel.id, "the settings of a channel cannot be read");
            None
        }
    }
}
