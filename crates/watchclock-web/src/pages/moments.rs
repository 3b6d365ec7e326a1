//! Moments as pages show them: in one zone, beside now.

use chrono::{Datelike as _, SecondsFormat, Timelike as _};
use watchclock_domain::{Time, schedule::Zone, span};

use super::views::parts::When;

/// What times of a page are measured against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) zone: Zone,
    pub(crate) now: Time,
    /// Whether the offset is told, because moments of several zones stand on one page.
    pub(crate) tells_offset: bool,
}

impl Moments {
    pub(crate) fn new(zone: Zone, now: Time) -> Self {
        Self { zone, now, tells_offset: false }
    }

    /// In UTC and saying so, for pages that are of no monitor.
    pub(crate) fn utc(now: Time) -> Self {
        Self { zone: Zone::utc(), now, tells_offset: true }
    }

    /// As short as is clear: `03:00:12` today, `28 Nov 03:00` within a year, else with the year.
    pub(crate) fn short(&self, time: Time) -> When {
        let (local, today) = (self.zone.local(time), self.zone.local(self.now));
        let text = if local.date_naive() == today.date_naive() {
            local.format("%H:%M:%S")
        } else if (time - self.now).num_days().abs() < 300 {
            local.format("%-d %b %H:%M")
        } else {
            local.format("%-d %b %Y %H:%M")
        };
        let text = if self.tells_offset { format!("{text} {}", self.offset(time)) } else { text.to_string() };
        When { utc: machine(time), text, ago: self.ago(time) }
    }

    /// A slot, within a sentence: `03:30` today, `28 Nov 03:30` else; the second where it is not the first.
    pub(crate) fn slot(&self, time: Time) -> String {
        let (local, short) = (self.zone.local(time), self.short(time).text);
        if local.second() == 0 {
            short.replacen(&local.format("%H:%M:00").to_string(), &self.clock(time), 1)
        } else {
            short
        }
    }

    fn offset(&self, time: Time) -> String {
        if self.zone.name() == "UTC" {
            "UTC".to_owned()
        } else {
            self.zone.local(time).format("%:z").to_string()
        }
    }

    /// With the day and the second: `Sat 28 Nov 03:00:12`; the year where it is another.
    pub(crate) fn full(&self, time: Time) -> When {
        let (local, today) = (self.zone.local(time), self.zone.local(self.now));
        let format =
            if local.year() == today.year() { "%a %-d %b %H:%M:%S" } else { "%a %-d %b %Y %H:%M:%S" };
        When { utc: machine(time), text: local.format(format).to_string(), ago: self.ago(time) }
    }

    /// The time of day, for axes and titles: `03:00`.
    pub(crate) fn clock(&self, time: Time) -> String {
        self.zone.local(time).format("%H:%M").to_string()
    }

    /// `4 min ago`, `in 3 h`: one unit is enough.
    pub(crate) fn ago(&self, time: Time) -> String {
        let seconds = (self.now - time).num_seconds();
        let amount = match seconds.abs() {
            0..5 => return if seconds < 0 { "now" } else { "just now" }.to_owned(),
            n @ 5..60 => format!("{n} s"),
            n @ 60..3_600 => format!("{} min", n / 60),
            n @ 3_600..172_800 => format!("{} h", n / 3_600),
            n => format!("{} d", n / 86_400),
        };
        if seconds < 0 { format!("in {amount}") } else { format!("{amount} ago") }
    }

    /// How long since a moment, in words; never negative.
    pub(crate) fn since(&self, time: Time) -> String {
        span::words((self.now - time).max(chrono::Duration::zero()))
    }
}

/// In UTC, as programs read it.
pub(crate) fn machine(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    #[test]
    fn moments_are_as_short_as_is_clear() {
        let now: Time = "2027-03-10T12:00:00Z".parse().unwrap();
        let moments = Moments::new(Zone::named("Europe/Berlin").unwrap(), now);
        let at = |ago: Duration| moments.short(now - ago);
        assert_eq!(
            (at(Duration::minutes(4)).text.as_str(), at(Duration::minutes(4)).ago.as_str()),
            ("12:56:00", "4 min ago")
        );
        assert_eq!(at(Duration::hours(30)).text, "9 Mar 07:00");
        assert_eq!(at(Duration::days(400)).text, "3 Feb 2026 13:00");
        assert_eq!(at(Duration::hours(-3)).ago, "in 3 h");
        let abroad = Moments { tells_offset: true, ..moments };
        assert_eq!(abroad.short(now).text, "13:00:00 +01:00");
        assert_eq!(Moments::utc(now).short(now).text, "12:00:00 UTC");
        assert_eq!(moments.full(now).text, "Wed 10 Mar 13:00:00");
        assert_eq!(moments.slot(now), "13:00");
        assert_eq!(moments.slot(now + Duration::seconds(7)), "13:00:07");
        assert_eq!(moments.slot(now - Duration::hours(30)), "9 Mar 07:00");
        assert_eq!(abroad.slot(now), "13:00 +01:00");
    }
}
