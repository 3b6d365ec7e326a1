//! Schedules against the reference libraries' vectors, and against a walk over real minutes; single parsers are tested beside their code.

#![expect(clippy::unwrap_used, reason = "tests may panic, their helpers too")]

mod calendar_vectors;
mod cron_vectors;
mod oracle;
mod random;
mod refusals;
