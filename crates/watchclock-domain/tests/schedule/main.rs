//! Schedules against the reference libraries' vectors, and against a walk over real minutes; single parsers are tested beside their code.

#![expect(clippy::unwrap_used, reason = "tests may panic, their helpers too")]

mod any_text;
mod blanks;
mod calendar_oracle;
mod calendar_vectors;
mod cron_vectors;
mod days_off;
mod generate;
mod meant;
mod oracle;
mod random;
mod refusals;
mod second_opinion;
mod shorthand;
mod user_doc;
mod words;
mod words_seconds;
