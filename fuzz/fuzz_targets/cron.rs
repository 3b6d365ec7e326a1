//! Random bytes as a cron expression.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| watchclock_fuzz::schedule::cron(data));
