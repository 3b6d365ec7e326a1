//! A delivery as the API shows it, with incidents and channels.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::channel::DeliveryRow;

use super::shape::At;

/// One alert to one channel.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(super) struct DeliveryShape {
    /// Stays the same over retries: `webhook-id` and `Message-ID` are made of it.
    id: Uuid,
    /// The id of its channel.
    channel: Uuid,
    channel_name: String,
    /// What people should hear of.
    #[schema(example = "opened")]
    event: String,
    #[schema(example = "sent", pattern = "^(queued|sent|retry|gave_up|cancelled)$")]
    status: String,
    created_at: At,
    /// When it is tried next; only while it is on its way.
    due_at: Option<At>,
    settled_at: Option<At>,
    attempts: Vec<AttemptShape>,
}

/// One try of a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Attempt)]
struct AttemptShape {
    at: At,
    ok: bool,
    /// What the receiver said.
    #[schema(example = "250 2.0.0 Ok: queued")]
    answer: String,
}

impl DeliveryShape {
    pub(super) fn of(row: &DeliveryRow) -> Self {
        let is_on_its_way = matches!(row.status.as_str(), "queued" | "retry");
        Self {
            id: row.id,
            channel: row.channel_id,
            channel_name: row.channel_name.clone(),
            event: row.event.clone(),
            status: row.status.clone(),
            created_at: At(row.created_at),
            due_at: is_on_its_way.then_some(At(row.due_at)),
            settled_at: row.settled_at.map(At),
            attempts: row
                .attempts
                .iter()
                .map(|attempt| AttemptShape {
                    at: At(attempt.at),
                    ok: attempt.ok,
                    answer: attempt.answer.clone(),
                })
                .collect(),
        }
    }
}
