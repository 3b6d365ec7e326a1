//! Who belongs to a project, and what they may do there.

use uuid::Uuid;
pub use watchclock_store::project::MemberRow;

use crate::{
    ServiceError, ServiceResult, Watchclock,
    account::{User, email_taken},
    project::Project,
    secret,
};

/// What a person may do in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Look at everything.
    Viewer,
    /// Change monitors, channels and incidents.
    Member,
    /// Change the project, its keys and members too.
    Owner,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Member, Self::Owner];

    /// The word used in tables and forms.
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Owner => "owner",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

impl Watchclock {
    /// The projects that a user may see, the oldest first: an admin all, others their own.
    pub async fn visible_projects(&self, user: &User) -> ServiceResult<Vec<Project>> {
        if user.is_admin { self.projects().await } else { self.projects_of(user.id).await }
    }

    /// What a user may do in a project; none when they do not belong to it. Admins own every project.
    pub async fn role(&self, project: Uuid, user: &User) -> ServiceResult<Option<Role>> {
        if user.is_admin {
            return Ok(Some(Role::Owner));
        }
        let role = self.store().role(project, user.id).await?;
        Ok(role.and_then(|role| Role::from_word(&role)))
    }

    /// Everybody of a project, by address.
    pub async fn members(&self, project: Uuid) -> ServiceResult<Vec<MemberRow>> {
        Ok(self.store().members(project).await?)
    }

    /// Makes somebody a member, by address. Who is new here gets a one-time link, returned as a path; of those who have
    /// an account already none is made, since it would open their account to whoever invites them.
    pub async fn invite(&self, project: Uuid, email: &str, role: Role) -> ServiceResult<Option<String>> {
        if let Some(user) = self.store().user_by_email(email.trim()).await? {
            if self.store().role(project, user.id).await?.is_some() {
                return Err(ServiceError::invalid("email", "is a member already"));
            }
            let mut tx = self.store().begin().await?;
            self.store().add_member(&mut tx, project, user.id, role.word()).await?;
            self.store().commit(tx).await?;
            return Ok(None);
        }
        let user = self.new_user(email, false, None).await?;
        let mut tx = self.store().begin().await?;
        self.store().add_user(&mut tx, &user).await.map_err(|error| email_taken(error, &user.email))?;
        self.store().add_member(&mut tx, project, user.id, role.word()).await?;
        self.store().commit(tx).await?;
        Ok(Some(self.new_sign_in_link(user.id).await?))
    }

    /// Takes somebody out of a project; their account stays. The last owner stays too.
    pub async fn remove_member(&self, project: Uuid, user: Uuid) -> ServiceResult<()> {
        let mut tx = self.store().begin().await?;
        // Of two owners who take out each other, the second is the last one then.
        let roles = self.store().lock_roles(&mut tx, project).await?;
        let owns = |(_, role): &&(Uuid, String)| role == Role::Owner.word();
        let leaves = roles.iter().find(|(member, _)| *member == user).ok_or(ServiceError::NotFound)?;
        if owns(&leaves) && roles.iter().filter(owns).count() == 1 {
            return Err(ServiceError::Conflict("a project keeps at least one owner".to_owned()));
        }
        self.store().remove_member(&mut tx, project, user).await?;
        Ok(self.store().commit(tx).await?)
    }

    /// A person who registers by themselves gets a project of their own, and sees no other.
    pub async fn sign_up(&self, email: &str, password: &str) -> ServiceResult<User> {
        let user = self.new_user(email, false, Some(password)).await?;
        let project = Project {
            id: self.new_id(),
            slug: format!("project-{}", secret::new_ping_key()[..8].to_lowercase()),
            name: "My jobs".to_owned(),
            ping_key: secret::new_ping_key(),
            created_at: self.now(),
        };
        let mut tx = self.store().begin().await?;
        self.store().add_user(&mut tx, &user).await.map_err(|error| email_taken(error, &user.email))?;
        self.store().add_project(&mut tx, &project).await?;
        self.store().add_member(&mut tx, project.id, user.id, Role::Owner.word()).await?;
        self.store().commit(tx).await?;
        Ok(user)
    }
}
