//! The first start: a project and an admin, so that the first minute needs no manual.

use crate::{ServiceResult, Watchclock};

/// What the first start made.
#[derive(Debug, Clone)]
pub struct FirstStart {
    pub admin: String,
    /// Path of the one-time sign-in link; none when the admin got a password.
    pub sign_in: Option<String>,
    pub ping_key: String,
}

impl Watchclock {
    /// Makes the project `default` and an admin where there are none; none when this was not the first start.
    pub async fn first_start(
        &self,
        email: Option<&str>,
        password: Option<&str>,
    ) -> ServiceResult<Option<FirstStart>> {
        let mut projects = self.projects().await?;
        if projects.is_empty() {
            projects.push(self.create_project("default", "Default", None).await?);
        }
        if !self.users().await?.is_empty() {
            return Ok(None);
        }
        let user = self.add_user(email.unwrap_or("admin@localhost"), true, password).await?;
        let sign_in = match password {
            Some(_) => None,
            None => Some(self.new_sign_in_link(user.id).await?),
        };
        Ok(Some(FirstStart { admin: user.email, sign_in, ping_key: projects[0].ping_key.clone() }))
    }
}
