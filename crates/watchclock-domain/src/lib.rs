//! What Watchclock decides, as values: no IO, no async, no clock, no randomness, no serde.
//!
//! Facts and `now` go in; what changes comes out. The service carries it out, the store makes it durable.

pub mod calendar;
pub mod gap;
pub mod incident;
pub mod maintenance;
pub mod monitor;
pub mod ping;
pub mod ping_limit;
pub mod problem;
pub mod rule;
pub mod run;
pub mod schedule;
pub mod span;
pub mod timeline;
pub mod usual;
pub mod value;

/// A point in time, UTC. Zone arithmetic lives in [`schedule`] alone.
pub type Time = chrono::DateTime<chrono::Utc>;
