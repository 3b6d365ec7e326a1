//! Slots with exceptions: those on days off are skipped, and an interval that ends on one waits for the day after.
//! Which days are off is in [`crate::calendar`]; slots without exceptions are in `walk`.

use chrono::TimeDelta;

use super::{moment, pattern::DAY, walk::Line, zone::Zone};
use crate::{Time, calendar::DaysOff};

/// How far slots on days off are skipped before there counts to be none. It holds every kind of year, and looking that far
/// takes a few milliseconds at worst.
const HORIZON: i64 = 40 * 366 * DAY;

impl Line {
    /// [`Line::next`] without days off.
    pub(super) fn next_on(&self, after: i64, off: &DaysOff) -> Option<i64> {
        let mut slot = self.next(after)?;
        while off.contains(self.zone.day(slot)) {
            let free = self.zone.day_start(off.free_after(self.zone.day(slot)));
            // a day can begin twice where clocks are set back at midnight
            slot = self.next((free - 1).max(slot)).filter(|slot| slot - after <= HORIZON)?;
        }
        Some(slot)
    }

    /// [`Line::prev`] without days off.
    pub(super) fn prev_on(&self, before: i64, off: &DaysOff) -> Option<i64> {
        let mut slot = self.prev(before)?;
        while off.contains(self.zone.day(slot)) {
            let row = self.zone.day_start(off.first_in_row(self.zone.day(slot)));
            slot = self.prev(row.min(slot)).filter(|slot| before - slot <= HORIZON)?;
        }
        Some(slot)
    }
}

/// When an interval is over that would end at `due`: then, or with the first moment after the days off, unless that is
/// too far.
pub(super) fn moved(due: Time, zone: &Zone, off: &DaysOff) -> Option<Time> {
    let day = zone.day(due.timestamp());
    if !off.contains(day) {
        return Some(due);
    }
    let free = zone.day_start(off.free_after(day));
    moment(free).filter(|_| free - due.timestamp() <= HORIZON).map(|free| free.max(due))
}

/// The last moment before `before` at which an interval could have ended: one interval earlier, or where the days off leave room.
pub(super) fn moved_back(before: Time, interval: TimeDelta, zone: &Zone, off: &DaysOff) -> Option<Time> {
    let due = before.checked_sub_signed(interval)?;
    let day = zone.day(due.timestamp());
    if !off.contains(day) {
        return Some(due);
    }
    if let Some(after) = moved(due, zone, off).filter(|after| *after < before) {
        return Some(after);
    }
    moment(zone.day_start(off.first_in_row(day)) - 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Schedule, ScheduleText};
    use super::*;
    use crate::calendar::{Days, Kind};

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn off(dates: &str) -> DaysOff {
        DaysOff::of([Arc::new(Days::parse(Kind::Dates, dates).unwrap().into_set())])
    }

    fn schedule(text: &str, tz: &str, dates: &str) -> Schedule {
        let text = ScheduleText::from_shorthand(text, Some(tz)).unwrap();
        Schedule::compile(&text).unwrap().with_days_off(off(dates))
    }

    fn slots(schedule: &Schedule, after: &str, count: usize) -> Vec<String> {
        let show = |slot: Time| slot.format("%m-%d %H:%M").to_string();
        schedule.preview(at(after), count).into_iter().map(show).collect()
    }

    #[test]
    fn slots_on_days_off_are_skipped_both_ways() {
        let nightly = schedule("0 3 * * *", "UTC", "2026-12-24..2026-12-26");
        assert_eq!(slots(&nightly, "2026-12-22T12:00:00Z", 3), ["12-23 03:00", "12-27 03:00", "12-28 03:00"]);
        assert_eq!(nightly.prev(at("2026-12-27T03:00:00Z")), Some(at("2026-12-23T03:00:00Z")));
        assert_eq!(nightly.prev(at("2026-12-25T12:00:00Z")), Some(at("2026-12-23T03:00:00Z")));
        assert!(!nightly.takes_place(at("2026-12-25T03:00:00Z")));
        assert!(nightly.takes_place(at("2026-12-27T03:00:00Z")));
    }

    #[test]
    fn the_day_is_that_of_the_zone() {
        let evening = schedule("30 23 * * *", "America/New_York", "2026-12-25");
        // 23:30 of the 24th is the 25th in UTC
        assert_eq!(
            slots(&evening, "2026-12-24T12:00:00Z", 2),
            ["12-25 04:30", "12-27 04:30"],
            "the slot of the 25th is that at 04:30 of the 26th"
        );
        let two = schedule("CRON_TZ=Asia/Tokyo 0 8 * * *", "UTC", "2026-12-25");
        assert_eq!(slots(&two, "2026-12-23T12:00:00Z", 2), ["12-23 23:00", "12-25 23:00"]);
    }

    #[test]
    fn an_interval_waits_for_the_day_after() {
        let every = schedule("every 6h", "Europe/Berlin", "2026-12-24..2026-12-26");
        assert_eq!(every.next(at("2026-12-23T12:00:00Z")), Some(at("2026-12-23T18:00:00Z")));
        assert_eq!(
            every.next(at("2026-12-23T18:00:00Z")),
            Some(at("2026-12-26T23:00:00Z")),
            "midnight of the 27th"
        );
        assert_eq!(every.prev(at("2026-12-27T07:00:00Z")), Some(at("2026-12-27T01:00:00Z")));
        assert_eq!(every.prev(at("2026-12-27T02:00:00Z")), Some(at("2026-12-26T23:00:00Z")));
        assert_eq!(every.prev(at("2026-12-26T23:00:00Z")), Some(at("2026-12-23T22:59:59Z")));
    }

    #[test]
    fn what_leaves_nothing_never_fires() {
        let christmas = schedule("0 3 25 12 *", "UTC", "12-25");
        assert_eq!(christmas.next(at("2026-01-01T00:00:00Z")), None);
        assert_eq!(christmas.prev(at("2300-01-01T00:00:00Z")), None);
        let all = schedule("* * * * *", "Europe/Berlin", "01-01..12-31");
        assert_eq!(all.next(at("2026-01-01T00:00:00Z")), None);
        let often = schedule("every 1h", "Europe/Berlin", "01-01..12-31");
        assert_eq!(often.next(at("2026-01-01T00:00:00Z")), None);
        assert!(often.preview(at("2026-01-01T00:00:00Z"), 5).is_empty());
        assert!(!often.takes_place(at("2026-01-01T00:00:00Z")));
        let leap = schedule("0 3 29 2 *", "UTC", "2028-02-29");
        assert_eq!(leap.next(at("2026-01-01T00:00:00Z")), Some(at("2032-02-29T03:00:00Z")));
    }

    /// St. John's set its clocks back at one past midnight, so that a day began, ended and began again.
    #[test]
    fn a_day_that_begins_twice_stops_nothing() {
        let often = schedule("*/15 * * * *", "America/St_Johns", "2000-10-28");
        let slots = often.preview(at("2000-10-27T00:00:00Z"), 300);
        assert_eq!(slots.len(), 300);
        let free = |slot: &Time| often.zone().local(*slot).date_naive().to_string() != "2000-10-28";
        assert!(slots.iter().all(free));
        let mut back = at("2000-10-30T00:00:00Z");
        for _ in 0..300 {
            back = often.prev(back).unwrap();
            assert!(free(&back));
        }
    }
}
