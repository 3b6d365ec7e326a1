//! Reads the body of a ping to its end, whatever its size, and unpacks it; what it says is read by [`super::content`].

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream, Bytes, HttpBody as _},
    http::{HeaderMap, header::CONTENT_ENCODING},
};
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};

use super::{
    clean,
    kept::Kept,
    notes::Notes,
    unpack::{Encoding, STEP, Unpacker, is_gzip},
};

/// How long a body may take. A job that is piped into its ping (`job | curl -T - URL`) needs some patience.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Longest wait for the next bytes.
    pub idle: Duration,
    /// Longest wait for all of them.
    pub total: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { idle: Duration::from_mins(1), total: Duration::from_mins(10) }
    }
}

/// Reads a body. It never fails: what came is kept, what went wrong is noted.
pub(super) async fn read(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    patience: Patience,
    notes: &mut Notes,
) -> Kept {
    if body.is_end_stream() {
        return Kept::new(limit);
    }
    // Most pings have no body: a box for the others, rather than room to unpack one in all.
    Box::pin(read_to_end(body, headers, limit, patience, notes)).await
}

async fn read_to_end(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    patience: Patience,
    notes: &mut Notes,
) -> Kept {
    let mut raw = Kept::new(limit);
    let encoding = encoding(headers, notes);
    let mut pieces =
        Pieces { stream: body.into_data_stream(), end: Instant::now() + patience.total, patience };
    let mut first = Vec::new();
    let mut unpacker = None;
    let mut begun = false;
    while let Some(piece) = pieces.next(&raw, notes).await {
        if !begun {
            // The first three bytes tell what it is; they may come one by one.
            first.extend_from_slice(&piece[..piece.len().min(3)]);
            if first.len() < 3 {
                raw.push(&piece);
                continue;
            }
            begun = true;
            let encoding = encoding.or_else(|| is_gzip(&first).then_some(Encoding::Gzip));
            unpacker = encoding.and_then(|encoding| Unpacker::of(encoding, &first, limit));
            if let Some(unpacker) = &mut unpacker {
                // What came before this piece is still whole in `raw`.
                unpacker.push(raw.whole().unwrap_or_default());
            } else if encoding.is_some() {
                notes.add("body is not compressed as its Content-Encoding says; kept as it came");
            }
        }
        raw.push(&piece);
        if let Some(unpacker) = &mut unpacker {
            for step in piece.chunks(STEP) {
                unpacker.push(step);
                tokio::task::yield_now().await;
            }
        }
    }
    unpacker.and_then(|unpacker| unpacker.finish(notes)).unwrap_or(raw)
}

/// The pieces of a body, until the end, an error, or the end of patience.
struct Pieces {
    stream: BodyDataStream,
    end: Instant,
    patience: Patience,
}

impl Pieces {
    async fn next(&mut self, so_far: &Kept, notes: &mut Notes) -> Option<Bytes> {
        let until = self.end.min(Instant::now() + self.patience.idle);
        match timeout_at(until, self.stream.next()).await {
            Ok(Some(Ok(piece))) => Some(piece),
            Ok(None) => None,
            Ok(Some(Err(_))) => {
                notes.add(format!("body broke off after {} bytes", so_far.size()));
                None
            }
            Err(_) => {
                notes.add(format!("body took too long; the first {} bytes were read", so_far.size()));
                None
            }
        }
    }
}

/// How the body says that it is packed. What we cannot unpack is kept as it comes.
fn encoding(headers: &HeaderMap, notes: &mut Notes) -> Option<Encoding> {
    let name = String::from_utf8_lossy(headers.get(CONTENT_ENCODING)?.as_bytes());
    let name = name.trim();
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("gzip") || is("x-gzip") {
        return Some(Encoding::Gzip);
    }
    if is("deflate") {
        return Some(Encoding::Deflate);
    }
    if !is("identity") && !name.is_empty() {
        notes.add(format!(
            "Content-Encoding `{}` is not known here; body kept as it came",
            clean::short(name, 40)
        ));
    }
    None
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
