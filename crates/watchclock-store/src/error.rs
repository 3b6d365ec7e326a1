//! What can go wrong with the database, and what that means for the caller.

/// The result of everything in this crate.
pub type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing can be stored now; the same call may succeed later.
    #[error("the database does not answer: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// Something unique exists already; names the constraint.
    #[error("{0} exists already")]
    Exists(String),
    /// A concurrent transaction won; the same call may succeed at once.
    #[error("the database asked to try again: {0}")]
    TryAgain(#[source] sqlx::Error),
    /// The facts of a monitor are no longer those that were read; the same call may succeed after reading them again.
    #[error("somebody else changed the monitor meanwhile")]
    Outrun,
    /// A row refers to something that is gone.
    #[error("{0}: what it belongs to is gone")]
    Gone(String),
    #[error("the schema could not be brought up to date: {0}")]
    Migration(String),
    /// A stored value that we cannot read: which table, column and row.
    #[error("{table}.{column} of {row} holds what we cannot read: {why}")]
    Corrupt { table: &'static str, column: &'static str, row: String, why: String },
    /// Code that must not fail did; what it was asked for cannot be done.
    #[error("a fault in Watchclock, please report it: {0}")]
    Fault(String),
    #[error("the database refused a statement: {0}")]
    Database(#[source] sqlx::Error),
}

impl StoreError {
    /// Whether waiting and trying again is the right answer.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::TryAgain(_) | Self::Outrun)
    }

    pub fn exists(&self, constraint: &str) -> bool {
        matches!(self, Self::Exists(name) if name == constraint)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = &error else {
            return match error {
                sqlx::Error::RowNotFound | sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
                    Self::Database(error)
                }
                _ => Self::Unavailable(error),
            };
        };
        let constraint = database.constraint().unwrap_or("a row").to_owned();
        match database.code().as_deref() {
            Some("23505") => Self::Exists(constraint),
            Some("23503") => Self::Gone(constraint),
            Some("40001" | "40P01" | "55P03") => Self::TryAgain(error),
            // Connections, the way in (passwords, pg_hba.conf), resources, operator intervention (shutdown, recovery),
            // disk full.
            Some(code) if ["08", "28", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
                Self::Unavailable(error)
            }
            // No such database (being restored), one that is closed to connections, a server that only reads (a
            // standby that is about to take over).
            Some("3D000" | "55000" | "25006") => Self::Unavailable(error),
            _ => Self::Database(error),
        }
    }
}
