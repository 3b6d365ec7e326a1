//! A person with a browser, as far as HTTP shows one: cookies, forms, redirects. Neighbour: `job` is what pings.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use uuid::Uuid;
use watchclock_service::member::Role;

use crate::{
    job::Reply,
    world::{Stage, World},
};

/// Where our own forms come from, as a browser tells it.
const OURS: [(&str, &str); 2] = [("origin", "https://clock.test"), ("sec-fetch-site", "same-origin")];

/// Somebody who looks at pages. Cookies are kept as a browser keeps them.
#[derive(Debug)]
pub struct Visitor {
    stage: Arc<Stage>,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl World {
    /// Somebody who is not signed in.
    pub fn visitor(&self) -> Visitor {
        Visitor { stage: Arc::clone(self.stage()), cookies: Mutex::default() }
    }

    /// Somebody new in the project of this world, signed in by the one-time link that their invitation gave.
    pub async fn member(&self, email: &str, role: Role) -> Visitor {
        self.member_of(self.project().id, email, role).await
    }

    /// The same in another project.
    pub async fn member_of(&self, project: Uuid, email: &str, role: Role) -> Visitor {
        let link = self.watchclock().invite(project, email, role).await.expect("anybody can be invited");
        let visitor = self.visitor();
        let reply = visitor.post(&link.expect("who is new gets a link"), &[]).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{}", reply.text());
        visitor
    }
}

impl Visitor {
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).expect("a right request")).await
    }

    /// Sends a form of ours.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.post_as(path, fields, &OURS).await
    }

    /// Sends a form with these headers in place of those that tell whose it is.
    pub async fn post_as(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Reply {
        let mut request =
            Request::post(path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request = request.header(header::HOST, "clock.test");
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
        self.send(request.body(Body::from(body.join("&"))).expect("a right request")).await
    }

    /// Goes where an answer leads.
    pub async fn follow(&self, reply: &Reply) -> Reply {
        let to = reply.header("location");
        assert!(to.starts_with('/'), "{} leads nowhere of ours: `{to}`\n{}", reply.status, reply.text());
        self.get(to).await
    }

    /// The value of a cookie, empty where there is none.
    pub fn cookie(&self, name: &str) -> String {
        self.jar().get(name).cloned().unwrap_or_default()
    }

    async fn send(&self, mut request: Request<Body>) -> Reply {
        let cookies: Vec<String> = self.jar().iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            let value = cookies.join("; ").try_into().expect("cookies are plain text");
            request.headers_mut().insert(header::COOKIE, value);
        }
        let reply = self.stage.call(request).await;
        for set in reply.headers.get_all(header::SET_COOKIE) {
            let set = set.to_str().expect("cookies are plain text");
            let (name, value) =
                set.split(';').next().and_then(|pair| pair.split_once('=')).expect("a cookie");
            if set.contains("Max-Age=0") {
                self.jar().remove(name);
            } else {
                self.jar().insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }

    fn jar(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.cookies.lock().expect("no test panics while it holds this lock")
    }
}

/// Text as it stands in a form or an address.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}
