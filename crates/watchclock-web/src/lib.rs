//! HTTP of Watchclock: what comes in is decoded here, what goes out is rendered here; decisions live below.

pub mod assets;
pub mod pages;
pub mod ping;
