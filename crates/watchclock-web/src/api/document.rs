//! `/v1/openapi.json`: the description of the API, made of the routes themselves, so that the two cannot differ.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::Value as Json;
use utoipa::{
    OpenApi as _, ToSchema as _,
    openapi::{
        ContentBuilder, OpenApi, Ref, RefOr, Required, Response as Described, ResponseBuilder, ServerBuilder,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn},
        schema::{ObjectBuilder, Type},
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::refusal::{MEDIA_TYPE, ProblemShape};

/// What stands around the operations.
#[derive(Debug, utoipa::OpenApi)]
#[openapi(
    info(
        title = "Watchclock",
        description = "The native API. Send a key with `Authorization: Bearer wc_…`; it opens one project. Refusals are \
            `application/problem+json` and name everything that is wrong at once. Times are RFC 3339 in UTC, lengths of \
            time are seconds; text such as `90s` or `PT5M` is understood, too."
    ),
    tags(
        (name = "monitors", description = "Scheduled jobs"),
        (name = "runs", description = "What jobs did"),
        (name = "incidents", description = "What is or was wrong"),
        (name = "maintenance", description = "When nothing is alerted"),
        (name = "channels", description = "Where alerts go"),
        (name = "rules", description = "Judging results"),
        (name = "calendars", description = "Days on which nothing is expected"),
        (name = "schedules", description = "When runs are expected"),
        (name = "projects", description = "What a key opens"),
        (name = "keys", description = "Keys of this API")
    ),
    components(schemas(ProblemShape)),
    security(("key" = []))
)]
struct Around;

/// The document before the routes have added themselves.
pub(super) fn around() -> OpenApi {
    Around::openapi()
}

/// Inputs with names, addresses and times for which there is nothing usual, so that null is not described.
const NEVER_NULL: [&str; 4] = ["CalendarInput", "ChannelInput", "MaintenanceWindowInput", "ProjectInput"];

/// Adds what is true of every operation, and where this instance is.
pub(super) fn finish(mut document: OpenApi, version: &str, base_url: &str) -> Json {
    version.clone_into(&mut document.info.version);
    document.info.license = None;
    document.servers = Some(vec![ServerBuilder::new().url(base_url).build()]);
    let mut components = document.components.take().unwrap_or_default();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "A key of the project, made on the settings page, by `watchclock key add` or by `POST /v1/keys`.",
    ));
    components.add_security_scheme("key", SecurityScheme::Http(bearer.build()));
    document.components = Some(components);
    for item in document.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.patch, &mut item.delete].into_iter().flatten() {
            refuse(operation);
        }
        if let Some(operation) = &mut item.post {
            refuse(operation);
            operation.parameters.get_or_insert_default().push(RefOr::T(idempotency_key()));
        }
    }
    let mut document = serde_json::to_value(&document).unwrap_or_default();
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Json::as_object_mut) {
        for (name, schema) in schemas {
            words(schema);
            if name.ends_with("Input") || name == "RuleTryRun" {
                as_read(schema, NEVER_NULL.contains(&name.as_str()));
            }
        }
    }
    document
}

/// What is one of a few words is described as such: `^(a|b)$` becomes a list of them.
fn words(json: &mut Json) {
    match json {
        Json::Object(map) => {
            let pattern = map.get("pattern").and_then(Json::as_str);
            let inner = pattern.and_then(|pattern| pattern.strip_prefix("^(")?.strip_suffix(")$"));
            if let Some(words) = inner.map(|words| words.split('|').map(str::to_owned).collect::<Vec<_>>()) {
                map.remove("pattern");
                map.insert("enum".to_owned(), words.into());
            }
            map.values_mut().for_each(words);
        }
        Json::Array(items) => items.iter_mut().for_each(words),
        _ => {}
    }
}

/// Inputs as they are read: no unknown fields. Null is as good as nothing, or sets what is usual, where there is such.
fn as_read(schema: &mut Json, never_null: bool) {
    let Some(schema) = schema.as_object_mut().filter(|schema| schema.contains_key("properties")) else {
        return;
    };
    schema.insert("additionalProperties".to_owned(), Json::Bool(false));
    if never_null && let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        without_null(properties);
    }
}

fn without_null(properties: &mut serde_json::Map<String, Json>) {
    for (_, property) in properties.iter_mut() {
        if let Some(kinds) = property.get_mut("type").and_then(Json::as_array_mut) {
            kinds.retain(|kind| kind != "null");
            if let [kind] = kinds.as_slice() {
                property["type"] = kind.clone();
            }
        } else if let Some(choices) = property.get_mut("oneOf").and_then(Json::as_array_mut) {
            choices.retain(|choice| choice["type"] != "null");
            if let [choice] = choices.as_slice() {
                *property = choice.clone();
            }
        }
    }
}

/// Every operation may be refused, and always in the same form.
fn refuse(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let reason = status.parse::<StatusCode>().ok().and_then(|status| status.canonical_reason());
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            reason.unwrap_or("Done").clone_into(&mut response.description);
        }
    }
    let has_body = operation.request_body.is_some();
    let in_path = |parameter: &RefOr<Parameter>| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Path);
    let takes_id = operation.parameters.iter().flatten().any(in_path);
    let mut add = |status: &str, description: &str| {
        operation.responses.responses.insert(status.to_owned(), RefOr::T(problem(description)));
    };
    add("401", "No key, or one that is not known");
    add("403", "The key may not do this");
    add("422", "Well-formed but wrong; `errors` has all of it");
    add("default", "Any other refusal: 409 what collides, 412 a stale `If-Match`, 503 with `Retry-After`");
    if has_body {
        add("400", "No valid JSON; `detail` says where");
    }
    if takes_id {
        add("404", "Not in this project");
    }
}

fn problem(description: &str) -> Described {
    let schema = Ref::from_schema_name(ProblemShape::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(description).content(MEDIA_TYPE, content).build()
}

fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("The same key within 24 hours gets the same answer, and nothing is done twice"))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(255))))
        .build()
}

/// Answers the document; it needs no key.
pub(super) fn answer(document: &str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], document.to_owned()).into_response()
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
