//! What a body says: JSON, else form text, else output with marked lines; the bytes come from [`super::body`].

use std::borrow::Cow;

use watchclock_domain::ping::Output;

use super::{
    form, json,
    kept::{Kept, WHOLE, like_json, tail},
    lines,
    notes::Notes,
    params::Params,
};

/// A body, understood.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) params: Params,
    pub(super) output: Output,
}

/// Reads a body. The content type is not asked: too many clients tell a wrong one.
pub(super) fn interpret(mut kept: Kept, limit: usize, notes: &mut Notes) -> Content {
    if kept.is_empty() {
        return Content::default();
    }
    let mut params = Params::default();
    if let Some(large) = kept.take_large() {
        if large.like_json {
            notes.add(format!("metadata ignored: JSON larger than {WHOLE} bytes"));
        }
        params.meta = large.lines.meta;
        notes.append(large.lines.notes);
        return Content { params, output: kept.into_output() };
    }
    let bytes = kept.whole().unwrap_or_default();
    let text = utf8(bytes);
    if like_json(&text) {
        match json::read(&String::from_utf8_lossy(&text), notes) {
            Ok(said) => {
                let mut params = said.params;
                let output = said.output.map(|output| {
                    let mut marked = Params::default();
                    lines::read(output.as_bytes(), &mut marked.meta, notes);
                    params.or(marked);
                    tail(output.as_bytes(), limit)
                });
                return Content { params, output: output.unwrap_or_else(|| tail(&text, limit)) };
            }
            Err(note) => notes.add(note),
        }
    }
    if form::is_form(&text) {
        form::read(&text, &mut params, notes);
    } else {
        lines::read(&text, &mut params.meta, notes);
    }
    let output = match text {
        Cow::Borrowed(text) if text.len() == bytes.len() => kept.into_output(),
        text => tail(&text, limit),
    };
    Content { params, output }
}

/// The body as UTF-8: without a byte order mark, and decoded where the mark says UTF-16 (PowerShell's `>` writes it).
fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let decoded = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Cow::Owned(text.into_bytes())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => decoded(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decoded(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        _ => Cow::Borrowed(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreted(body: &[u8]) -> (String, Output, Vec<String>) {
        let (mut kept, mut notes) = (Kept::new(100), Notes::default());
        kept.push(body);
        let content = interpret(kept, 100, &mut notes);
        let meta = content.params.meta.finish(&mut notes);
        let meta: Vec<_> = meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
        (meta.join(" "), content.output, notes.into_sentences())
    }

    fn utf16(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn three_steps() {
        for (body, meta, output) in [
            ("", "", ""),
            ("{\"rows\":0}", "rows=0", "{\"rows\":0}"),
            (" \n{\"rows\":0}\n", "rows=0", " \n{\"rows\":0}\n"),
            ("{\"rows\":0,\"output\":\"hi\"}", "rows=0", "hi"),
            ("{\"a\":1,\"stdout\":\"x\\nwatchclock: a=2 b=3\"}", "a=1 b=3", "x\nwatchclock: a=2 b=3"),
            ("records_processed=0", "records_processed=0", "records_processed=0"),
            ("a=1&b=two", "a=1 b=two", "a=1&b=two"),
            ("a=1&b=two\n", "", "a=1&b=two\n"),
            ("all done", "", "all done"),
            ("all done\nwatchclock: rows=5\n", "rows=5", "all done\nwatchclock: rows=5\n"),
            ("[1,2]", "", "[1,2]"),
            ("\"text\"", "", "\"text\""),
            ("5", "", "5"),
        ] {
            let (read, kept, notes) = interpreted(body.as_bytes());
            assert_eq!((read.as_str(), &*kept.text()), (meta, output), "{body}");
            assert!(notes.is_empty(), "{body}: {notes:?}");
        }
    }

    #[test]
    fn broken_json_is_output_with_a_note() {
        let (meta, output, notes) = interpreted(b"{\"records\": 12,}\nwatchclock: rows=5");
        assert_eq!(meta, "rows=5");
        assert_eq!(output.text(), "{\"records\": 12,}\nwatchclock: rows=5");
        assert_eq!(notes, ["metadata ignored: invalid JSON at byte 16"]);
    }

    #[test]
    fn byte_order_marks() {
        for body in [
            utf16("{\"rows\":\"é🦀\"}", [0xff, 0xfe], u16::to_le_bytes),
            utf16("{\"rows\":\"é🦀\"}", [0xfe, 0xff], u16::to_be_bytes),
            "\u{feff}{\"rows\":\"é🦀\"}".as_bytes().to_vec(),
        ] {
            let (meta, output, _) = interpreted(&body);
            assert_eq!((meta.as_str(), output.text().as_str()), ("rows=é🦀", "{\"rows\":\"é🦀\"}"));
        }
        let (meta, output, _) = interpreted(&utf16("rows=5", [0xff, 0xfe], u16::to_le_bytes));
        assert_eq!((meta.as_str(), output.text().as_str()), ("rows=5", "rows=5"));
        let (_, output, _) = interpreted(&[0xff, 0xfe, b'a', 0, 0x00, 0xd8]);
        assert_eq!(output.text(), "a\u{fffd}");
    }

    #[test]
    fn bytes_that_are_no_text() {
        let (meta, output, notes) = interpreted(b"\xc3\x28 \0 \xed\xa0\x80");
        assert_eq!((meta.as_str(), output.tail.as_slice()), ("", &b"\xc3\x28 \0 \xed\xa0\x80"[..]));
        assert!(!output.text().contains('\0') && notes.is_empty());
        let (meta, ..) = interpreted(b"{\"k\":\"caf\xe9\"}");
        assert_eq!(meta, "k=caf\u{fffd}");
    }

    #[test]
    fn the_end_is_kept() {
        let body = format!("{{\"output\":\"{}é\",\"rows\":1}}", "x".repeat(200));
        let (meta, output, _) = interpreted(body.as_bytes());
        assert_eq!((meta.as_str(), output.tail.len(), output.cut), ("rows=1", 100, 102));
        let (_, output, _) = interpreted("y".repeat(150).as_bytes());
        assert_eq!((output.tail.len(), output.cut), (100, 50));
    }

    #[test]
    fn large_json_is_output() {
        let body = format!("{{\"rows\":1,\"x\":\"{}\"}}", "x".repeat(WHOLE));
        let (meta, output, notes) = interpreted(body.as_bytes());
        assert_eq!((meta.as_str(), output.size()), ("", body.len() as u64));
        assert_eq!(notes, ["metadata ignored: JSON larger than 1048576 bytes"]);
    }
}
