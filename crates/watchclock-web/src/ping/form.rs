//! Form text as a body, `a=1&b=two`; a body that is not strictly that is read by [`super::lines`].

use url::form_urlencoded;

use super::{
    notes::Notes,
    params::{Heard, Params},
};

/// Whether a key is `[A-Za-z_][A-Za-z0-9_.-]*`.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && key.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// Whether a body is form text: pairs of a key and a value throughout, no raw blanks, line breaks or control characters.
pub(super) fn is_form(body: &[u8]) -> bool {
    body.split(|b| *b == b'&').all(|pair| {
        let key = pair.split(|b| *b == b'=').next().unwrap_or_default();
        key.len() < pair.len() && is_key(key)
    }) && !body.iter().any(|b| *b <= b' ' || *b == 0x7f)
}

/// Reads form text: our names mean what they say, all others are metadata. A value that makes no sense under
/// one of our names is metadata too.
pub(super) fn read(body: &[u8], params: &mut Params, notes: &mut Notes) {
    for (key, word) in form_urlencoded::parse(body) {
        if params.hear(&key, &word, notes) != Heard::Understood {
            params.meta.put_word(&key, &word, notes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictly_form_text() {
        for body in [
            "a=1",
            "records_processed=0",
            "a=1&b=two",
            "_x=",
            "a.b-c=1",
            "a=%20+x",
            "a=b=c",
            "a=é",
            "a=1&a=2",
        ] {
            assert!(is_form(body.as_bytes()), "{body}");
        }
        for body in [
            "",
            "a",
            "=",
            "=1",
            "a=1&",
            "&a=1",
            "a=1&&b=2",
            "a=1&b",
            "1a=1",
            "a b=1",
            "a=1 b",
            "a=1\n",
            "a=1\nb=2",
            "a+b=1",
            "a[]=1",
            "é=1",
            "a=\0",
            "a\t=1",
            "-a=1",
            "done",
            "{\"a\":1}",
            "<a b=\"1\">",
            "http://x/?a=1",
        ] {
            assert!(!is_form(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn names_and_metadata() {
        let (mut params, mut notes) = (Params::default(), Notes::default());
        read(b"rid=a&rows=0&note=two+words%21&meta.x=1&status=healthy&ok=true", &mut params, &mut notes);
        assert_eq!(params.run_id.get().unwrap().key, "a");
        let meta = params.meta.finish(&mut notes);
        let read: Vec<_> = meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(read, ["note=two words!", "ok=true", "rows=0", "status=healthy", "x=1"]);
        assert_eq!(notes.into_sentences(), ["status not understood: `healthy`"]);
    }
}
