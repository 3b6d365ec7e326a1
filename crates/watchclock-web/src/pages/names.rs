//! The names that rules of a monitor can read, with what they were last. Neighbour: `rule_try` tries a rule.

use std::collections::BTreeSet;

use watchclock_domain::{problem::did_you_mean, rule::Condition, run::Run, value::Value};
use watchclock_service::monitor::MonitorView;

use super::{run_words, views::rules::KnownName, words};

/// Names that every run has.
const BUILT_IN: [(&str, &str); 9] = [
    ("duration", "from start to end"),
    ("exit_code", "0 to 255"),
    ("output", "the end of what was printed"),
    ("output_size", "in bytes"),
    ("message", "the line sent as msg"),
    ("host", "the machine it ran on"),
    ("env", "such as production"),
    ("overlaps", "how many runs it overlapped"),
    ("last_success", "for older than 26h"),
];
/// Longest value that is shown, in characters.
const LONGEST_VALUE: usize = 40;

/// Metadata that runs reported, the latest first, then what is built in.
pub(crate) fn of_monitor(view: Option<&MonitorView>) -> Vec<KnownName> {
    let mut names: Vec<KnownName> = Vec::new();
    if let Some(view) = view {
        let ended = view.recent.iter().filter(|run| run.has_ended()).count();
        let reported = view.recent.iter().flat_map(|run| run.meta.keys());
        for key in reported.chain(&view.memory.meta_keys) {
            if names.iter().any(|known| known.key == *key) {
                continue;
            }
            let Some(text) = written(key) else { continue };
            let seen = view.recent.iter().filter(|run| run.meta.contains_key(key)).count();
            names.push(KnownName {
                key: key.clone(),
                text,
                last: last(&view.recent, key)
                    .map(|(value, number)| format!("{value} in #{number}"))
                    .unwrap_or_default(),
                about: match seen {
                    0 => "not reported lately".to_owned(),
                    seen => format!("in {seen} of the last {}", words::count(ended.max(seen), "run")),
                },
            });
        }
    }
    names.extend(BUILT_IN.map(|(name, about)| KnownName {
        key: String::new(),
        text: name.to_owned(),
        last: String::new(),
        about: about.to_owned(),
    }));
    names
}

/// The last value that a run reported under a key, and the number of that run; of runs, newest first.
pub(crate) fn last<'r>(runs: impl IntoIterator<Item = &'r Run>, key: &str) -> Option<(String, i64)> {
    let run = runs.into_iter().find(|run| run.meta.contains_key(key))?;
    Some((shown(run.meta.get(key)?), run.number))
}

/// A value for people, cut to what fits in a line.
pub(crate) fn shown(value: &Value) -> String {
    run_words::cut(&value.words(), LONGEST_VALUE)
}

/// The keys that runs have reported at any time, or that extractors are about to find.
pub(crate) fn known<'r>(
    view: &MonitorView,
    runs: impl Iterator<Item = &'r Run>,
    extracted: &[String],
) -> BTreeSet<String> {
    let reported = runs.flat_map(|run| run.meta.keys());
    reported.chain(&view.memory.meta_keys).chain(extracted).cloned().collect()
}

/// Warnings about names that no run has reported yet. Without any run there is nothing to compare with.
pub(crate) fn never_seen<'r>(
    mut runs: impl Iterator<Item = &'r Run>,
    keys: &BTreeSet<String>,
    condition: &Condition,
) -> Vec<String> {
    if runs.next().is_none() {
        return Vec::new();
    }
    let unknown = condition.names().into_iter().filter(|name| !keys.contains(*name));
    unknown
        .map(|name| {
            let hint = match did_you_mean(name, keys.iter().map(String::as_str)) {
                Some(meant) => format!(": did you mean {meant}?"),
                None => ". The rule stays quiet until one does.".to_owned(),
            };
            format!("No run has reported {name} yet{hint}")
        })
        .collect()
}

/// A metadata key as a rule reads it: with `meta.` or quotes where the key alone would mean something else.
fn written(key: &str) -> Option<String> {
    let quoted = format!("meta.\"{key}\"");
    [key.to_owned(), format!("meta.{key}"), quoted].into_iter().find(|text| {
        Condition::parse(&format!("{text} present")).is_ok_and(|condition| condition.names() == [key])
            && Condition::parse(&format!("1 + {text} gt 0")).is_ok_and(|condition| condition.names() == [key])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_so_that_rules_read_them() {
        for (key, text) in [
            ("rows", "rows"),
            ("db.rows", "db.rows"),
            ("duration", "meta.duration"),
            ("rows-written", "meta.\"rows-written\""),
            ("not", "meta.not"),
        ] {
            assert_eq!(written(key).as_deref(), Some(text));
        }
    }
}
