//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

mod anomalies;
mod delivery;
mod extractors;
mod incidents;
mod limits;
mod monitors;
mod overlap;
mod pause;
mod pings;
mod rules;
mod rules_by_time;
mod runs;
mod schedules;
mod wire;
