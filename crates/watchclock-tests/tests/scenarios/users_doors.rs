//! The two doors through which a person or a script makes a monitor, for scenarios about what both must refuse.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::{
    body::Body,
    http::{Request, header},
};
use serde_json::{Value, json};
use watchclock_service::key::KeyRole;
use watchclock_tests::{Reply, World};

/// An API key and a signed-in browser. Each monitor that they make has a name of its own.
pub(crate) struct Doors<'w> {
    world: &'w World,
    made: AtomicU32,
    key: String,
    cookie: String,
}

impl<'w> Doors<'w> {
    pub(crate) async fn open(world: &'w World) -> Self {
        let (_, key) = world.watchclock().add_key(world.project().id, "tests", KeyRole::Write).await.unwrap();
        let (email, password) = ("ada@example.org", "correct horse battery");
        world.watchclock().add_user(email, true, Some(password)).await.unwrap();
        let form = "email=ada%40example.org&password=correct%20horse%20battery";
        let entered = Self::form(world, "/sign-in", "", form).await;
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        assert!(!cookie.is_empty(), "{}", entered.line());
        Self { world, made: AtomicU32::new(0), key, cookie }
    }

    async fn form(world: &World, path: &str, cookie: &str, form: &str) -> Reply {
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::COOKIE, cookie)
            .body(Body::from(form.to_owned()));
        world.call(request.unwrap()).await
    }

    /// `POST /v1/monitors`
    pub(crate) async fn api(&self, schedule: &Value) -> Reply {
        let name = format!("monitor {}", self.made.fetch_add(1, Ordering::Relaxed));
        let body = json!({ "name": name, "schedule": schedule }).to_string();
        let request = Request::post("/v1/monitors")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .body(Body::from(body));
        self.world.call(request.unwrap()).await
    }

    /// `POST /v1/schedules/preview`
    pub(crate) async fn preview(&self, schedule: &Value, after: &str, count: u32) -> Vec<String> {
        let body = json!({ "schedule": schedule, "after": after, "count": count }).to_string();
        let request = Request::post("/v1/schedules/preview")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .body(Body::from(body));
        let answer = self.world.call(request.unwrap()).await.json();
        let slots = answer["slots"].as_array().unwrap_or_else(|| panic!("{answer}"));
        slots.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The form of a new monitor.
    pub(crate) async fn page(&self, cron: &str, tz: &str) -> Reply {
        let encode = |text: &str| text.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"));
        let form = format!(
            "name=page+{}&schedule.kind=cron&schedule.cron={}&schedule.tz={}&grace=5m&overlap.policy=alert&channels_all=yes&alert_after=0s",
            self.made.fetch_add(1, Ordering::Relaxed),
            encode(cron),
            encode(tz)
        );
        Self::form(self.world, "/monitors", &self.cookie, &form).await
    }
}
