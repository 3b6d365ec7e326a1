//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

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
mod servers;
mod wire;
