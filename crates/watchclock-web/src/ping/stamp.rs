//! The time a job gives for its ping, and whether it is believed; all other clocks live in the service.

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use watchclock_domain::Time;

/// How far back a job may date its ping: a spool that was offline for a long weekend.
const MAX_PAST: TimeDelta = TimeDelta::days(7);
/// How far ahead: clocks that are not quite right.
const MAX_FUTURE: TimeDelta = TimeDelta::minutes(5);

/// Reads RFC 3339 (blank for `T` and offsets without a colon too), or unix time in seconds, with a fraction,
/// or by its size in milli-, micro- or nanoseconds.
pub(super) fn parse(raw: &str) -> Option<Time> {
    let raw = raw.trim();
    // What is remembered must equal what PostgreSQL keeps: microseconds.
    unix(raw).or_else(|| rfc3339(raw)).map(|at| at.trunc_subsecs(6))
}

/// The time if it is believed, else the sentence that says why not.
pub(super) fn believed(at: Time, received: Time) -> Result<Time, String> {
    let ahead = at.signed_duration_since(received);
    if ahead > MAX_FUTURE {
        Err(format!("ts ignored: {} is more than 5 minutes after it was received", shown(at)))
    } else if -ahead > MAX_PAST {
        Err(format!("ts ignored: {} is more than 7 days before it was received", shown(at)))
    } else {
        Ok(at)
    }
}

fn shown(at: Time) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn unix(raw: &str) -> Option<Time> {
    let (whole, fraction) = raw.split_once('.').unwrap_or((raw, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    // 10^11 seconds lie in the year 5138, 10^11 milliseconds in 1973: the size tells the unit.
    match whole {
        0..100_000_000_000 => {
            let nanos = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
            let nanos = nanos.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
            DateTime::from_timestamp(whole, nanos)
        }
        100_000_000_000..100_000_000_000_000 => DateTime::from_timestamp_millis(whole),
        100_000_000_000_000..100_000_000_000_000_000 => DateTime::from_timestamp_micros(whole),
        _ => Some(DateTime::from_timestamp_nanos(whole)),
    }
}

fn rfc3339(raw: &str) -> Option<Time> {
    if let Ok(time) = DateTime::parse_from_rfc3339(raw) {
        return Some(time.with_timezone(&Utc));
    }
    // A `+` that nobody encoded arrives as a blank: 2026-10-05T03:00:00 02:00.
    let mended = match raw.rsplit_once(' ') {
        Some((time, offset)) if time.len() >= 19 && !offset.starts_with(['+', '-']) => {
            format!("{time}+{offset}")
        }
        _ => raw.to_owned(),
    };
    ["%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S%.f %z"]
        .iter()
        .find_map(|format| DateTime::parse_from_str(&mended, format).ok())
        .map(|time| time.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ways_to_tell_one_time() {
        let expected = DateTime::parse_from_rfc3339("2026-10-05T01:00:00Z").unwrap();
        for raw in [
            "2026-10-05T01:00:00Z",
            "2026-10-05t01:00:00z",
            "2026-10-05 01:00:00Z",
            "2026-10-05T03:00:00+02:00",
            "2026-10-05T03:00:00 02:00",
            "2026-10-05T03:00:00+0200",
            "2026-10-05T03:00:00 0200",
            "2026-10-05 03:00:00+02:00",
            "2026-10-05 03:00:00 +0200",
            "2026-10-04T20:00:00.000-05:00",
            "1791162000",
            "1791162000.000",
            "1791162000000",
            "1791162000000000",
            "1791162000000000000",
            " 1791162000\n",
        ] {
            assert_eq!(parse(raw), Some(expected.to_utc()), "{raw}");
        }
    }

    #[test]
    fn fractions_are_kept_to_the_microsecond() {
        assert_eq!(parse("1791162000.25").unwrap().timestamp_millis(), 1_791_162_000_250);
        assert_eq!(parse("1791162000.1234567891").unwrap().timestamp_subsec_nanos(), 123_456_000);
        assert_eq!(parse("2026-10-05T01:00:00.25Z").unwrap().timestamp_millis(), 1_791_162_000_250);
        assert_eq!(parse("1791162000250").unwrap().timestamp_millis(), 1_791_162_000_250);
    }

    #[test]
    fn what_tells_no_time() {
        for raw in
            ["", "now", "2026-10-05", "2026-10-05T01:00:00", "25:00", "-5", "1e9", "0x10", ".5", "1.2.3"]
        {
            assert_eq!(parse(raw), None, "{raw}");
        }
        assert_eq!(parse("99999999999999999999999999"), None);
        assert_eq!(parse("2026-02-30T01:00:00Z"), None);
    }

    #[test]
    fn believed_within_a_week_and_five_minutes() {
        let now = parse("2026-10-05T01:00:00Z").unwrap();
        for (raw, yes) in [
            ("2026-10-05T01:05:00Z", true),
            ("2026-10-05T01:05:01Z", false),
            ("2026-09-28T01:00:00Z", true),
            ("2026-09-28T00:59:59Z", false),
            ("0", false),
            ("9999-12-31T23:59:59Z", false),
        ] {
            assert_eq!(believed(parse(raw).unwrap(), now).is_ok(), yes, "{raw}");
        }
    }
}
