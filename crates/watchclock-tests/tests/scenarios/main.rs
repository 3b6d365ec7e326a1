//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

mod limits;
mod overlap;
mod pause;
mod runs;
mod schedules;
