//! Scripts against the native API, a file a noun: what they send, what they get, and what they are told when it is wrong.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

mod agreement;
mod channels;
mod client;
mod document;
mod durability;
mod idempotency;
mod incidents;
mod keys;
mod lists;
mod monitors;
mod patches;
mod refusals;
mod runs;
mod strangers;
mod trials;
