//! Random expressions, moments and zones from a seed, so that a failure can be repeated.

use watchclock_domain::Time;

/// Zones whose clocks do unusual things, and a few that do not.
pub(crate) const ZONES: [&str; 46] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Juba",
    "Africa/Monrovia",
    "America/Asuncion",
    "America/Caracas",
    "America/Godthab",
    "America/Havana",
    "America/Mexico_City",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "America/Vancouver",
    "Antarctica/Casey",
    "Antarctica/Macquarie",
    "Antarctica/Troll",
    "Antarctica/Vostok",
    "Asia/Almaty",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Damascus",
    "Asia/Gaza",
    "Asia/Hebron",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "EST5EDT",
    "Europe/Berlin",
    "Europe/Chisinau",
    "Europe/Dublin",
    "Europe/Volgograd",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Fakaofo",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
    "Pacific/Norfolk",
    "Pacific/Tongatapu",
    "UTC",
];

/// Numbers from a seed (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Those of one test; `WATCHCLOCK_TEST_SEED` chooses others.
    pub(crate) fn of(test: u64) -> Self {
        let chosen = std::env::var("WATCHCLOCK_TEST_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        Self(test + (chosen.unwrap_or(0) << 8))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.next() % u64::from(limit)).unwrap()
    }

    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[usize::try_from(self.below(u32::try_from(values.len()).unwrap())).unwrap()]
    }

    /// A second between two moments.
    pub(crate) fn moment(&mut self, from: i64, to: i64) -> Time {
        let range = u64::try_from(to - from).unwrap();
        Time::from_timestamp(from + i64::try_from(self.next() % range).unwrap(), 0).unwrap()
    }

    fn name(&mut self, value: u32, low: u32, names: &[&str]) -> String {
        let index = usize::try_from(value - low).unwrap();
        match names.get(index) {
            Some(name) if self.below(3) == 0 => (*name).to_owned(),
            _ => value.to_string(),
        }
    }

    /// One item of a cron list.
    fn cron_item(&mut self, low: u32, high: u32, names: &[&str]) -> String {
        let first = self.between(low, high);
        let last = self.between(first, high);
        let step = self.between(1, (high - low) / 2 + 1);
        match self.below(10) {
            0..=4 => self.name(first, low, names),
            5 | 6 => format!("{}-{}", self.name(first, low, names), self.name(last, low, names)),
            7 => format!("{first}-{last}/{step}"),
            8 => format!("{first}/{step}"),
            _ => format!("*/{step}"),
        }
    }

    fn cron_field(&mut self, low: u32, high: u32, names: &[&str], star: u32) -> String {
        if self.below(10) < star {
            return "*".to_owned();
        }
        let count = *self.pick(&[1, 1, 1, 2, 3]);
        (0..count).map(|_| self.cron_item(low, high, names)).collect::<Vec<_>>().join(",")
    }

    /// A well-formed cron expression, not necessarily one that ever fires.
    pub(crate) fn cron(&mut self) -> String {
        let minute = self.cron_field(0, 59, &[], 2);
        // hours in which clocks are changed are of most interest
        let hour = match self.below(3) {
            0 => self.cron_field(0, 3, &[], 2),
            _ => self.cron_field(0, 23, &[], 3),
        };
        let mut date = self.cron_field(1, 31, &[], 6);
        if self.below(12) == 0 {
            let day = self.between(1, 31);
            date = match self.below(2) {
                0 => format!("{day}W"),
                _ => (*self.pick(&[
                    "L", "LW", "1,L", "15,LW", "L/2", "?", "L,LW", "LW/3", "31,L", "L,*/3", "29", "30", "31",
                ]))
                .to_owned(),
            };
        }
        let month = self.cron_field(
            1,
            12,
            &["jan", "FEB", "Mar", "APR", "may", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
            8,
        );
        let mut weekday = self.cron_field(0, 7, &["sun", "MON", "Tue", "WED", "THU", "FRI", "SAT"], 6);
        if self.below(12) == 0 {
            let (day, rank) = (self.between(0, 7), self.between(1, 5));
            weekday = match self.below(6) {
                0 => format!("{day}L"),
                3 => format!("{day}L,{day}#{rank}"),
                4 => "*/7".to_owned(),
                1 => format!("{weekday},{day}#{rank}"),
                2 => "?".to_owned(),
                _ => format!("{day}#{rank}"),
            };
        }
        format!("{minute} {hour} {date} {month} {weekday}")
    }

    /// One item of a calendar list.
    fn calendar_item(&mut self, low: u32, high: u32) -> String {
        let first = self.between(low, high);
        let last = self.between(first, high);
        let step = self.between(1, (high - low) / 2 + 1);
        match self.below(8) {
            0..=3 => first.to_string(),
            4 | 5 => format!("{first}..{last}"),
            6 => format!("{first}..{last}/{step}"),
            _ => format!("{first}/{step}"),
        }
    }

    fn calendar_field(&mut self, low: u32, high: u32, star: u32) -> String {
        if self.below(10) < star {
            return "*".to_owned();
        }
        let count = *self.pick(&[1, 1, 1, 2, 3]);
        (0..count).map(|_| self.calendar_item(low, high)).collect::<Vec<_>>().join(",")
    }

    /// A well-formed calendar expression at full minutes.
    pub(crate) fn calendar(&mut self) -> String {
        let weekday = match self.below(4) {
            0 => *self.pick(&["Mon ", "Mon..Fri ", "sat,SUN ", "Tuesday ", "Wed..Thu,Sun ", "Mon-Wed, "]),
            _ => "",
        };
        let date = match self.below(3) {
            0 => {
                let month = self.calendar_field(1, 12, 7);
                let day = match self.below(4) {
                    0 => format!("~{}", self.calendar_field(1, 28, 0)),
                    _ => format!("-{}", self.calendar_field(1, 31, 4)),
                };
                let year = *self.pick(&[
                    "",
                    "*-",
                    "1990..2100-",
                    "2000/2-",
                    "2026..2028-",
                    "27-",
                    "24,28,2026-",
                    "2025/3-",
                ]);
                format!("{year}{month}{day} ")
            }
            _ => String::new(),
        };
        let hour = match self.below(3) {
            0 => self.calendar_field(0, 3, 2),
            _ => self.calendar_field(0, 23, 4),
        };
        let minute = self.calendar_field(0, 59, 2);
        format!("{weekday}{date}{hour}:{minute}")
    }

    /// The same with seconds, few enough that a window holds not too many.
    pub(crate) fn calendar_with_seconds(&mut self) -> String {
        let (base, first) = (self.calendar(), self.below(60));
        let second = match self.below(4) {
            0 => first.to_string(),
            1 => format!("{first},{:02}", self.below(60)),
            2 => format!("{first}/{}", self.between(7, 40)),
            _ => format!("0..{first}/{}", self.between(7, 40)),
        };
        format!("{base}:{second}")
    }
}

/// How many cases a random test tries: some by default, `WATCHCLOCK_TEST_CASES` for a long run.
pub(crate) fn cases(default: u32) -> u32 {
    std::env::var("WATCHCLOCK_TEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}
