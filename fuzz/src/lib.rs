//! What is done with one random input; the targets that a fuzzer runs only hand their bytes over.
//!
//! The files are also part of the tests of the rooms they try (`tests/fuzzed` there), with inputs chosen by hand.

#[cfg(feature = "ping")]
pub mod ping;
pub mod rule;
pub mod schedule;
