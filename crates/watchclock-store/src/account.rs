//! People who sign in: users, their sessions, and one-time links. Only hashes of tokens are kept.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

/// A user as stored.
#[derive(Debug, Clone)]
pub struct User {
    pub id: Uuid,
    pub email: String,
    /// Argon2id in PHC form; none until a password was set.
    pub password_hash: Option<String>,
    pub is_admin: bool,
    pub created_at: Time,
}

/// A signed-in browser as stored.
#[derive(Debug, Clone)]
pub struct SessionRow {
    pub token_hash: Vec<u8>,
    pub created_at: Time,
    pub last_seen_at: Time,
    pub user_agent: String,
}

impl Store {
    pub async fn add_user(&self, tx: &mut Tx, user: &User) -> StoreResult<()> {
        sqlx::query!(
            "insert into users (id, email, password_hash, is_admin, created_at) values ($1, $2, $3, $4, $5)",
            user.id,
            user.email,
            user.password_hash,
            user.is_admin,
            user.created_at
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    pub async fn users(&self) -> StoreResult<Vec<User>> {
        Ok(sqlx::query_as!(
            User,
            "select id, email, password_hash, is_admin, created_at from users order by created_at, id"
        )
        .fetch_all(self.pool())
        .await?)
    }

    pub async fn user_by_email(&self, email: &str) -> StoreResult<Option<User>> {
        Ok(sqlx::query_as!(
            User,
            "select id, email, password_hash, is_admin, created_at from users where lower(email) = lower($1)",
            email
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Removes a user and signs them out everywhere; false when there is none.
    pub async fn remove_user(&self, email: &str) -> StoreResult<bool> {
        let done = sqlx::query!("delete from users where lower(email) = lower($1)", email)
            .execute(self.pool())
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Sets a password and signs the user out everywhere but in `keep`.
    pub async fn set_password(&self, user: Uuid, hash: &str, keep: &[u8]) -> StoreResult<()> {
        let mut tx = self.begin().await?;
        sqlx::query!("update users set password_hash = $2 where id = $1", user, hash)
            .execute(&mut *tx)
            .await?;
        sqlx::query!("delete from sessions where user_id = $1 and token_hash <> $2", user, keep)
            .execute(&mut *tx)
            .await?;
        self.commit(tx).await
    }

    pub async fn add_session(
        &self,
        token_hash: &[u8],
        user: Uuid,
        now: Time,
        expires_at: Time,
        user_agent: &str,
    ) -> StoreResult<()> {
        sqlx::query!(
            "insert into sessions (token_hash, user_id, created_at, last_seen_at, expires_at, user_agent)
             values ($1, $2, $3, $3, $4, $5)",
            token_hash,
            user,
            now,
            expires_at,
            user_agent
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// The user of a session that has not expired, and when it was last seen.
    pub async fn session_user(&self, token_hash: &[u8], now: Time) -> StoreResult<Option<(User, Time)>> {
        let row = sqlx::query!(
            "select u.id, u.email, u.password_hash, u.is_admin, u.created_at, s.last_seen_at
             from sessions s join users u on u.id = s.user_id where s.token_hash = $1 and s.expires_at > $2",
            token_hash,
            now
        )
        .fetch_optional(self.pool())
        .await?;
        Ok(row.map(|row| {
            let user = User {
                id: row.id,
                email: row.email,
                password_hash: row.password_hash,
                is_admin: row.is_admin,
                created_at: row.created_at,
            };
            (user, row.last_seen_at)
        }))
    }

    /// Lets a session live on.
    pub async fn touch_session(&self, token_hash: &[u8], now: Time, expires_at: Time) -> StoreResult<()> {
        sqlx::query!(
            "update sessions set last_seen_at = $2, expires_at = $3 where token_hash = $1",
            token_hash,
            now,
            expires_at
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    pub async fn end_session(&self, token_hash: &[u8]) -> StoreResult<()> {
        sqlx::query!("delete from sessions where token_hash = $1", token_hash).execute(self.pool()).await?;
        Ok(())
    }

    pub async fn add_sign_in_link(
        &self,
        token_hash: &[u8],
        user: Uuid,
        now: Time,
        expires_at: Time,
    ) -> StoreResult<()> {
        sqlx::query!(
            "insert into sign_in_links (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)",
            token_hash,
            user,
            now,
            expires_at
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// Uses a link up; none when it is unknown, used or expired.
    pub async fn use_sign_in_link(&self, token_hash: &[u8], now: Time) -> StoreResult<Option<Uuid>> {
        Ok(sqlx::query_scalar!(
            "update sign_in_links set used_at = $2
             where token_hash = $1 and used_at is null and expires_at > $2 returning user_id",
            token_hash,
            now
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Whom a link would sign in; none when it is unknown, used or expired.
    pub async fn sign_in_link_user(&self, token_hash: &[u8], now: Time) -> StoreResult<Option<User>> {
        Ok(sqlx::query_as!(
            User,
            "select u.id, u.email, u.password_hash, u.is_admin, u.created_at
             from sign_in_links l join users u on u.id = l.user_id
             where l.token_hash = $1 and l.used_at is null and l.expires_at > $2",
            token_hash,
            now
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Sessions of a user that have not expired, the last seen first.
    pub async fn sessions_of_user(&self, user: Uuid, now: Time) -> StoreResult<Vec<SessionRow>> {
        Ok(sqlx::query_as!(
            SessionRow,
            "select token_hash, created_at, last_seen_at, user_agent from sessions
             where user_id = $1 and expires_at > $2 order by last_seen_at desc, created_at desc",
            user,
            now
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// Forgets sessions and links that have expired.
    pub async fn forget_expired(&self, now: Time) -> StoreResult<()> {
        sqlx::query!("delete from sessions where expires_at < $1", now).execute(self.pool()).await?;
        sqlx::query!("delete from sign_in_links where expires_at < $1", now).execute(self.pool()).await?;
        Ok(())
    }
}
