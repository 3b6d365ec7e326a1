//! What a JSON object says as a body; how its text is taken apart is told in [`super::json_text`].

use serde_json::value::RawValue;
use watchclock_domain::value::{MAX_KEY_CHARS, Number, Value};

use super::{
    clean,
    json_text::{entries, length_of, string_of, strings_of, without_not_finite},
    meta::Metadata,
    notes::Notes,
    params::{Heard, Params},
};

/// What a JSON body says.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) params: Params,
    /// From `output`, `logOutput`, `stdout` and `stderr`, in this order, one per line.
    pub(super) output: Option<String>,
}

/// Reads a JSON object; an error is the sentence that says where it is broken.
pub(super) fn read(text: &str, notes: &mut Notes) -> Result<Said, String> {
    let broken = match read_strict(text) {
        Ok((said, told)) => {
            notes.append(told);
            return Ok(said);
        }
        Err(broken) => broken,
    };
    // Python and others write NaN and Infinity, which JSON does not have.
    if let Some(mended) = without_not_finite(text)
        && let Ok((said, told)) = read_strict(&mended)
    {
        notes.add("NaN and infinities dropped");
        notes.append(told);
        return Ok(said);
    }
    let before: usize = text.split_inclusive('\n').take(broken.line().saturating_sub(1)).map(str::len).sum();
    Err(format!("metadata ignored: invalid JSON at byte {}", before + broken.column()))
}

fn read_strict(text: &str) -> Result<(Said, Notes), serde_json::Error> {
    let mut reading = Reading::default();
    entries(text, &mut |key, raw| reading.entry(key, raw))?;
    Ok(reading.finish())
}

const OUTPUTS: [&str; 4] = ["output", "logOutput", "stdout", "stderr"];
const CONTAINERS: [&str; 3] = ["meta", "metrics", "metadata"];

/// An object, half read.
#[derive(Default)]
struct Reading {
    said: Said,
    notes: Notes,
    outputs: [Option<String>; OUTPUTS.len()],
    contained: bool,
    /// What none of our names explains: metadata, unless the object says by `meta` what is.
    rest: Metadata,
    rest_notes: Notes,
    rest_names: Vec<String>,
}

impl Reading {
    fn entry(&mut self, key: &str, raw: &RawValue) {
        let raw = raw.get();
        if raw == "null" {
            return;
        }
        if raw.starts_with('{') && CONTAINERS.contains(&key) {
            self.contained = true;
            return flatten("", raw, &mut self.said.params.meta, &mut self.notes);
        }
        if let Some(key) = key.strip_prefix("meta.").filter(|key| !key.is_empty()) {
            return flatten(key, raw, &mut self.said.params.meta, &mut self.notes);
        }
        if let Some(at) = OUTPUTS.iter().position(|name| *name == key)
            && let Some(text) = text_of(raw)
        {
            self.outputs[at] = Some(text);
            return;
        }
        if self.hear(key, raw) == Heard::Understood {
            return;
        }
        if self.rest_names.len() < 5 {
            self.rest_names.push(format!("`{}`", clean::short(key, 40)));
        }
        flatten(key, raw, &mut self.rest, &mut self.rest_notes);
    }

    fn hear(&mut self, key: &str, raw: &str) -> Heard {
        let params = &mut self.said.params;
        match raw.as_bytes()[0] {
            b'"' => string_of(raw).map_or(Heard::Unknown, |word| params.hear(key, &word, &mut self.notes)),
            b'-' | b'0'..=b'9' => params.hear(key, raw, &mut self.notes),
            _ => Heard::Unknown,
        }
    }

    fn finish(mut self) -> (Said, Notes) {
        if !self.contained {
            self.said.params.meta.or(self.rest);
            self.notes.append(self.rest_notes);
        } else if !self.rest_names.is_empty() {
            let names = self.rest_names.join(", ");
            self.notes.add(format!("ignored beside the metadata: {names}"));
        }
        let outputs: Vec<String> =
            self.outputs.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        self.said.output = (!outputs.is_empty()).then(|| outputs.join("\n"));
        (self.said, self.notes)
    }
}

/// Puts a value under its key, nested ones under dotted keys, lists as their length.
fn flatten(key: &str, raw: &str, meta: &mut Metadata, notes: &mut Notes) {
    match raw.as_bytes()[0] {
        b'{' => {
            if !Metadata::may_be_key(key) {
                let start = clean::short(key, 40);
                return notes.add(format!(
                    "metadata under `{start}…` dropped: keys longer than {MAX_KEY_CHARS} characters"
                ));
            }
            // It was parsed once already, as a part of the whole; only a key with a lone surrogate fails now.
            let nested = entries(raw, &mut |name, raw| {
                if key.is_empty() {
                    flatten(name, raw.get(), meta, notes);
                } else {
                    flatten(&format!("{key}.{name}"), raw.get(), meta, notes);
                }
            });
            if nested.is_err() {
                let start = clean::short(key, 40);
                notes.add(format!("metadata under `{start}` dropped: broken characters in its keys"));
            }
        }
        b'[' => {
            meta.put_count(&format!("{key}.length"), length_of(raw), notes);
        }
        b'"' => meta.put(key, Value::Text(string_of(raw).unwrap_or_default()), notes),
        b't' | b'f' => meta.put(key, Value::Flag(raw == "true"), notes),
        b'n' => {}
        // A number outside our bounds stays text, like anywhere.
        _ => meta.put(
            key,
            Number::parse(raw).map_or_else(|| Value::Text(raw.to_owned()), Value::Number),
            notes,
        ),
    }
}

/// Text, or lines of text as a list of strings; anything else is no output.
fn text_of(raw: &str) -> Option<String> {
    match raw.as_bytes()[0] {
        b'"' => string_of(raw),
        b'[' => Some(strings_of(raw)?.join("\n")),
        _ => None,
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
