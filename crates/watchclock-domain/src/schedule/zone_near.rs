//! What was probably meant by a time zone that does not exist: an offset, an abbreviation, a big city, or a name with a slip. Finding zones is in `zone_names`.

use super::zone_names::{find, zone_names};
use crate::problem::nearest_within;

/// Most names that are suggested.
const MOST: usize = 3;

/// What a name was probably meant to be.
pub(super) enum Near {
    /// A fixed offset: its zone, if the database has one, and how people write it.
    Offset(Option<&'static str>, String),
    /// At most three names, the likeliest first.
    Names(Vec<&'static str>),
}

/// Abbreviations with the zones that use them, and places that the database knows under another name.
const KNOWN: [(&str, &[&str]); 67] = [
    ("z", &["UTC"]),
    ("cest", &["Europe/Berlin", "Europe/Paris"]),
    ("eest", &["Europe/Athens", "Europe/Kyiv"]),
    ("west", &["Europe/Lisbon"]),
    ("bst", &["Europe/London"]),
    ("ist", &["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"]),
    ("msk", &["Europe/Moscow"]),
    ("trt", &["Europe/Istanbul"]),
    ("et", &["America/New_York"]),
    ("edt", &["America/New_York"]),
    ("ct", &["America/Chicago"]),
    ("cst", &["America/Chicago", "Asia/Shanghai"]),
    ("cdt", &["America/Chicago"]),
    ("mt", &["America/Denver"]),
    ("mdt", &["America/Denver"]),
    ("pt", &["America/Los_Angeles"]),
    ("pst", &["America/Los_Angeles"]),
    ("pdt", &["America/Los_Angeles"]),
    ("akst", &["America/Anchorage"]),
    ("ast", &["America/Halifax", "Asia/Riyadh"]),
    ("brt", &["America/Sao_Paulo"]),
    ("art", &["America/Argentina/Buenos_Aires"]),
    ("aest", &["Australia/Sydney", "Australia/Brisbane"]),
    ("aedt", &["Australia/Sydney"]),
    ("acst", &["Australia/Adelaide", "Australia/Darwin"]),
    ("awst", &["Australia/Perth"]),
    ("nzst", &["Pacific/Auckland"]),
    ("nzdt", &["Pacific/Auckland"]),
    ("jst", &["Asia/Tokyo"]),
    ("kst", &["Asia/Seoul"]),
    ("hkt", &["Asia/Hong_Kong"]),
    ("sgt", &["Asia/Singapore"]),
    ("pkt", &["Asia/Karachi"]),
    ("gst", &["Asia/Dubai"]),
    ("sast", &["Africa/Johannesburg"]),
    ("eat", &["Africa/Nairobi"]),
    ("wat", &["Africa/Lagos"]),
    ("cat", &["Africa/Maputo"]),
    ("munich", &["Europe/Berlin"]),
    ("hamburg", &["Europe/Berlin"]),
    ("frankfurt", &["Europe/Berlin"]),
    ("cologne", &["Europe/Berlin"]),
    ("geneva", &["Europe/Zurich"]),
    ("milan", &["Europe/Rome"]),
    ("barcelona", &["Europe/Madrid"]),
    ("edinburgh", &["Europe/London"]),
    ("st_petersburg", &["Europe/Moscow"]),
    ("mumbai", &["Asia/Kolkata"]),
    ("delhi", &["Asia/Kolkata"]),
    ("bangalore", &["Asia/Kolkata"]),
    ("beijing", &["Asia/Shanghai"]),
    ("osaka", &["Asia/Tokyo"]),
    ("san_francisco", &["America/Los_Angeles"]),
    ("seattle", &["America/Los_Angeles"]),
    ("washington", &["America/New_York"]),
    ("boston", &["America/New_York"]),
    ("houston", &["America/Chicago"]),
    ("nyc", &["America/New_York"]),
    ("pacific_new", &["US/Pacific"]),
    ("bombay", &["Asia/Kolkata"]),
    ("germany", &["Europe/Berlin"]),
    ("france", &["Europe/Paris"]),
    ("spain", &["Europe/Madrid"]),
    ("italy", &["Europe/Rome"]),
    ("russia", &["Europe/Moscow"]),
    ("india", &["Asia/Kolkata"]),
    ("china", &["Asia/Shanghai"]),
];

/// Offsets in minutes that no fixed zone has, with a zone that keeps them, at least in winter.
const ODD: [(i32, &str); 12] = [
    (-570, "Pacific/Marquesas"),
    (-210, "America/St_Johns"),
    (210, "Asia/Tehran"),
    (270, "Asia/Kabul"),
    (330, "Asia/Kolkata"),
    (345, "Asia/Kathmandu"),
    (390, "Asia/Yangon"),
    (525, "Australia/Eucla"),
    (570, "Australia/Darwin"),
    (630, "Australia/Lord_Howe"),
    (765, "Pacific/Chatham"),
    (0, "UTC"),
];

/// The names or the offset that a name which does not exist was probably meant to be.
pub(super) fn near(name: &str) -> Near {
    let name = name.trim_matches(|c: char| c.is_whitespace() || "\"':/".contains(c));
    if let Some(offset) = offset(name) {
        return offset;
    }
    let lower = name.to_lowercase().replace([' ', '-'], "_").replace('\\', "/");
    let (region, city) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let same = |one: &str, other: &str| one.replace('-', "_").eq_ignore_ascii_case(other);
    let is_meant = |candidate: &&'static str| same(candidate, &lower) || same(city_of(candidate), city);
    if region.is_empty()
        && let Some(zones) = known_as(city)
    {
        return Near::Names(zones);
    }
    let mut found: Vec<&'static str> = zone_names().filter(is_meant).collect();
    if found.is_empty() {
        found = known_as(city).unwrap_or_default();
    }
    if found.is_empty() {
        found = with_a_slip(city);
    }
    // the same city may stand in several regions, the one that was written is meant
    found.sort_by_key(|name| !region_of(name).eq_ignore_ascii_case(region));
    if found.first().is_some_and(|name| !region.is_empty() && region_of(name).eq_ignore_ascii_case(region)) {
        found.retain(|name| region_of(name).eq_ignore_ascii_case(region));
    }
    found.truncate(MOST);
    Near::Names(found)
}

fn known_as(name: &str) -> Option<Vec<&'static str>> {
    let (_, zones) = KNOWN.iter().find(|(known, _)| *known == name)?;
    Some(zones.to_vec())
}

fn city_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn region_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(region, _)| region)
}

/// Zones whose last part is nearly this. Of short words, a letter is too much of a difference.
fn with_a_slip(city: &str) -> Vec<&'static str> {
    let limit = city.chars().count() / 4;
    if limit == 0 {
        return Vec::new();
    }
    match nearest_within(city, zone_names().map(city_of), limit) {
        Some(nearest) => zone_names().filter(|name| city_of(name) == nearest).collect(),
        None => Vec::new(),
    }
}

/// `GMT+2`, `UTC-05:30`, `+0200`: the database has zones for full hours, whose sign is turned round after POSIX.
fn offset(name: &str) -> Option<Near> {
    let upper: String = name.to_uppercase().chars().filter(|c| !c.is_whitespace()).collect();
    let posix = upper.strip_prefix("ETC/GMT");
    let digits = posix
        .or_else(|| upper.strip_prefix("ETC/UTC"))
        .or_else(|| upper.strip_prefix("GMT"))
        .or_else(|| upper.strip_prefix("UTC"))
        .unwrap_or(&upper);
    let east = match digits.chars().next()? {
        '+' => posix.is_none(),
        '-' | '\u{2212}' => posix.is_some(),
        _ => return None,
    };
    let digits = digits.trim_start_matches(['+', '-', '\u{2212}']);
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    let small = |text: &str| text.parse::<i32>().ok().filter(|_| text.len() <= 2 && text.is_ascii());
    let (Some(hours), Some(minutes @ 0..60)) = (small(hours), small(minutes)) else { return None };
    let (sign, total) = if east { ('+', hours * 60 + minutes) } else { ('-', -hours * 60 - minutes) };
    let written = format!("UTC{sign}{hours:02}:{minutes:02}");
    let odd = ODD.iter().find(|(offset, _)| *offset == total).map(|(_, zone)| *zone);
    let fixed = || find(&format!("Etc/GMT{}{hours}", if east { '-' } else { '+' })).map(|entry| entry.name);
    let zone = if minutes == 0 && hours != 0 { fixed() } else { odd };
    Some(Near::Offset(zone, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_suggested_exists() {
        let known = KNOWN.iter().flat_map(|(_, zones)| zones.iter());
        for zone in known.chain(ODD.iter().map(|(_, zone)| zone)) {
            assert_eq!(find(zone).map(|entry| entry.name), Some(*zone));
        }
        assert!(KNOWN.iter().all(|(name, _)| find(name).is_none()), "what exists needs no explanation");
    }

    #[test]
    fn odd_offsets_are_those_of_their_zones() {
        let winter = "2027-01-15T00:00:00Z".parse().unwrap();
        let summer = "2027-07-15T00:00:00Z".parse().unwrap();
        for (offset, name) in ODD {
            let zone = super::super::Zone::named(name).unwrap();
            let at = |time| zone.local(time).offset().local_minus_utc() / 60;
            assert!([at(winter), at(summer)].contains(&offset), "{name}");
        }
    }
}
