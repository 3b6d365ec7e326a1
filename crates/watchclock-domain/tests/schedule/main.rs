//! Schedules against the reference libraries' vectors, and against a walk over real minutes; single parsers are tested beside their code.

mod cron_vectors;
mod oracle;
mod random;
mod refusals;
