//! What is kept of a body while it streams by: all of a small one, the end of a large one; read by [`super::content`].

use watchclock_domain::ping::Output;

use super::lines::Scanner;

/// Up to here a body is kept whole, so that JSON, form text and marked lines can be read from it.
pub(super) const WHOLE: usize = 1024 * 1024;
/// How much may gather beyond the limit before the front is dropped: fewer moves of the same bytes.
const SLACK: usize = 256 * 1024;

/// The bytes of a body, or its last ones. Never more than [`WHOLE`] and some slack.
#[derive(Debug)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    /// How many bytes went by before these.
    before: u64,
    /// How many bytes are to be kept of a body that is too large to be kept whole.
    limit: usize,
    /// Of a body that is too large: what its lines said, and whether it began like JSON.
    large: Option<Box<Large>>,
}

/// What is noticed of a large body as it goes by.
#[derive(Debug)]
pub(super) struct Large {
    pub(super) lines: Scanner,
    pub(super) like_json: bool,
}

/// Whether a body begins like a JSON object.
pub(super) fn like_json(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"{")
}

impl Kept {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), before: 0, limit: limit.min(WHOLE), large: None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.before == 0
    }

    /// How many bytes went by so far.
    pub(super) fn size(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.large.is_none() && self.bytes.len() + piece.len() <= WHOLE {
            self.bytes.extend_from_slice(piece);
            return;
        }
        if self.large.is_none() {
            self.become_large(piece);
        }
        if let Some(large) = &mut self.large {
            large.lines.feed(piece);
        }
        // Of a piece that is large itself only the end can matter.
        let (skipped, piece) = piece.split_at(piece.len().saturating_sub(self.limit));
        if !skipped.is_empty() {
            self.before += (self.bytes.len() + skipped.len()) as u64;
            self.bytes.clear();
        }
        self.bytes.extend_from_slice(piece);
        if self.bytes.len() > self.limit + SLACK {
            self.drop_front();
        }
    }

    /// The whole body, if it was small enough to be kept so.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        self.large.is_none().then_some(&self.bytes)
    }

    /// What was noticed of a large body, once.
    pub(super) fn take_large(&mut self) -> Option<Large> {
        self.large.take().map(|mut large| {
            large.lines.end_line();
            *large
        })
    }

    /// The last bytes as output, cut between two characters.
    pub(super) fn into_output(mut self) -> Output {
        self.drop_front();
        Output { tail: self.bytes, cut: self.before }
    }

    fn become_large(&mut self, next: &[u8]) {
        let start = if self.bytes.is_empty() { next } else { &self.bytes };
        let mut large = Large { lines: Scanner::default(), like_json: like_json(start) };
        large.lines.feed(&self.bytes);
        self.large = Some(Box::new(large));
        self.drop_front();
        self.bytes.shrink_to(self.limit + SLACK);
    }

    fn drop_front(&mut self) {
        let over = self.bytes.len().saturating_sub(self.limit);
        self.bytes.drain(..over);
        self.before += over as u64;
        if self.before > 0 {
            let broken = broken_start(&self.bytes);
            self.bytes.drain(..broken);
            self.before += broken as u64;
        }
    }
}

/// The last `limit` bytes of a text as output, cut between two characters.
pub(super) fn tail(text: &[u8], limit: usize) -> Output {
    let over = text.len().saturating_sub(limit);
    let start = if over == 0 { 0 } else { over + broken_start(&text[over..]) };
    Output { tail: text[start..].to_vec(), cut: start as u64 }
}

/// How many bytes at the start of a cut text are the rest of a character whose beginning is gone.
fn broken_start(bytes: &[u8]) -> usize {
    let rest = bytes.iter().take(4).take_while(|b| **b & 0b1100_0000 == 0b1000_0000).count();
    // Four in a row belong to no character: the text was not UTF-8 to begin with.
    if rest > 3 { 0 } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_bodies_are_whole() {
        let mut kept = Kept::new(3);
        kept.push(b"abc");
        kept.push(b"def");
        assert_eq!(kept.whole(), Some(&b"abcdef"[..]));
        assert_eq!(kept.into_output(), Output { tail: b"def".to_vec(), cut: 3 });
    }

    #[test]
    fn large_bodies_keep_their_end_and_their_lines() {
        for size in [1_000, 65_536, 3_000_000] {
            let mut body = b"watchclock: first=1\n".to_vec();
            body.extend(std::iter::repeat_n(&b"0123456789\n"[..], 400_000).flatten());
            body.extend_from_slice(b"watchclock: last=2\nthe end");
            let mut kept = Kept::new(1_000);
            for piece in body.chunks(size) {
                kept.push(piece);
                assert!(kept.bytes.len() <= WHOLE + SLACK);
            }
            assert_eq!((kept.whole(), kept.size()), (None, body.len() as u64));
            let large = kept.take_large().unwrap();
            let meta = large.lines.meta.finish(&mut super::super::notes::Notes::default());
            assert_eq!(meta.keys().collect::<Vec<_>>(), ["first", "last"]);
            assert!(!large.like_json);
            let output = kept.into_output();
            assert_eq!(output.tail, body[body.len() - 1_000..]);
            assert_eq!(output.size(), body.len() as u64);
        }
    }

    #[test]
    fn cuts_fall_between_characters() {
        let text = "é🦀€".repeat(100);
        for limit in 0..40 {
            let output = tail(text.as_bytes(), limit);
            assert!(std::str::from_utf8(&output.tail).is_ok(), "{limit}");
            assert!(output.tail.len() <= limit && output.tail.len() + 3 >= limit);
            assert_eq!(output.size(), text.len() as u64);
            let mut kept = Kept::new(limit);
            kept.push(text.as_bytes());
            assert_eq!(kept.into_output(), output);
        }
        // What was never UTF-8 is left alone, and so is what was not cut.
        assert_eq!(tail(&[0x80; 10], 5).tail, [0x80; 5]);
        assert_eq!(tail(&[0x80, b'a'], 5).tail, [0x80, b'a']);
    }

    #[test]
    fn a_large_body_may_look_like_json() {
        let mut kept = Kept::new(10);
        kept.push(b" {\"a\":\"");
        kept.push(&vec![b'x'; WHOLE]);
        assert!(kept.take_large().unwrap().like_json);
        let mut kept = Kept::new(0);
        kept.push(&vec![b'{'; WHOLE + 1]);
        assert!(kept.take_large().unwrap().like_json);
        assert_eq!(kept.into_output(), Output { tail: vec![], cut: WHOLE as u64 + 1 });
    }
}
