//! Projects, and who belongs to them.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

/// A project as stored.
#[derive(Debug, Clone)]
pub struct Project {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    /// Part of ping URLs by slug; shown to members only.
    pub ping_key: String,
    pub created_at: Time,
}

/// One person of a project.
#[derive(Debug, Clone)]
pub struct MemberRow {
    pub user_id: Uuid,
    pub email: String,
    /// `owner`, `member` or `viewer`.
    pub role: String,
    /// When a session of theirs was last used; none when they are signed in nowhere.
    pub last_seen_at: Option<Time>,
}

impl Store {
    pub async fn add_project(&self, tx: &mut Tx, project: &Project) -> StoreResult<()> {
        sqlx::query!(
            "insert into projects (id, slug, name, ping_key, created_at) values ($1, $2, $3, $4, $5)",
            project.id,
            project.slug,
            project.name,
            project.ping_key,
            project.created_at
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    pub async fn projects(&self) -> StoreResult<Vec<Project>> {
        Ok(sqlx::query_as!(
            Project,
            "select id, slug, name, ping_key, created_at from projects order by created_at, id"
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// The name of a project, as seen inside a transaction.
    pub async fn project_name(&self, tx: &mut Tx, id: Uuid) -> StoreResult<String> {
        let name = sqlx::query_scalar!("select name from projects where id = $1", id);
        Ok(name.fetch_optional(&mut **tx).await?.unwrap_or_default())
    }

    pub async fn project(&self, id: Uuid) -> StoreResult<Option<Project>> {
        Ok(sqlx::query_as!(
            Project,
            "select id, slug, name, ping_key, created_at from projects where id = $1",
            id
        )
        .fetch_optional(self.pool())
        .await?)
    }

    pub async fn project_by_slug(&self, slug: &str) -> StoreResult<Option<Project>> {
        Ok(sqlx::query_as!(
            Project,
            "select id, slug, name, ping_key, created_at from projects where slug = $1",
            slug
        )
        .fetch_optional(self.pool())
        .await?)
    }

    pub async fn project_by_ping_key(&self, ping_key: &str) -> StoreResult<Option<Project>> {
        Ok(sqlx::query_as!(
            Project,
            "select id, slug, name, ping_key, created_at from projects where ping_key = $1",
            ping_key
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Projects that a user belongs to, the oldest first.
    pub async fn projects_of_user(&self, user: Uuid) -> StoreResult<Vec<Project>> {
        Ok(sqlx::query_as!(
            Project,
            "select p.id, p.slug, p.name, p.ping_key, p.created_at from projects p
             join memberships m on m.project_id = p.id where m.user_id = $1 order by p.created_at, p.id",
            user
        )
        .fetch_all(self.pool())
        .await?)
    }

    pub async fn rename_project(&self, id: Uuid, name: &str) -> StoreResult<()> {
        sqlx::query!("update projects set name = $2 where id = $1", id, name).execute(self.pool()).await?;
        Ok(())
    }

    /// Gives a project a new ping key; ping URLs with the old one stop working.
    pub async fn set_ping_key(&self, id: Uuid, ping_key: &str) -> StoreResult<()> {
        sqlx::query!("update projects set ping_key = $2 where id = $1", id, ping_key)
            .execute(self.pool())
            .await?;
        Ok(())
    }

    pub async fn add_member(&self, tx: &mut Tx, project: Uuid, user: Uuid, role: &str) -> StoreResult<()> {
        sqlx::query!(
            "insert into memberships (project_id, user_id, role) values ($1, $2, $3)
             on conflict (project_id, user_id) do update set role = excluded.role",
            project,
            user,
            role
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Makes every admin an owner of a new project.
    pub async fn add_admins(&self, tx: &mut Tx, project: Uuid) -> StoreResult<()> {
        sqlx::query!(
            "insert into memberships (project_id, user_id, role)
             select $1, id, 'owner' from users where is_admin on conflict (project_id, user_id) do nothing",
            project
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Makes a new user a member of every project.
    pub async fn add_to_all_projects(&self, tx: &mut Tx, user: Uuid, role: &str) -> StoreResult<()> {
        sqlx::query!(
            "insert into memberships (project_id, user_id, role)
             select id, $1, $2 from projects on conflict (project_id, user_id) do nothing",
            user,
            role
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// The names of projects, as seen inside a transaction.
    pub async fn project_names(&self, tx: &mut Tx, ids: &[Uuid]) -> StoreResult<Vec<(Uuid, String)>> {
        let rows = sqlx::query!("select id, name from projects where id = any($1)", ids)
            .fetch_all(&mut **tx)
            .await?;
        Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
    }

    /// The role of a user in a project; none when not a member.
    pub async fn role(&self, project: Uuid, user: Uuid) -> StoreResult<Option<String>> {
        Ok(sqlx::query_scalar!(
            "select role from memberships where project_id = $1 and user_id = $2",
            project,
            user
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Everybody of a project, by address.
    pub async fn members(&self, project: Uuid) -> StoreResult<Vec<MemberRow>> {
        Ok(sqlx::query_as!(
            MemberRow,
            "select m.user_id, u.email, m.role,
                    (select max(last_seen_at) from sessions s where s.user_id = m.user_id) as last_seen_at
             from memberships m join users u on u.id = m.user_id
             where m.project_id = $1 order by lower(u.email)",
            project
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// The users and roles of a project, which nobody else takes anybody out of until the transaction ends.
    pub async fn lock_roles(&self, tx: &mut Tx, project: Uuid) -> StoreResult<Vec<(Uuid, String)>> {
        let rows = sqlx::query!(
            "select user_id, role from memberships where project_id = $1 order by user_id for update",
            project
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(|row| (row.user_id, row.role)).collect())
    }

    /// Takes somebody out of a project; false when they were not in it.
    pub async fn remove_member(&self, tx: &mut Tx, project: Uuid, user: Uuid) -> StoreResult<bool> {
        let done =
            sqlx::query!("delete from memberships where project_id = $1 and user_id = $2", project, user)
                .execute(&mut **tx)
                .await?;
        Ok(done.rows_affected() > 0)
    }
}
