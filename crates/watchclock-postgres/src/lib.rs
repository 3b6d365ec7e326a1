//! Runs a private PostgreSQL below a data directory and keeps it running; what is stored in it is the store's concern.
//!
//! The parts, in the order in which a start uses them: `lock` (one owner per data directory), `binaries` (which
//! PostgreSQL), `home` (where its files live), `account` (whose files they are), `cluster` (first start),
//! `orphan` (what an earlier owner left behind), `supervisor` (the running process), `probe` (is it ready).
//!
//! Nothing here is async: calls block for as long as PostgreSQL needs, so an async caller uses a blocking thread.

mod access;
mod account;
mod binaries;
mod cluster;
mod connection;
mod error;
mod home;
mod lock;
mod log;
mod orphan;
mod private;
mod probe;
mod process;
mod settings;
mod supervisor;

pub use access::Access;
pub use connection::Connection;
pub use error::StartError;
pub use private::PrivatePostgres;
pub use settings::{LogSink, PostgresSettings};
