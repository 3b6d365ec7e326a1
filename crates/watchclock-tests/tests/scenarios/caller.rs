//! Calls the native API as a script does: with a key, JSON there and back.

use axum::{body::Body, http::Request};
use serde_json::Value;
use watchclock_service::key::KeyRole;
use watchclock_tests::{World, job::Reply};

/// Somebody with a key that may write.
pub(crate) struct Caller<'w> {
    world: &'w World,
    key: String,
}

impl<'w> Caller<'w> {
    pub(crate) async fn of(world: &'w World) -> Self {
        let made = world.watchclock().add_key(world.project().id, "script", KeyRole::Write).await;
        Self { world, key: made.expect("a key can be made").1 }
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.key));
        let body = body.map_or_else(Body::empty, |json| Body::from(json.to_string()));
        self.world.call(request.body(body).expect("a right request")).await
    }

    /// A call that must succeed.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> impl Future<Output = Value> {
        self.done("GET", path.to_owned(), None)
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> impl Future<Output = Value> {
        self.done("POST", path.to_owned(), Some(body))
    }

    pub(crate) fn patch(&self, path: &str, body: Value) -> impl Future<Output = Value> {
        self.done("PATCH", path.to_owned(), Some(body))
    }

    async fn done(&self, method: &'static str, path: String, body: Option<Value>) -> Value {
        let reply = self.call(method, &path, body).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.line());
        reply.json()
    }

    /// A call that must be refused: `field: message`, one each line.
    pub(crate) async fn refused(&self, method: &str, path: &str, body: Value) -> String {
        let reply = self.call(method, path, Some(body)).await;
        assert_eq!(reply.status.as_u16(), 422, "{}", reply.line());
        let errors = reply.json()["errors"].as_array().cloned().unwrap_or_default();
        let line = |error: &Value| {
            format!(
                "{}: {}",
                error["field"].as_str().unwrap_or("?"),
                error["message"].as_str().unwrap_or("?")
            )
        };
        errors.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
