//! A script with a key of the API, and answers in which what differs from run to run has a name.

use std::collections::BTreeMap;

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use serde_json::Value as Json;
use uuid::Uuid;
use watchclock_service::key::KeyRole;
use watchclock_tests::{Reply, World};

/// One script.
#[derive(Debug, Clone)]
pub(crate) struct Client<'w> {
    pub(crate) world: &'w World,
    pub(crate) key: String,
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl<'w> Client<'w> {
    /// With a key that may write.
    pub(crate) async fn new(world: &'w World) -> Self {
        Self::of(world, world.project().id, KeyRole::Write).await
    }

    pub(crate) async fn with_role(world: &'w World, role: KeyRole) -> Self {
        Self::of(world, world.project().id, role).await
    }

    /// With a key of another project.
    pub(crate) async fn stranger(world: &'w World) -> Self {
        let other = world.watchclock().create_project("other", "Other", None).await.unwrap();
        Self::of(world, other.id, KeyRole::Write).await
    }

    async fn of(world: &'w World, project: Uuid, role: KeyRole) -> Self {
        let (_, key) = world.watchclock().add_key(project, "script", role).await.unwrap();
        Self { world, key, headers: Vec::new() }
    }

    /// The same script, sending a header more.
    pub(crate) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name, value.to_owned()));
        client
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: &str) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.key));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        self.world.call(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, "").await
    }

    pub(crate) async fn post(&self, path: &str, body: Json) -> Reply {
        self.send(Method::POST, path, &body.to_string()).await
    }

    /// A POST without a body.
    pub(crate) async fn act(&self, path: &str) -> Reply {
        self.send(Method::POST, path, "").await
    }

    pub(crate) async fn patch(&self, path: &str, body: Json) -> Reply {
        self.send(Method::PATCH, path, &body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, "").await
    }

    /// Makes something; panics unless it is made.
    pub(crate) async fn make(&self, path: &str, body: Json) -> Json {
        let reply = self.post(path, body).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()
    }

    /// The values of one field over all pages of a list, a page a vector.
    pub(crate) async fn pages(&self, list: &str, field: &str) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        let mut path = list.to_owned();
        loop {
            let page = self.get(&path).await.json();
            pages.push(texts(&page["items"], field));
            let Some(next) = page["next"].as_str() else { return pages };
            assert!(pages.len() < 100, "the pages do not end");
            let sign = if list.contains('?') { '&' } else { '?' };
            path = format!("{list}{sign}cursor={next}");
        }
    }
}

/// One field of each item, as text.
pub(crate) fn texts(items: &Json, field: &str) -> Vec<String> {
    let text = |item: &Json| item[field].as_str().map_or_else(|| item[field].to_string(), str::to_owned);
    items.as_array().unwrap_or_else(|| panic!("no list: {items}")).iter().map(text).collect()
}

/// The fields of a refusal, `field: message` each.
#[track_caller]
pub(crate) fn told(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.header("content-type"), "application/problem+json", "{}", reply.line());
    let problem = reply.json();
    assert_eq!(problem["status"], reply.status.as_u16(), "{problem}");
    for field in ["type", "title", "detail"] {
        assert!(problem[field].is_string(), "{field}: {problem}");
    }
    let errors = problem["errors"].as_array().unwrap_or_else(|| panic!("{problem}"));
    errors
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["message"].as_str().unwrap()))
        .collect()
}

/// The names of the fields that are wrong.
#[track_caller]
pub(crate) fn fields(reply: &Reply) -> Vec<String> {
    told(reply).iter().map(|told| told.split(": ").next().unwrap_or_default().to_owned()).collect()
}

/// An answer for a snapshot: ids become numbers, secrets and keys their beginnings.
pub(crate) fn settled(json: &Json) -> String {
    let mut ids = BTreeMap::new();
    let mut json = json.clone();
    settle(&mut json, &mut ids);
    serde_json::to_string_pretty(&json).unwrap()
}

fn settle(json: &mut Json, ids: &mut BTreeMap<Uuid, usize>) {
    match json {
        Json::Object(map) => {
            for (name, json) in map {
                match json.as_str() {
                    Some(text) if matches!(name.as_str(), "secret" | "key" | "shown" | "ping_key") => {
                        let start = text.split_inclusive('_').next().filter(|start| *start != text);
                        *json = format!("{}…", start.unwrap_or_default()).into();
                    }
                    _ => settle(json, ids),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|json| settle(json, ids)),
        Json::String(text) => {
            let (before, last) =
                text.rsplit_once('/').map_or(("", text.as_str()), |(path, last)| (path, last));
            if let Ok(id) = Uuid::try_parse(last) {
                let next = ids.len() + 1;
                let number = *ids.entry(id).or_insert(next);
                let slash = if before.is_empty() { "" } else { "/" };
                *json = format!("{before}{slash}[id {number}]").into();
            }
        }
        _ => {}
    }
}
