//! Random bytes as a ping's path, query, headers and body.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| watchclock_fuzz::ping::request(data));
