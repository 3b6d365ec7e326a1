//! Metadata as it is gathered from a ping, within its limits; the values themselves are [`watchclock_domain::value`].

use watchclock_domain::value::{MAX_KEY_CHARS, MAX_KEYS, MAX_TEXT_CHARS, Meta, Number, Value};

use super::{clean, notes::Notes};

/// Metadata so far. Of one key the last value stands.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    values: Meta,
    /// Values that found no room.
    beyond: usize,
}

impl Metadata {
    /// Whether a key may still become one of ours, however it goes on.
    pub(super) fn may_be_key(key: &str) -> bool {
        key.len() <= MAX_KEY_CHARS || key.chars().nth(MAX_KEY_CHARS).is_none()
    }

    /// Keeps a value, or what of it is within the limits.
    pub(super) fn put(&mut self, key: &str, value: Value, notes: &mut Notes) {
        if key.is_empty() {
            return notes.add("metadata without a key dropped");
        }
        if !Self::may_be_key(key) {
            let start = clean::short(key, 40);
            return notes
                .add(format!("metadata `{start}…` dropped: key longer than {MAX_KEY_CHARS} characters"));
        }
        let key = clean::text(key, MAX_KEY_CHARS).0;
        if self.values.len() >= MAX_KEYS && !self.values.contains_key(&key) {
            self.beyond += 1;
            return;
        }
        let value = match value {
            Value::Text(raw) => {
                let (text, cut) = clean::text(&raw, MAX_TEXT_CHARS);
                if cut {
                    let name = clean::short(&key, MAX_KEY_CHARS);
                    notes.add(format!("metadata `{name}` cut to {MAX_TEXT_CHARS} characters"));
                }
                Value::Text(text)
            }
            other => other,
        };
        self.values.insert(key, value);
    }

    /// Keeps a value that came as a bare word: a flag, a number, or text. What is no number by name is dropped.
    pub(super) fn put_word(&mut self, key: &str, word: &str, notes: &mut Notes) {
        if is_not_finite(word) {
            let name = clean::short(key, MAX_KEY_CHARS);
            return notes.add(format!("metadata `{name}` dropped: {word} is no number"));
        }
        self.put(key, Value::of_word(word), notes);
    }

    /// Keeps `KEY:VALUE`; false if it is not of that form.
    pub(super) fn put_pair(&mut self, pair: &str, notes: &mut Notes) -> bool {
        match pair.split_once(':') {
            Some((key, word)) if !key.trim().is_empty() => {
                self.put_word(key.trim(), word.trim(), notes);
                true
            }
            _ => false,
        }
    }

    /// Keeps a count, as of the elements of a list.
    pub(super) fn put_count(&mut self, key: &str, count: usize, notes: &mut Notes) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.put(key, Value::Number(Number::from(count)), notes);
    }

    /// Takes over what `other` has and this has not.
    pub(super) fn or(&mut self, other: Self) {
        self.beyond += other.beyond;
        if self.values.is_empty() {
            self.values = other.values;
            return;
        }
        for (key, value) in other.values {
            if self.values.len() < MAX_KEYS {
                self.values.entry(key).or_insert(value);
            } else if !self.values.contains_key(&key) {
                self.beyond += 1;
            }
        }
    }

    pub(super) fn finish(self, notes: &mut Notes) -> Meta {
        if self.beyond > 0 {
            notes.add(format!("metadata beyond {MAX_KEYS} keys dropped: {} values", self.beyond));
        }
        self.values
    }
}

fn is_not_finite(word: &str) -> bool {
    let bare = word.strip_prefix(['-', '+']).unwrap_or(word);
    ["nan", "inf", "infinity"].iter().any(|name| bare.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(words: &[(&str, &str)]) -> (Meta, Vec<String>) {
        let (mut metadata, mut notes) = (Metadata::default(), Notes::default());
        for (key, word) in words {
            metadata.put_word(key, word, &mut notes);
        }
        (metadata.finish(&mut notes), notes.into_sentences())
    }

    #[test]
    fn words_become_values() {
        let (meta, notes) =
            gathered(&[("n", "9007199254740993"), ("f", "true"), ("t", "12 rows"), ("n", "0.10")]);
        assert_eq!(meta["n"], Value::Number(Number::parse("0.1").unwrap()));
        assert_eq!(meta["f"], Value::Flag(true));
        assert_eq!(meta["t"], Value::Text("12 rows".into()));
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn what_is_no_number_by_name_is_dropped() {
        for word in ["NaN", "nan", "-inf", "+Inf", "Infinity", "-Infinity"] {
            let (meta, notes) = gathered(&[("n", word)]);
            assert!(meta.is_empty(), "{word}");
            assert_eq!(notes.len(), 1);
        }
    }

    #[test]
    fn limits_drop_and_tell() {
        let long_key = "é".repeat(101);
        let long_text = "é".repeat(1_001);
        let (meta, notes) =
            gathered(&[(&long_key, "1"), ("t", &long_text), ("", "1"), (&"é".repeat(100), "1")]);
        assert_eq!(meta.len(), 2);
        assert_eq!(meta["t"], Value::Text("é".repeat(1_000)));
        assert_eq!(notes.len(), 3, "{notes:?}");
    }

    #[test]
    fn two_hundred_keys() {
        let (mut metadata, mut notes) = (Metadata::default(), Notes::default());
        for i in 0..250 {
            metadata.put_count(&format!("k{i}"), i, &mut notes);
        }
        metadata.put_count("k0", 7, &mut notes);
        let meta = metadata.finish(&mut notes);
        assert_eq!((meta.len(), &meta["k0"]), (200, &Value::Number(7.into())));
        assert_eq!(notes.into_sentences(), ["metadata beyond 200 keys dropped: 50 values"]);
    }

    #[test]
    fn nul_is_replaced() {
        let (meta, _) = gathered(&[("a\0b", "c\0d")]);
        assert_eq!(meta["a\u{fffd}b"], Value::Text("c\u{fffd}d".into()));
    }
}
