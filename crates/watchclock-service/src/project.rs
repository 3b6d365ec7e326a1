//! Projects and who belongs to them.

use uuid::Uuid;
pub use watchclock_store::project::Project;

use crate::{ServiceError, ServiceResult, Watchclock, secret};

impl Watchclock {
    pub async fn projects(&self) -> ServiceResult<Vec<Project>> {
        Ok(self.store().projects().await?)
    }

    pub async fn project(&self, id: Uuid) -> ServiceResult<Project> {
        self.store().project(id).await?.ok_or(ServiceError::NotFound)
    }

    pub async fn project_by_slug(&self, slug: &str) -> ServiceResult<Project> {
        self.store().project_by_slug(slug).await?.ok_or(ServiceError::NotFound)
    }

    /// Projects that a user belongs to, the oldest first.
    pub async fn projects_of(&self, user: Uuid) -> ServiceResult<Vec<Project>> {
        Ok(self.store().projects_of_user(user).await?)
    }

    /// Makes a project; its owner and every admin become its owners.
    pub async fn create_project(
        &self,
        slug: &str,
        name: &str,
        owner: Option<Uuid>,
    ) -> ServiceResult<Project> {
        let plain = slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if slug.is_empty() || slug.len() > 50 || !plain {
            return Err(ServiceError::invalid("slug", "1 to 50 of a-z, 0-9 and `-`"));
        }
        let project = Project {
            id: self.new_id(),
            slug: slug.to_owned(),
            name: checked_name(name)?,
            ping_key: secret::new_ping_key(),
            created_at: self.now(),
        };
        let mut tx = self.store().begin().await?;
        self.store().add_project(&mut tx, &project).await.map_err(|error| {
            if error.exists("projects_slug_key") {
                ServiceError::taken("slug", format!("a project with the slug `{slug}` exists already"))
            } else {
                error.into()
            }
        })?;
        self.store().add_admins(&mut tx, project.id).await?;
        if let Some(owner) = owner {
            self.store().add_member(&mut tx, project.id, owner, "owner").await?;
        }
        self.store().commit(tx).await?;
        Ok(project)
    }

    pub async fn rename_project(&self, id: Uuid, name: &str) -> ServiceResult<()> {
        Ok(self.store().rename_project(id, &checked_name(name)?).await?)
    }

    /// A new ping key; ping URLs with the old one stop working at once.
    pub async fn rotate_ping_key(&self, id: Uuid) -> ServiceResult<String> {
        let key = secret::new_ping_key();
        self.store().set_ping_key(id, &key).await?;
        Ok(key)
    }
}

fn checked_name(name: &str) -> ServiceResult<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(ServiceError::invalid("name", "1 to 100 characters, on one line"));
    }
    Ok(name.to_owned())
}
