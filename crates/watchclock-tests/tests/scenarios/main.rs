//! Scenarios against a real PostgreSQL, a file a noun: what a job does, what passes, what people hear of it.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

mod anomalies;
mod calendars;
mod caller;
mod clock_steps;
mod corrupt;
mod counts;
mod crowds;
mod delivery;
mod downtime;
mod extractors;
mod health;
mod incidents;
mod keep;
mod limits;
mod maintenance;
mod monitors;
mod overlap;
mod pages;
mod pairing;
mod pause;
mod ping_limit;
mod pings;
mod possible_rows;
mod recoveries;
mod refuse;
mod rules;
mod rules_by_time;
mod runs;
mod runs_doc;
mod schedules;
mod second_ends;
mod servers;
mod slots;
mod snooze;
mod users_clocks;
mod users_doors;
mod users_pings;
mod users_runs;
mod users_schedules;
mod versions;
mod wire;
mod zone_hints;
