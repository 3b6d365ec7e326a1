//! Use cases and ticks of Watchclock. It owns the clock and new ids, and connects what the domain decides with what the
//! store keeps and the notifier sends.
//!
//! A use case is one named transaction without a network call in it. A tick has no loop, takes no input and may run
//! twice; the loops around ticks live in `loops`.

pub mod account;
mod alert;
mod cache;
pub mod calendar;
pub mod channel;
pub mod clock;
mod contained;
mod crowd;
mod deliver;
mod error;
mod evaluate;
pub mod health;
mod history;
pub mod idempotency;
pub mod incident;
mod intake;
pub mod keep;
pub mod key;
mod known;
mod loops;
pub mod maintenance;
pub mod member;
pub mod monitor;
pub mod ping;
pub mod project;
pub mod rule;
pub mod run;
pub mod secret;
pub mod session;
mod setup;
pub mod snooze;
mod version;
pub mod watch;

use std::sync::Arc;

pub use error::{ServiceError, ServiceResult};
pub use setup::FirstStart;
use uuid::Uuid;
use watchclock_domain::Time;
use watchclock_notify::Notifier;
use watchclock_store::Store;

use crate::{cache::MonitorCache, clock::Clock, intake::Intake, loops::Wakes, secret::Seal};

/// What an instance is set up with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Without a slash at its end: `https://watch.example.com/sub`.
    pub base_url: String,
    pub allow_private_targets: bool,
    /// Whether an SMTP server is configured, so that pages can say so.
    pub mail_configured: bool,
}

/// The product: everything that pages, APIs, commands and loops do goes through here. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Watchclock {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    notifier: Notifier,
    clock: Arc<dyn Clock>,
    settings: Settings,
    seal: Seal,
    cache: MonitorCache,
    pasts: history::PastCache,
    known: known::KnownFacts,
    intake: Intake,
    wakes: Wakes,
    watch: watch::Watch,
    in_flight: deliver::InFlight,
}

impl Watchclock {
    /// Connects the parts and starts the task that gathers pings; needs a running tokio.
    pub fn new(
        store: Store,
        notifier: Notifier,
        clock: Arc<dyn Clock>,
        settings: Settings,
        seal: Seal,
    ) -> Self {
        let (intake, waiting) = Intake::new();
        let inner = Inner {
            store,
            notifier,
            clock,
            settings,
            seal,
            cache: MonitorCache::default(),
            pasts: history::PastCache::default(),
            known: known::KnownFacts::default(),
            intake,
            wakes: Wakes::default(),
            watch: watch::Watch::default(),
            in_flight: deliver::InFlight::default(),
        };
        let watchclock = Self { inner: Arc::new(inner) };
        intake::spawn(&watchclock, waiting);
        watchclock
    }

    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The time that counts.
    pub fn now(&self) -> Time {
        self.inner.clock.now()
    }

    fn store(&self) -> &Store {
        &self.inner.store
    }

    /// A new id that sorts by time.
    fn new_id(&self) -> Uuid {
        self.inner.clock.new_id()
    }
}
