//! A live instance for a browser: a real listener, the machine's clock, the loops, and a mail server that takes its mails.

use std::{net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use watchclock_notify::{Notifier, NotifySettings};
use watchclock_service::{Settings, Watchclock, clock::SystemClock, secret::Seal};
use watchclock_tests::{database::Database, smtp::SmtpSink};
use watchclock_web::WebSettings;

pub(crate) struct Site {
    pub(crate) url: String,
    /// Path of the first admin's one-time link.
    pub(crate) sign_in: String,
    pub(crate) smtp: SmtpSink,
    pub(crate) watchclock: Watchclock,
    stop: CancellationToken,
    _database: Database,
}

impl Site {
    pub(crate) async fn start() -> Self {
        let database = Database::new().await;
        let smtp = SmtpSink::start().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut notify = NotifySettings::new(url.clone());
        notify.smtp_url = Some(smtp.url());
        notify.allow_private_targets = true;
        let settings = Settings { base_url: url.clone(), allow_private_targets: true, mail_configured: true };
        let watchclock = Watchclock::new(
            database.store(),
            Notifier::new(notify).unwrap(),
            Arc::new(SystemClock::default()),
            settings,
            Seal::new(&[7; 32]),
        );
        let first = watchclock.first_start(Some("admin@example.com"), None).await.unwrap().unwrap();
        let app = watchclock_web::app(
            watchclock.clone(),
            WebSettings { version: "test", ..WebSettings::default() },
        );
        let stop = CancellationToken::new();
        let served = axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        tokio::spawn(async move { served.await });
        let (one, two) = (watchclock.clone(), watchclock.clone());
        let (stop_one, stop_two) = (stop.clone(), stop.clone());
        tokio::spawn(async move { one.run_evaluator(stop_one.cancelled_owned()).await });
        tokio::spawn(async move { two.run_deliverer(stop_two.cancelled_owned()).await });
        Self { url, sign_in: first.sign_in.unwrap(), smtp, watchclock, stop, _database: database }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
