//! The sessions of a person, to be looked at and ended. Neighbour: `account` starts them.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{ServiceError, ServiceResult, Watchclock, secret};

/// A signed-in browser.
#[derive(Debug, Clone)]
pub struct Session {
    /// Tells sessions of one person apart; nobody can sign in with it.
    pub id: String,
    pub started_at: Time,
    pub last_seen_at: Time,
    pub user_agent: String,
    /// Whether it is the one that asks.
    pub is_this: bool,
}

impl Watchclock {
    /// Sessions of a user, the last seen first; `token` is of the one that asks.
    pub async fn sessions(&self, user: Uuid, token: &str) -> ServiceResult<Vec<Session>> {
        let this = secret::hash(token);
        let rows = self.store().sessions_of_user(user, self.now()).await?;
        Ok(rows
            .into_iter()
            .map(|row| Session {
                id: id(&row.token_hash),
                started_at: row.created_at,
                last_seen_at: row.last_seen_at,
                user_agent: row.user_agent,
                is_this: row.token_hash == this,
            })
            .collect())
    }

    /// Ends one session of a user.
    pub async fn end_session(&self, user: Uuid, session: &str) -> ServiceResult<()> {
        let rows = self.store().sessions_of_user(user, self.now()).await?;
        let row = rows.iter().find(|row| id(&row.token_hash) == session).ok_or(ServiceError::NotFound)?;
        Ok(self.store().end_session(&row.token_hash).await?)
    }

    /// Ends every session of a user but the one of `token`; tells how many those were.
    pub async fn end_other_sessions(&self, user: Uuid, token: &str) -> ServiceResult<usize> {
        let this = secret::hash(token);
        let rows = self.store().sessions_of_user(user, self.now()).await?;
        let others = rows.iter().filter(|row| row.token_hash != this);
        let mut ended = 0;
        for row in others {
            self.store().end_session(&row.token_hash).await?;
            ended += 1;
        }
        Ok(ended)
    }
}

/// The first half of what is kept: enough to tell sessions apart, too little to be compared with anything.
fn id(token_hash: &[u8]) -> String {
    let half = token_hash.first_chunk::<16>().copied().unwrap_or_default();
    Uuid::from_bytes(half).simple().to_string()
}
