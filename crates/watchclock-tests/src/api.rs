//! Calls of the native API, with a key that may write. Neighbour: `world` is where they go.

use axum::{body::Body, http::Request};
use watchclock_service::key::KeyRole;

use crate::{job::Reply, world::World};

impl World {
    /// Any call below `/v1`, with a body unless it is null.
    pub async fn api(&self, method: &str, path: &str, body: serde_json::Value) -> Reply {
        let made = self.watchclock().add_key(self.project().id, "test", KeyRole::Write).await;
        let (_, key) = made.expect("a key can be made");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let request =
            Request::builder().method(method).uri(path).header("authorization", format!("Bearer {key}"));
        self.call(request.body(body).expect("a right request")).await
    }
}
