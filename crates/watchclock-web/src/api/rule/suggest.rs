//! `GET /v1/rules/suggestions`: rules that would have been quiet over a monitor's past.

use axum::{Json as Answer, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::super::{auth::Reader, monitor, params::Query, refusal::Refusal, shape::Listing};
use crate::state::Web;

/// A rule that was never true for a good run of a monitor, and why one may want it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleSuggestion)]
pub(in super::super) struct SuggestionShape {
    #[schema(example = "records_processed eq 0")]
    when: String,
    #[schema(example = "records_processed has never been 0 in 42 good runs")]
    why: String,
}

/// Suggests rules for a monitor
///
/// Rules that would have been quiet over its last runs.
#[utoipa::path(get, path = "/v1/rules/suggestions", tag = "rules", operation_id = "suggestRules",
    params(("monitor" = String, Query, description = "Id or slug")),
    responses((status = 200, body = Listing<SuggestionShape>)))]
pub(in super::super) async fn suggestions(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<SuggestionShape>>, Refusal> {
    let mut params = query.params(&["monitor"]);
    let monitor = params.text("monitor");
    if monitor.as_deref().unwrap_or_default().is_empty() {
        params.wrong("monitor", "say for which monitor: its id or slug");
    }
    params.done()?;
    let monitor = monitor::find(&web, &caller, &monitor.unwrap_or_default()).await?.monitor.id.to_string();
    let suggestions = web.watchclock().suggest_rules(caller.project(), &monitor).await?;
    let shape = |suggestion: watchclock_domain::rule::Suggestion| SuggestionShape {
        when: suggestion.when,
        why: suggestion.why,
    };
    Ok(Answer(Listing::new(None, suggestions.into_iter().map(shape).collect())))
}
