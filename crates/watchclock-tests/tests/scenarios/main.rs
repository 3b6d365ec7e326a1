//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

mod delivery;
mod incidents;
mod limits;
mod monitors;
mod overlap;
mod pause;
mod pings;
mod rules;
mod runs;
mod schedules;
mod wire;
