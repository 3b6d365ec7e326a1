//! Random bytes as a rule.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| watchclock_fuzz::rule::condition(data));
