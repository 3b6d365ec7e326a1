//! How the API says no: `application/problem+json` (RFC 9457) with every problem at once.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;
use watchclock_domain::problem::Problem;
use watchclock_service::ServiceError;

/// Media type of a refusal.
pub(super) const MEDIA_TYPE: &str = "application/problem+json";

/// Why a request is not carried out.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    detail: String,
    errors: Vec<Problem>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A refusal as it is sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(title = "Problem", as = Problem)]
pub(super) struct ProblemShape {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[schema(example = "about:blank")]
    r#type: &'static str,
    /// The status in words.
    #[schema(example = "Unprocessable Entity")]
    title: &'static str,
    #[schema(example = 422)]
    status: u16,
    /// What is wrong, for people.
    #[schema(example = "2 fields are wrong")]
    detail: String,
    /// Everything that is wrong with what was sent, all at once.
    errors: Vec<ErrorShape>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldProblem)]
struct ErrorShape {
    /// The field or parameter: `rules[0].when`; empty for the body as a whole.
    #[schema(example = "rules[0].when")]
    field: String,
    #[schema(example = "unknown operator \"qe\"; did you mean \"eq\"?")]
    message: String,
    /// Where in the field's text, in characters from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 18)]
    at: Option<usize>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), errors: Vec::new(), headers: Vec::new() }
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// Well-formed but wrong.
    pub(super) fn wrong(errors: Vec<Problem>) -> Self {
        let detail = match errors.as_slice() {
            [one] => one.to_string(),
            many => format!("{} problems: {}", many.len(), many[0]),
        };
        Self { errors, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail) }
    }

    pub(super) fn with_error(mut self, problem: Problem) -> Self {
        self.errors.push(problem);
        self
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }
}

impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::NotFound => Self::not_found("there is no such thing in this project"),
            ServiceError::Invalid(problems) => Self::wrong(problems),
            ServiceError::Conflict(why) => Self::new(StatusCode::CONFLICT, why),
            ServiceError::Taken(problem) => {
                Self::new(StatusCode::CONFLICT, problem.message.clone()).with_error(problem)
            }
            ServiceError::Stale => Self::new(StatusCode::PRECONDITION_FAILED, error.to_string()),
            ServiceError::Forbidden(why) => Self::new(StatusCode::FORBIDDEN, why),
            ServiceError::Unavailable(why) => {
                tracing::warn!(error = %why, "an API call could not be answered");
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "nothing can be read or stored now; try again")
                    .with_header(header::RETRY_AFTER, "5")
            }
            ServiceError::Store(why) => {
                tracing::error!(error = %why, "an API call failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "this went wrong on our side; the log says why")
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let errors = self
            .errors
            .into_iter()
            .map(|problem| ErrorShape { field: problem.field, message: problem.message, at: problem.at })
            .collect();
        let shape = ProblemShape {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.detail,
            errors,
        };
        let body = serde_json::to_string(&shape).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response();
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}

/// Refusals that are not made here (a wrong method, a broken path, a time-out, a panic), in our form.
pub(super) async fn in_our_form(response: Response) -> Response {
    let status = response.status();
    let is_ours = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(MEDIA_TYPE.as_bytes()));
    if is_ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let detail = match status {
        StatusCode::METHOD_NOT_ALLOWED => "this path takes other methods: see `Allow`".to_owned(),
        StatusCode::BAD_REQUEST => "the path cannot be read".to_owned(),
        StatusCode::SERVICE_UNAVAILABLE => "this took too long and may not be done; try again".to_owned(),
        StatusCode::INTERNAL_SERVER_ERROR => "this went wrong on our side; the log says why".to_owned(),
        _ => status.canonical_reason().unwrap_or("Error").to_lowercase(),
    };
    let mut refusal = Refusal::new(status, detail);
    refusal.headers.extend(allow.map(|allow| (header::ALLOW, allow)));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        refusal = refusal.with_header(header::RETRY_AFTER, "5");
    }
    refusal.into_response()
}
