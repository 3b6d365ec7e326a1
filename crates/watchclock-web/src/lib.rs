//! HTTP of Watchclock: what comes in is decoded here, what goes out is rendered here; decisions live below.

mod api;
mod app;
pub mod assets;
#[cfg(test)]
mod contrast_tests;
mod health;
mod metrics;
pub mod pages;
pub mod ping;
mod state;

pub use app::app;
pub use state::{Web, WebSettings};
