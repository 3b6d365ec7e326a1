//! Takes JSON text apart without building a tree, so that a large body costs little; it is understood in [`super::json`].

use std::fmt;

use serde::de::{self, DeserializeSeed as _, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Calls `each` for every entry of the object in `text`, in order.
pub(super) fn entries(text: &str, each: &mut dyn FnMut(&str, &RawValue)) -> Result<(), serde_json::Error> {
    struct Entries<'a>(&'a mut dyn FnMut(&str, &RawValue));

    impl<'de> Visitor<'de> for Entries<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                (self.0)(&key, value);
            }
            Ok(())
        }
    }

    impl<'de> de::DeserializeSeed<'de> for Entries<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_map(self)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    Entries(each).deserialize(&mut deserializer)?;
    deserializer.end()
}

/// The string that `raw` is.
pub(super) fn string_of(raw: &str) -> Option<String> {
    serde_json::from_str::<Lossy>(raw).ok().map(|text| text.0)
}

/// The strings that `raw` lists, if it lists nothing else.
pub(super) fn strings_of(raw: &str) -> Option<Vec<String>> {
    let texts: Vec<Lossy> = serde_json::from_str(raw).ok()?;
    Some(texts.into_iter().map(|text| text.0).collect())
}

/// How many elements the list in `raw` has.
pub(super) fn length_of(raw: &str) -> usize {
    serde_json::from_str::<Length>(raw).map_or(0, |length| length.0)
}

/// A string in which lone surrogates are replaced; as text, serde_json would refuse them.
struct Lossy(String);

impl<'de> de::Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Lossy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Lossy, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// How many elements a list has.
struct Length(usize);

impl<'de> de::Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;

        impl<'de> Visitor<'de> for Count {
            type Value = Length;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Length, A::Error> {
                let mut length = 0;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    length += 1;
                }
                Ok(Length(length))
            }
        }

        deserializer.deserialize_seq(Count)
    }
}

/// The text with `NaN`, `Infinity` and `-Infinity` outside of strings as null; none if there are none.
pub(super) fn without_not_finite(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, here) = rest.split_at(at);
        mended.push_str(before);
        let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| here.starts_with(word));
        let taken = if let Some(word) = word {
            mended.push_str("null");
            found = true;
            word.len()
        } else {
            let taken = if here.starts_with('"') { string_length(here) } else { 1 };
            mended.push_str(&here[..taken]);
            taken
        };
        rest = &here[taken..];
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// Length of the string literal at the start of `text`, with its quotes, in bytes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}
