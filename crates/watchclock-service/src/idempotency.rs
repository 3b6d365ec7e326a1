//! Requests that may be sent again with the same key: the first is carried out, the others get its answer.
//!
//! Answers are sealed with the instance's key: some hold a secret that is shown this once.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::Duration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{ServiceError, ServiceResult, Watchclock};

/// After so long without an answer, a request was abandoned (its server died) and may be carried out again.
const ABANDONED: Duration = Duration::minutes(1);

/// An answer as it is given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// A request with a key, before it is carried out.
#[derive(Debug)]
pub enum Repeat {
    /// Nobody sent it before: carry it out and settle it.
    New(Held),
    /// It was answered already.
    Answered(KeptAnswer),
    /// It is being carried out just now.
    Open,
    /// The key came with another request.
    Other,
}

/// A key that is taken for a request; it is to be settled.
#[derive(Debug)]
pub struct Held {
    scope: Uuid,
    key: String,
    holder: Uuid,
    fingerprint: String,
}

/// What is sealed: of an open request only what tells it from others.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed {
    fingerprint: String,
    answer: Option<KeptAnswer>,
}

impl Watchclock {
    /// Takes a key within a scope (an API key's id). `fingerprint` tells one request from another.
    pub async fn take_key(&self, scope: Uuid, key: &str, fingerprint: &str) -> ServiceResult<Repeat> {
        let now = self.now();
        let held =
            Held { scope, key: key.to_owned(), holder: self.new_id(), fingerprint: fingerprint.to_owned() };
        let mut open = serde_json::json!({ "sealed": self.sealed(&held, None) });
        open["holder"] = held.holder.to_string().into();
        let since = now - Duration::hours(watchclock_store::idempotency::KEPT_HOURS);
        let found = self.store().take_key((scope, key), now, (since, now - ABANDONED), &open).await?;
        let Some(found) = found else { return Ok(Repeat::New(held)) };
        let sealed = found["sealed"].as_str().and_then(|sealed| self.unsealed(sealed)).ok_or_else(|| {
            ServiceError::Conflict(
                "what is kept under this key cannot be read any more; use another".to_owned(),
            )
        })?;
        if sealed.fingerprint != fingerprint {
            return Ok(Repeat::Other);
        }
        Ok(sealed.answer.map_or(Repeat::Open, Repeat::Answered))
    }

    /// Keeps the answer of a request for a day; without one the key is free again, since nothing was done.
    pub async fn settle_key(&self, held: Held, answer: Option<KeptAnswer>) -> ServiceResult<()> {
        let answer = answer.map(|answer| serde_json::json!({ "sealed": self.sealed(&held, Some(answer)) }));
        Ok(self.store().settle_key((held.scope, &held.key), held.holder, answer.as_ref()).await?)
    }

    fn sealed(&self, held: &Held, answer: Option<KeptAnswer>) -> String {
        let sealed = Sealed { fingerprint: held.fingerprint.clone(), answer };
        STANDARD.encode(self.inner.seal.seal(&serde_json::to_string(&sealed).unwrap_or_default()))
    }

    fn unsealed(&self, sealed: &str) -> Option<Sealed> {
        serde_json::from_str(&self.inner.seal.open(&STANDARD.decode(sealed).ok()?)?).ok()
    }
}
