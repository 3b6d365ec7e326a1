//! People: signing in and out, passwords, one-time links.

use chrono::Duration;
use uuid::Uuid;
use watchclock_domain::problem::Problem;
use watchclock_store::StoreError;
pub use watchclock_store::account::User;

use crate::{ServiceError, ServiceResult, Watchclock, secret};

/// Characters that a password has at least.
pub const LEAST_PASSWORD: usize = 10;
/// A session that is not used for so long ends.
const SESSION: Duration = Duration::days(30);
/// A one-time link works for so long.
const LINK: Duration = Duration::hours(24);
/// Password hashes computed at once: each takes 19 MiB and a good part of a core.
static HASHING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(2);

impl Watchclock {
    pub async fn users(&self) -> ServiceResult<Vec<User>> {
        Ok(self.store().users().await?)
    }

    /// Adds a person; admins see every project, others those that they are made members of.
    pub async fn add_user(&self, email: &str, admin: bool, password: Option<&str>) -> ServiceResult<User> {
        let user = self.new_user(email, admin, password).await?;
        let mut tx = self.store().begin().await?;
        self.store().add_user(&mut tx, &user).await.map_err(|error| email_taken(error, &user.email))?;
        let role = if admin { "owner" } else { "member" };
        self.store().add_to_all_projects(&mut tx, user.id, role).await?;
        self.store().commit(tx).await?;
        Ok(user)
    }

    /// Checks what is given of a new person and hashes the password.
    pub(crate) async fn new_user(
        &self,
        email: &str,
        admin: bool,
        password: Option<&str>,
    ) -> ServiceResult<User> {
        let email = email.trim();
        let mut problems = Vec::new();
        let at = email.find('@');
        if at.is_none_or(|at| at == 0 || at + 1 == email.len())
            || email.len() > 254
            || email.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            problems.push(Problem::new("email", "this is not an e-mail address"));
        }
        if let Some(password) = password {
            problems.extend(check_password(password));
        }
        if !problems.is_empty() {
            return Err(ServiceError::Invalid(problems));
        }
        let password_hash = match password {
            Some(password) => Some(hash_password(password.to_owned()).await?),
            None => None,
        };
        Ok(User {
            id: self.new_id(),
            email: email.to_owned(),
            password_hash,
            is_admin: admin,
            created_at: self.now(),
        })
    }

    pub async fn remove_user(&self, email: &str) -> ServiceResult<()> {
        if self.store().remove_user(email).await? { Ok(()) } else { Err(ServiceError::NotFound) }
    }

    /// Sets a password and ends the user's sessions, but for the one of `session`.
    pub async fn set_password(&self, user: Uuid, password: &str, session: Option<&str>) -> ServiceResult<()> {
        if let Some(problem) = check_password(password) {
            return Err(ServiceError::Invalid(vec![problem]));
        }
        let hash = hash_password(password.to_owned()).await?;
        let keep = session.map(secret::hash).unwrap_or_default();
        Ok(self.store().set_password(user, &hash, &keep).await?)
    }

    pub async fn user_by_email(&self, email: &str) -> ServiceResult<User> {
        self.store().user_by_email(email).await?.ok_or(ServiceError::NotFound)
    }

    /// A session token when e-mail and password are right. Takes as long when the e-mail is unknown.
    pub async fn sign_in(
        &self,
        email: &str,
        password: &str,
        user_agent: &str,
    ) -> ServiceResult<Option<String>> {
        let user = self.store().user_by_email(email.trim()).await?;
        let hash = user.as_ref().and_then(|user| user.password_hash.clone());
        let right = verify_password(password.to_owned(), hash).await?;
        match user {
            Some(user) if right => Ok(Some(self.start_session(user.id, user_agent).await?)),
            _ => Ok(None),
        }
    }

    /// A new one-time link for a user: the path below the base URL.
    pub async fn new_sign_in_link(&self, user: Uuid) -> ServiceResult<String> {
        let token = secret::new_token();
        let now = self.now();
        self.store().add_sign_in_link(&secret::hash(&token), user, now, now + LINK).await?;
        Ok(format!("/sign-in/{token}"))
    }

    /// Uses a one-time link up; a session token when it was good.
    pub async fn sign_in_by_link(&self, token: &str, user_agent: &str) -> ServiceResult<Option<String>> {
        match self.store().use_sign_in_link(&secret::hash(token), self.now()).await? {
            Some(user) => Ok(Some(self.start_session(user, user_agent).await?)),
            None => Ok(None),
        }
    }

    /// Whom a one-time link would sign in, without using it up; none when it no longer works.
    pub async fn sign_in_link_user(&self, token: &str) -> ServiceResult<Option<User>> {
        Ok(self.store().sign_in_link_user(&secret::hash(token), self.now()).await?)
    }

    /// Whether a password is right for a user; for changes that ask for it once more.
    pub async fn is_password(&self, user: &User, password: &str) -> ServiceResult<bool> {
        verify_password(password.to_owned(), user.password_hash.clone()).await
    }

    async fn start_session(&self, user: Uuid, user_agent: &str) -> ServiceResult<String> {
        let token = secret::new_token();
        let now = self.now();
        let agent: String = user_agent.chars().filter(|c| !c.is_control()).take(200).collect();
        self.store().add_session(&secret::hash(&token), user, now, now + SESSION, &agent).await?;
        Ok(token)
    }

    /// Who is signed in with a session token; lets the session live on.
    pub async fn session_user(&self, token: &str) -> ServiceResult<Option<User>> {
        let now = self.now();
        let hash = secret::hash(token);
        let Some((user, last_seen)) = self.store().session_user(&hash, now).await? else { return Ok(None) };
        if now - last_seen > Duration::minutes(10) {
            self.store().touch_session(&hash, now, now + SESSION).await?;
        }
        Ok(Some(user))
    }

    pub async fn sign_out(&self, token: &str) -> ServiceResult<()> {
        Ok(self.store().end_session(&secret::hash(token)).await?)
    }
}

pub(crate) fn email_taken(error: StoreError, email: &str) -> ServiceError {
    if error.exists("users_email") {
        ServiceError::taken("email", format!("{email} exists already"))
    } else {
        error.into()
    }
}

/// What is wrong with a new password.
pub fn check_password(password: &str) -> Option<Problem> {
    let count = password.chars().count();
    (!(LEAST_PASSWORD..=200).contains(&count))
        .then(|| Problem::new("password", format!("a password has {LEAST_PASSWORD} to 200 characters")))
}

async fn hash_password(password: String) -> ServiceResult<String> {
    use argon2::{Argon2, PasswordHasher as _};
    let _permit = HASHING.acquire().await;
    tokio::task::spawn_blocking(move || {
        Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
    })
    .await
    .map_err(|error| error.to_string())
    .and_then(|hash| hash.map_err(|error| error.to_string()))
    .map_err(|error| ServiceError::Forbidden(format!("the password could not be hashed: {error}")))
}

/// False without a hash, after as much work as with one.
async fn verify_password(password: String, hash: Option<String>) -> ServiceResult<bool> {
    use argon2::{Argon2, PasswordVerifier as _, password_hash::phc::PasswordHash};
    let Some(hash) = hash else {
        hash_password(password).await?;
        return Ok(false);
    };
    let _permit = HASHING.acquire().await;
    Ok(tokio::task::spawn_blocking(move || {
        PasswordHash::new(&hash)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await
    .unwrap_or(false))
}
