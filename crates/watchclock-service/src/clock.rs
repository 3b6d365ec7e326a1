//! The clock, and ids that sort by it. The only place below the binary that asks what time it is.

use std::sync::{
    Mutex,
    atomic::{AtomicI64, Ordering},
};

use chrono::{DateTime, Duration, Utc};
use uuid::{ContextV7, Timestamp, Uuid};
use watchclock_domain::Time;

/// Tells the time and makes ids.
pub trait Clock: std::fmt::Debug + Send + Sync {
    fn now(&self) -> Time;

    /// A version 7 UUID: sorts by this clock's time, and by order of making within a millisecond.
    fn new_id(&self) -> Uuid;
}

/// Ids in order, for any time.
#[derive(Debug)]
struct Ids(Mutex<ContextV7>);

impl Default for Ids {
    fn default() -> Self {
        Self(Mutex::new(ContextV7::new()))
    }
}

impl Ids {
    fn new_id(&self, now: Time) -> Uuid {
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        let context = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Uuid::new_v7(Timestamp::from_unix(&*context, seconds, now.timestamp_subsec_nanos()))
    }
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock(Ids);

impl Clock for SystemClock {
    fn now(&self) -> Time {
        // PostgreSQL keeps microseconds; what we remember must equal what we wrote.
        let now = std::time::SystemTime::now();
        let since = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn new_id(&self) -> Uuid {
        self.0.new_id(self.now())
    }
}

/// A clock that stands still until it is told otherwise; for tests and for making demo data.
#[derive(Debug)]
pub struct ManualClock {
    micros: AtomicI64,
    ids: Ids,
}

impl ManualClock {
    pub fn new(now: Time) -> Self {
        Self { micros: AtomicI64::new(now.timestamp_micros()), ids: Ids::default() }
    }

    pub fn set(&self, now: Time) {
        self.micros.store(now.timestamp_micros(), Ordering::SeqCst);
    }

    pub fn advance(&self, by: Duration) {
        self.set(self.now() + by);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        micros(self.micros.load(Ordering::SeqCst))
    }

    fn new_id(&self) -> Uuid {
        self.ids.new_id(self.now())
    }
}

fn micros(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or_default()
}
