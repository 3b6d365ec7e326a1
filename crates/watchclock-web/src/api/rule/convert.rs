//! `POST /v1/rules/convert`: rules as other services write them, in our words.

use axum::Json as Answer;
use serde::Serialize;
use utoipa::ToSchema;
use watchclock_domain::rule::{self, Dialect};

use super::super::{
    auth::Reader,
    fields::{Fields, Problems},
    params::Query,
    refusal::Refusal,
    sent::Sent,
};

/// Fields of the call.
pub(in super::super) const FIELDS: [&str; 2] = ["text", "from"];

/// A rule as it was written elsewhere.
#[derive(Debug, ToSchema)]
#[schema(as = RuleConvertInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(in super::super) struct ConvertInput {
    #[schema(example = "metric.duration < 5 min")]
    text: String,
    /// Whose words they are; guessed unless given.
    #[schema(example = "cronitor", pattern = "^(crontify|cronitor|cronping)$")]
    from: Option<String>,
}

/// The same rule in our words, to be confirmed before it is saved.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleConverted)]
pub(in super::super) struct ConvertedShape {
    #[schema(example = "duration ge 5m")]
    when: String,
    #[schema(example = "cronitor", pattern = "^(crontify|cronitor|cronping)$")]
    from: &'static str,
    /// What was done to it.
    why: String,
}

/// Translates a rule of another service
///
/// Nothing is stored. A rule that cannot be translated is answered with 422 and, as `at`, the place in its text.
#[utoipa::path(post, path = "/v1/rules/convert", tag = "rules", operation_id = "convertRule",
    request_body(content = ConvertInput, example = json!({"text": "metric.duration < 5 min"})),
    responses((status = 200, body = ConvertedShape)))]
pub(in super::super) async fn convert(
    _caller: Reader,
    query: Query,
    sent: Sent,
) -> Result<Answer<ConvertedShape>, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let read = Fields::of(sent.json()?, "", &FIELDS, &mut problems).map(|mut fields| {
        if !fields.has("text") {
            fields.wrong("text", "give the rule: \"metric.duration < 5 min\"");
        }
        fields.drop_nulls();
        (fields.text("text"), fields.word("from", &Dialect::ALL, Dialect::word))
    });
    let Some((Some(text), from)) = read.filter(|_| problems.is_empty()) else {
        return Err(Refusal::wrong(problems));
    };
    match rule::convert(&text, from) {
        Ok(converted) => Ok(Answer(ConvertedShape {
            when: converted.when,
            from: converted.from.word(),
            why: converted.why,
        })),
        Err(found) => {
            Err(Refusal::wrong(found.into_iter().map(|problem| problem.in_field("text")).collect()))
        }
    }
}
