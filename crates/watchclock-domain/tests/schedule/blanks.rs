//! Blanks within fields, and names that another scheduler has: what is told to write is read, and says the same.

use watchclock_domain::schedule::{Kind, Schedule, ScheduleText};

use super::refusals::{Case, calendar, check, cron};

const CRON: [Case; 25] = [
    ("*/ 5 * * * *", "*/ 5", "a blank inside the minute: did you mean \"*/5 * * * *\""),
    ("* /5 * * * *", "* /5", "did you mean \"*/5 * * * *\""),
    ("* / 5 * * * *", "* / 5", "did you mean \"*/5 * * * *\""),
    ("0 9, 17 * * *", "9, 17", "a blank inside the hour: did you mean \"0 9,17 * * *\""),
    ("0 0-12 /2 * * *", "0-12 /2", "did you mean \"0 0-12/2 * * *\""),
    ("0 3 1, 15 * *", "1, 15", "a blank inside the day-of-month: did you mean \"0 3 1,15 * *\""),
    ("0 0 * JAN -\tMAR *", "JAN -\tMAR", "a blank inside the month: did you mean \"0 0 * JAN-MAR *\""),
    ("0 3 * * MON, FRI", "MON, FRI", "a blank inside the day-of-week: did you mean \"0 3 * * MON,FRI\""),
    ("30 2 * * MON - FRI", "MON - FRI", "did you mean \"30 2 * * MON-FRI\""),
    ("0 3 * * 1 - 5", "1 - 5", "did you mean \"0 3 * * 1-5\""),
    ("0 3 * * 1 ,5", "1 ,5", "did you mean \"0 3 * * 1,5\""),
    ("0 3 * * 1, 2, 3, 4, 5", "1, 2, 3, 4, 5", "did you mean \"0 3 * * 1,2,3,4,5\""),
    (
        "*/5 9 - 17 * * 1 - 5",
        "9 - 17 * * 1 - 5",
        "the hour and the day-of-week: did you mean \"*/5 9-17 * * 1-5\"",
    ),
    ("CRON_TZ=UTC 0 9, 17 * * *", "9, 17", "did you mean \"CRON_TZ=UTC 0 9,17 * * *\""),
    ("0 9, 17 * * * Europe/Riga", "9, 17", "did you mean \"CRON_TZ=Europe/Riga 0 9,17 * * *\""),
    ("0 9, 17 * * * 2030", "9, 17", "did you mean \"9,17\""),
    ("0 0 9, 17 * * *", "9, 17", "did you mean \"9,17\""),
    ("0 9, 99 * * *", "9, 99", "a blank inside the hour: write each field as one word"),
    ("@minutely", "@minutely", "did you mean \"* * * * *\""),
    ("@minutly", "@minutly", "did you mean \"* * * * *\""),
    ("minutely", "minutely", "did you mean \"* * * * *\""),
    ("@quarterly /bin/report", "@quarterly", "did you mean \"0 0 1 1,4,7,10 *\""),
    ("@Semi-Annually", "@Semi-Annually", "did you mean \"0 0 1 1,7 *\""),
    ("@fortnightly", "@fortnightly", "\"every 2w\""),
    ("@montly", "@montly", "did you mean @monthly"),
];

const CALENDAR: [Case; 14] = [
    ("Mon, Fri 02:30", "Mon, Fri 02:30", "a blank inside a field: did you mean \"Mon,Fri 02:30\""),
    ("Mon , Fri 02:30", "Mon , Fri 02:30", "did you mean \"Mon,Fri 02:30\""),
    ("Mon, Fri, 02:30", "Mon, Fri, 02:30", "did you mean \"Mon,Fri, 02:30\""),
    ("Mon .. Fri 02:30", "Mon .. Fri 02:30", "did you mean \"Mon..Fri 02:30\""),
    ("Mon - Fri 02:30", "Mon - Fri 02:30", "did you mean \"Mon-Fri 02:30\""),
    ("9, 17:00", "9, 17:00", "did you mean \"9,17:00\""),
    ("Mon, 9, 17:00 UTC", "Mon, 9, 17:00 UTC", "did you mean \"Mon, 9,17:00 UTC\""),
    ("*-*-1 .. 7 04:00", "*-*-1 .. 7 04:00", "did you mean \"*-*-1..7 04:00\""),
    ("*:0 /15", "*:0 /15", "did you mean \"*:0/15\""),
    ("02 :30", "02 :30", "did you mean \"02:30\""),
    ("@minutely", "@minutely", "did you mean \"minutely\""),
    ("@biannually", "@biannually", "did you mean \"semiannually\""),
    ("@midnight", "@midnight", "did you mean \"daily\""),
    ("@every 5m", "@every 5m", "\"every\""),
];

#[test]
fn blanks_and_foreign_names_are_met_with_what_was_meant() {
    check(&CRON, "cron[0]", cron);
    check(&CALENDAR, "oncalendar[0]", calendar);
}

/// The text of a suggestion.
pub(crate) fn suggested(message: &str) -> Option<&str> {
    message.split_once("did you mean \"")?.1.split_once('"').map(|(text, _)| text)
}

#[test]
fn what_is_suggested_for_a_whole_line_is_accepted() {
    let whole = |text: &&str| text.contains(' ') || text.chars().all(char::is_alphabetic);
    for (kind, cases) in [(Kind::Cron, &CRON[..]), (Kind::OnCalendar, &CALENDAR[..])] {
        for (text, _, message) in cases {
            let message = format!("{message}\"");
            let Some(line) = suggested(&message).filter(whole) else { continue };
            let written = ScheduleText { kind, ..ScheduleText::cron(line, "UTC") };
            assert!(Schedule::compile(&written).is_ok(), "{text}: {line}");
        }
    }
}

#[test]
fn names_of_other_schedulers_say_the_same_in_cron() {
    for name in ["minutely", "quarterly", "semiannually", "hourly", "daily", "monthly", "yearly", "annually"]
    {
        let known = Schedule::compile(&ScheduleText::cron(format!("@{name}"), "UTC"));
        let meant = known.unwrap_or_else(|problems| {
            let line = suggested(&problems[0].message).unwrap();
            Schedule::compile(&ScheduleText::cron(line, "UTC")).unwrap()
        });
        let calendar = ScheduleText { kind: Kind::OnCalendar, ..ScheduleText::cron(name, "UTC") };
        let calendar = Schedule::compile(&calendar).unwrap();
        let after = "2026-11-30T10:00:00Z".parse().unwrap();
        assert_eq!(meant.preview(after, 9), calendar.preview(after, 9), "{name}");
    }
}
