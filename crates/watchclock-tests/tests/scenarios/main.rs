//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

mod anomalies;
mod delivery;
mod downtime;
mod extractors;
mod health;
mod incidents;
mod limits;
mod maintenance;
mod monitors;
mod overlap;
mod pause;
mod pings;
mod refuse;
mod rules;
mod rules_by_time;
mod runs;
mod schedules;
mod snooze;
mod wire;
