//! Keys of the API.

use chrono::Duration;
use uuid::Uuid;
pub use watchclock_store::key::ApiKey;

use crate::{ServiceError, ServiceResult, Watchclock, secret};

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyRole {
    /// Send pings only.
    Ping,
    Read,
    /// Read and change everything of the project.
    Write,
}

impl KeyRole {
    pub const ALL: [Self; 3] = [Self::Ping, Self::Read, Self::Write];

    pub fn word(self) -> &'static str {
        match self {
            Self::Ping => "ping",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

impl Watchclock {
    /// Makes a key and returns it, this once, with what is kept of it.
    pub async fn add_key(&self, project: Uuid, name: &str, role: KeyRole) -> ServiceResult<(ApiKey, String)> {
        let name = name.trim();
        if name.chars().count() > 100 || name.chars().any(char::is_control) {
            return Err(ServiceError::invalid("name", "at most 100 characters, on one line"));
        }
        let token = format!("wc_{}", secret::new_token());
        let key = ApiKey {
            id: self.new_id(),
            project_id: project,
            name: if name.is_empty() { format!("{} key", role.word()) } else { name.to_owned() },
            role: role.word().to_owned(),
            shown: token.chars().take(9).collect(),
            created_at: self.now(),
            last_used_at: None,
        };
        self.store().add_key(&key, &secret::hash(&token)).await?;
        Ok((key, token))
    }

    pub async fn keys(&self, project: Uuid) -> ServiceResult<Vec<ApiKey>> {
        Ok(self.store().keys(project).await?)
    }

    pub async fn remove_key(&self, project: Uuid, id: Uuid) -> ServiceResult<()> {
        if self.store().remove_key(project, id).await? { Ok(()) } else { Err(ServiceError::NotFound) }
    }

    /// The key that a token is, if it is one: its project, role and name.
    pub async fn authenticate(&self, token: &str) -> ServiceResult<Option<(ApiKey, KeyRole)>> {
        if !token.starts_with("wc_") || token.len() > 100 {
            return Ok(None);
        }
        let Some(key) = self.store().key_by_hash(&secret::hash(token)).await? else { return Ok(None) };
        let Some(role) = KeyRole::from_word(&key.role) else { return Ok(None) };
        let now = self.now();
        if key.last_used_at.is_none_or(|last| now - last >= Duration::minutes(1))
            && let Err(error) = self.store().touch_key(key.id, now).await
        {
            // A database that only reads for now can answer all the same.
            tracing::debug!(%error, "the use of a key could not be noted");
        }
        Ok(Some((key, role)))
    }
}
