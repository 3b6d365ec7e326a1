//! Random bytes as a calendar expression.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| watchclock_fuzz::schedule::oncalendar(data));
