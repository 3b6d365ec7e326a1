//! The deliverer's tick: claim with a lease, send outside any transaction, settle.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::Duration;
use rand::RngExt as _;
use tokio::task::JoinSet;
use uuid::Uuid;
use watchclock_domain::Time;
use watchclock_notify::{Alert, Delivery, Outcome, TargetSettings};
use watchclock_store::{
    StoreResult,
    delivery::{Claimed, Settled},
};

use crate::{ServiceResult, Watchclock};

/// Longer than any send may take, so that a lease ends only when its holder is gone.
pub(crate) const LEASE: Duration = Duration::seconds(60);
/// Sends at once to one channel; one that hangs delays nobody else.
const EACH_CHANNEL: usize = 4;
/// Sends at once in all.
const ALL_CHANNELS: usize = 64;
/// After this long without success, a delivery is given up.
const KEEP_TRYING: Duration = Duration::hours(24);

/// The deliverer's heartbeat.
pub(crate) const DELIVERER: &str = "deliverer";

/// Sends in progress by channel, of this server.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashMap<Uuid, usize>>);

impl InFlight {
    fn add(&self, channel: Uuid) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(channel).or_default() += 1;
    }

    fn remove(&self, channel: Uuid) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&channel) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&channel);
            }
        }
    }

    fn busy(&self) -> (Vec<Uuid>, usize) {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = counts.iter().filter(|(_, count)| **count >= EACH_CHANNEL).map(|(channel, _)| *channel);
        (busy.collect(), counts.values().sum())
    }
}

impl Watchclock {
    /// Sends everything that is due and waits for it; for tests and commands.
    pub async fn deliver(&self) -> ServiceResult<()> {
        let mut sending = JoinSet::new();
        loop {
            self.claim_and_spawn(&mut sending).await?;
            if sending.is_empty() {
                return Ok(());
            }
            while sending.join_next().await.is_some() {}
        }
    }

    /// Claims what is due and starts sending it; tells when it should be called next.
    pub(crate) async fn claim_and_spawn(&self, sending: &mut JoinSet<()>) -> ServiceResult<Option<Time>> {
        let now = self.now();
        self.store().beat(DELIVERER, now).await?;
        loop {
            let (busy, in_flight) = self.inner.in_flight.busy();
            let room = ALL_CHANNELS.saturating_sub(in_flight);
            if room == 0 {
                break;
            }
            let limit = i64::try_from(room).unwrap_or(1);
            let claimed = self
                .store()
                .claim_deliveries(now, now + LEASE, &busy, i64::try_from(EACH_CHANNEL).unwrap_or(1), limit)
                .await?;
            if claimed.is_empty() {
                break;
            }
            for delivery in claimed {
                self.inner.in_flight.add(delivery.channel_id);
                let this = self.clone();
                sending.spawn(async move {
                    let (id, channel) = (delivery.id, delivery.channel_id);
                    if let Err(error) = this.send_and_settle(delivery).await {
                        tracing::error!(%error, delivery = %id, "a delivery could not be settled; its lease will end");
                    }
                    this.inner.in_flight.remove(channel);
                    this.inner.wakes.deliverer.notify_one();
                });
            }
        }
        // What is due and was not claimed waits for a busy channel or for an earlier alert; its end wakes us.
        let next = self.store().next_delivery().await?;
        Ok(next.map(|next| if next <= now { now + Duration::seconds(1) } else { next }))
    }

    async fn send_and_settle(&self, claimed: Claimed) -> StoreResult<()> {
        let outcome = self.send(&claimed).await?;
        let now = self.now();
        let mut reached = self.inner.notifier.reached(claimed.id);
        reached.extend(claimed.reached.iter().cloned());
        reached.sort_unstable();
        reached.dedup();
        let (settled, answer) = match outcome {
            Outcome::Sent(answer) => (Settled::Sent, answer),
            Outcome::GaveUp(answer) => (Settled::GaveUp, answer),
            Outcome::Retry(answer) if now - claimed.created_at >= KEEP_TRYING => {
                (Settled::GaveUp, format!("{answer} (given up after 24 h)"))
            }
            Outcome::Retry(answer) => (Settled::Retry(now + back_off(claimed.attempts)), answer),
        };
        if settled != Settled::Sent {
            tracing::warn!(delivery = %claimed.id, ?settled, answer, "an alert was not delivered");
        }
        self.store().settle_delivery(claimed.id, now, settled, &answer, &reached).await
    }

    async fn send(&self, claimed: &Claimed) -> StoreResult<Outcome> {
        let Some(channel) = self.store().any_channel(claimed.channel_id).await? else {
            return Ok(Outcome::GaveUp("the channel is gone".to_owned()));
        };
        let alert: Alert = match serde_json::from_value(claimed.content.clone()) {
            Ok(alert) => alert,
            Err(error) => return Ok(Outcome::GaveUp(format!("the stored alert cannot be read: {error}"))),
        };
        let settings: TargetSettings = match serde_json::from_value(channel.settings.clone()) {
            Ok(settings) => settings,
            Err(error) => {
                return Ok(Outcome::GaveUp(format!("the channel's settings cannot be read: {error}")));
            }
        };
        let secret = match &channel.secrets {
            None => String::new(),
            Some(sealed) => match self.inner.seal.open(sealed) {
                Some(secret) => secret,
                None => {
                    return Ok(Outcome::GaveUp(
                        "the channel's secret was sealed with another key; enter it again".to_owned(),
                    ));
                }
            },
        };
        let mut delivery = Delivery::new(claimed.id, channel.name, settings.with_secret(secret), alert);
        delivery.reached.clone_from(&claimed.reached);
        delivery.attempt = u32::try_from(claimed.attempts).unwrap_or(0) + 1;
        Ok(self.inner.notifier.send(&delivery).await)
    }
}

/// 5 s, 10 s, 20 s … 1 h, each with up to a quarter of jitter.
fn back_off(attempts: i32) -> Duration {
    let seconds = 5u64.saturating_mul(1 << attempts.clamp(0, 10)).min(3_600);
    let jitter = rand::rng().random_range(0..=seconds * 250);
    Duration::milliseconds(i64::try_from(seconds * 1_000 + jitter).unwrap_or(3_600_000))
}
