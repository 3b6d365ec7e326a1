//! What the feature tests share: receivers on loopback, and the harness that drives a whole server. Nothing depends on it.

pub mod smtp;
pub mod webhook;
