//! What browsers see: view structs, and the geometry of the drawings in them; handlers fill both.

pub mod chart;
pub mod mini;
mod overlap;
pub mod snippets;
pub mod tape;
pub mod views;
pub mod words;

/// Every page.
pub(crate) fn routes(_web: &crate::state::Web) -> axum::Router<crate::state::Web> {
    axum::Router::new()
}
