//! What the feature tests share: receivers on loopback, and the harness that drives a whole server. Nothing depends on it.
//!
//! A scenario reads like a story:
//!
//! ```no_run
//! # async fn story() {
//! let world = watchclock_tests::World::new().await;
//! world.at("2027-01-04T00:00:00Z");
//! let job = world.monitor("nightly").cron("0 3 * * *").grace("10m").create().await;
//! world.advance("4h").await;
//! assert_eq!(job.tape().await, "#1 missed");
//! assert_eq!(world.subjects().await.len(), 1);
//! # }
//! ```
//!
//! `world` is the stage (a database, a clock that stands still, receivers, a server), `job` acts on one monitor as its job
//! would, `visitor` looks at pages, `monitor` configures one, `api` calls the native API, `database` and `postgres` provide a
//! real PostgreSQL, `wire` is a raw connection.

mod api;
pub mod database;
mod facts;
pub mod job;
pub mod monitor;
mod postgres;
pub mod smtp;
mod tape;
pub mod visitor;
pub mod webhook;
pub mod wire;
pub mod world;

pub use job::{Job, Reply};
pub use visitor::Visitor;
pub use world::World;
