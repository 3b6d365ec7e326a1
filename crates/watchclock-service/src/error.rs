//! Why a use case was not carried out, in terms that an edge can answer with.

use watchclock_domain::problem::Problem;
use watchclock_store::StoreError;

pub type ServiceResult<T> = Result<T, ServiceError>;

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// It does not exist, or not for this caller.
    #[error("not found")]
    NotFound,
    /// What was given is wrong; every problem at once.
    #[error("{}", problems(.0))]
    Invalid(Vec<Problem>),
    /// It collides with how things are.
    #[error("{0}")]
    Conflict(String),
    /// What was given under a field must be unique and exists already.
    #[error("{}", .0.message)]
    Taken(Problem),
    /// It changed since the caller read it.
    #[error("it was changed meanwhile; read it again")]
    Stale,
    #[error("{0}")]
    Forbidden(String),
    /// Nothing can be stored now.
    #[error("the database does not answer: {0}")]
    Unavailable(StoreError),
    #[error(transparent)]
    Store(StoreError),
}

impl ServiceError {
    pub(crate) fn taken(field: &str, message: impl Into<String>) -> Self {
        Self::Taken(Problem::new(field, message))
    }

    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Problem::new(field, message)])
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        if error.is_transient() { Self::Unavailable(error) } else { Self::Store(error) }
    }
}

fn problems(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
