//! One struct per template: plain text, flags and lists, nothing that a template would have to decide.
//!
//! Handlers fill them. Words of the domain (`healthy`, `failed`, `critical` …) are passed as they are written in the
//! API; they pick class and mark in the templates. Text is escaped there; nothing here is HTML.

pub mod channels;
pub mod error;
pub mod incident_page;
pub mod incidents;
pub mod monitor_form;
pub mod monitor_page;
pub mod monitors;
pub mod parts;
pub mod run_page;
pub mod settings;
pub mod shell;
pub mod sign_in;
