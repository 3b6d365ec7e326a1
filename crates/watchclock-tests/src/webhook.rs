//! An HTTP receiver on loopback that keeps what it gets and misbehaves on demand; `smtp.rs` is its counterpart for mail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How the receiver answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status with a body.
    Status(u16, String),
    /// A redirect to this address.
    Redirect(String),
    /// Takes the request and never answers.
    Hang,
    /// 200 and a body without an end.
    Endless,
    /// 200, and then a body that never comes.
    StallAfterStatus,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Hook {
    pub method: Method,
    /// With its query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Hook {
    /// A header's value, empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a webhook's body is JSON")
    }

    /// Whether the signature is right, computed the way a receiver does it.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = secret.strip_prefix("whsec_").and_then(|key| STANDARD.decode(key).ok());
        let mut mac = Hmac::<Sha256>::new_from_slice(&key.unwrap_or_default()).expect("HMAC takes any key");
        mac.update(format!("{}.{}.", self.header("webhook-id"), self.header("webhook-timestamp")).as_bytes());
        mac.update(&self.body);
        let right = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').any(|signature| signature == right)
    }
}

#[derive(Debug)]
struct Shared {
    hooks: Mutex<Vec<Hook>>,
    answer: Mutex<Answer>,
    arrived: Notify,
}

/// An HTTP receiver for one test.
#[derive(Debug)]
pub struct WebhookReceiver {
    shared: Arc<Shared>,
    port: u16,
    serving: Option<JoinHandle<()>>,
}

impl WebhookReceiver {
    /// Listens on a free port of 127.0.0.1 and answers `200 ok`.
    pub async fn start() -> Self {
        let shared = Shared {
            hooks: Mutex::default(),
            answer: Mutex::new(Answer::Status(200, "ok".to_owned())),
            arrived: Notify::new(),
        };
        let mut receiver = Self { shared: Arc::new(shared), port: 0, serving: None };
        receiver.up().await;
        receiver
    }

    /// `http://127.0.0.1:PORT/hook`
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// The same receiver under a name, which has to be resolved.
    pub fn url_by_name(&self) -> String {
        format!("http://localhost:{}/hook", self.port)
    }

    /// Listens, on the same port as before. Does nothing where it listens already.
    pub async fn up(&mut self) {
        if self.serving.is_some() {
            return;
        }
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is free");
        self.port = listener.local_addr().expect("a bound socket has an address").port();
        let router = Router::new().fallback(receive).with_state(Arc::clone(&self.shared));
        self.serving = Some(tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serving does not fail");
        }));
    }

    /// Refuses connections from now on; those that are open may still be served.
    pub async fn down(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            // the listener is closed when the task is gone
            let _ = serving.await;
        }
    }

    /// Answers so from now on.
    pub fn answer(&self, answer: Answer) {
        *self.shared.answer.lock().expect("no test panics while it holds this lock") = answer;
    }

    /// The requests so far, oldest first.
    pub fn hooks(&self) -> Vec<Hook> {
        self.shared.hooks.lock().expect("no test panics while it holds this lock").clone()
    }

    /// Waits until at least `count` requests are there, and returns all.
    ///
    /// # Panics
    /// When they do not come within `limit`.
    pub async fn wait_for(&self, count: usize, limit: Duration) -> Vec<Hook> {
        let waiting = async {
            loop {
                let arrived = self.shared.arrived.notified();
                let hooks = self.hooks();
                if hooks.len() >= count {
                    return hooks;
                }
                arrived.await;
            }
        };
        tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| {
            panic!("{count} requests were expected within {limit:?}, but there are {}", self.hooks().len())
        })
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
        }
    }
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let hook = Hook { method, path: uri.to_string(), headers, body };
    shared.hooks.lock().expect("no test panics while it holds this lock").push(hook);
    shared.arrived.notify_waiters();
    let answer = shared.answer.lock().expect("no test panics while it holds this lock").clone();
    match answer {
        Answer::Status(status, body) => {
            (StatusCode::from_u16(status).expect("the test gives a real status"), body).into_response()
        }
        Answer::Redirect(to) => {
            let to = HeaderValue::try_from(to).expect("the test gives a real address");
            (StatusCode::FOUND, [("location", to)]).into_response()
        }
        Answer::Hang => std::future::pending().await,
        Answer::Endless => {
            let chunk = || Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 8_192]));
            Body::from_stream(stream::repeat_with(chunk)).into_response()
        }
        Answer::StallAfterStatus => {
            Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>()).into_response()
        }
    }
}
