//! Random bytes as a rule. It counts what it covers, which makes everything some twenty times slower: a limit is checked all
//! the same, and the millisecond in a build without that (`watchclock-domain/tests/fuzzed`) with all inputs that are kept.

#![no_main]

use std::time::Duration;

libfuzzer_sys::fuzz_target!(|data: &[u8]| watchclock_fuzz::rule::within(Duration::from_millis(40), data));
