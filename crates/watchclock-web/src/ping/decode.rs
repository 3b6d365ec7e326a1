//! Decodes one request into one ping; the routes and the answers live with the handler, pairing in the domain.

use std::net::IpAddr;

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue,
        header::{ACCEPT, USER_AGENT},
    },
};
use ipnet::IpNet;
use watchclock_domain::{
    Time,
    ping::{Ping, Source},
};

use super::{
    address::Action,
    body::{self, Patience},
    clean, content,
    kept::Kept,
    notes::Notes,
    query::{CreateRequest, Query},
    signal::settle,
    source, stamp,
};

/// Longest user agent that is kept, in characters.
const MAX_USER_AGENT_CHARS: usize = 500;
/// Longest idempotency key that stands for itself, in bytes.
const MAX_IDEMPOTENCY_KEY_BYTES: usize = 200;

/// One request to the address of a ping. The method does not matter here.
#[derive(Debug)]
pub struct Request<'a> {
    pub action: Action,
    pub query: Option<&'a str>,
    pub headers: &'a HeaderMap,
    pub body: Body,
    pub peer: IpAddr,
}

/// What the server is set to.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Peers that are believed when they say whom they speak for.
    pub trusted: &'a [IpNet],
    /// How many bytes of output are kept, at most 1 MiB.
    pub output_limit: usize,
    pub patience: Patience,
}

/// A request, understood.
#[derive(Debug)]
pub struct Decoded {
    pub ping: Ping,
    /// Asked for by `?create=1`; means something on addresses by slug only.
    pub create: Option<CreateRequest>,
    /// Whether the answer is to be JSON rather than `OK`.
    pub wants_json: bool,
}

/// Reads a request to its end and makes a ping of it. It never fails: what is not understood is noted on the ping.
/// `clock` is asked once, when everything has been read.
pub async fn decode(request: Request<'_>, settings: Settings<'_>, clock: impl FnOnce() -> Time) -> Decoded {
    let Request { action, query, headers, body, peer } = request;
    let mut notes = Notes::default();
    let kept = body::read(body, headers, settings.output_limit, settings.patience, &mut notes).await;
    understand(&Read { action, query, headers, peer, received_at: clock() }, kept, settings, notes)
}

/// A request that has been read to its end.
struct Read<'a> {
    action: Action,
    query: Option<&'a str>,
    headers: &'a HeaderMap,
    peer: IpAddr,
    received_at: Time,
}

/// Apart from the reading, so that what is only needed here takes no room while a body is waited for.
fn understand(read: &Read<'_>, kept: Kept, settings: Settings<'_>, body_notes: Notes) -> Decoded {
    let &Read { action, query, headers, peer, received_at } = read;
    let mut notes = Notes::default();
    let query = query.map(|query| Query::parse(query, &mut notes)).unwrap_or_default();
    notes.append(body_notes);
    let mut params = query.params;
    let content = content::interpret(kept, settings.output_limit, &mut notes);
    params.or(content.params);

    let action = match action {
        Action::End => query.action.unwrap_or(Action::End),
        named @ Action::Named(_) => named,
    };
    let (signal, exit_code) = settle(action, params.status.get(), params.exit.get(), &mut notes);
    let happened_at = params
        .stamp
        .get()
        .and_then(|at| stamp::believed(at, received_at).inspect_err(|note| notes.add(note.as_str())).ok());
    let source = Source {
        addr: Some(source::client(peer, headers, settings.trusted)),
        user_agent: headers.get(USER_AGENT).map(|agent| short(agent, MAX_USER_AGENT_CHARS)),
        host: params.host.get(),
        env: params.env.get(),
    };
    let meta = params.meta.finish(&mut notes);
    let ping = Ping {
        signal,
        run_id: params.run_id.get(),
        received_at,
        happened_at,
        exit_code,
        message: params.message.get(),
        meta,
        output: content.output,
        source,
        notes: notes.into_sentences(),
        idempotency_key: headers.get("idempotency-key").and_then(idempotency_key),
    };
    Decoded { ping, create: query.create, wants_json: wants_json(headers) }
}

fn short(value: &HeaderValue, max: usize) -> String {
    match value.to_str() {
        Ok(text) => clean::short(text, max),
        Err(_) => clean::short(&String::from_utf8_lossy(value.as_bytes()), max),
    }
}

/// The key if it can stand for itself, else its hash: two long keys must not become one by cutting.
fn idempotency_key(value: &HeaderValue) -> Option<String> {
    match value.to_str().map(str::trim) {
        Ok("") => None,
        // A header may hold tabs, a key that is kept and shown may not.
        Ok(key) if key.len() <= MAX_IDEMPOTENCY_KEY_BYTES && !key.contains(char::is_control) => {
            Some(key.to_owned())
        }
        _ => Some(clean::hashed(value.as_bytes())),
    }
}

/// Whether JSON is among what the client accepts by name; `*/*` is not enough, every client sends it.
fn wants_json(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        parts.next().is_some_and(|media| media.eq_ignore_ascii_case("application/json"))
            && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "decode_properties.rs"]
mod properties;
