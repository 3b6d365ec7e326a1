//! Steps: where a series begins and ends, in both languages. What is no series is refused in `meant`.

use watchclock_domain::schedule::{Schedule, ScheduleText};

fn words(text: &str) -> String {
    let written =
        ScheduleText::from_shorthand(text, None).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    Schedule::compile(&written).unwrap().words()
}

#[test]
fn a_range_keeps_within_its_ends_and_a_value_goes_on() {
    for (text, expected) in [
        ("*-*-14..14/3", "at 00:00 on day 14 of the month, UTC"),
        ("*-*-28/3", "at 00:00 on days 28 and 31 of the month, UTC"),
        ("9..9/3:00", "at 09:00 every day, UTC"),
        ("18/3:00", "at 18:00 and 21:00 every day, UTC"),
        ("*:7..7/5", "every hour at :07, UTC"),
        ("*-6..6/2-1", "at 00:00 on 1 June, UTC"),
        ("2030..2030/2-1-1", "at 00:00 on 1 January 2030, UTC"),
        ("*:0..5/90", "every hour, UTC"),
        // counted from the end
        ("*-*~1..2/2", "at 00:00 on the last day of the month, UTC"),
        ("*-*~1..6/2", "at 00:00 on days 1, 3 and 5 from the end of the month, UTC"),
        ("*-*~8..12/5", "at 00:00 on the 8th to last day of the month, UTC"),
        ("*-*~3..3/2", "at 00:00 on the 3rd to last day of the month, UTC"),
        ("*-*~1..5/2", "at 00:00 on days 1, 3 and 5 from the end of the month, UTC"),
        ("*-*~6/2", "at 00:00 on days 2, 4 and 6 from the end of the month, UTC"),
        // what Debian's cron takes
        ("*/100 * * * *", "every hour, UTC"),
        ("0 4 L/2 * *", "at 04:00 on the last day of the month, UTC"),
        ("0 4 */100,1-7 * MON", "at 04:00 on Mondays that fall on days 1–7 of the month, UTC"),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}
