//! What people write in place of an expression, and what they are told to write: slips that have one remedy. Other refusals are in `refusals`.

use watchclock_domain::schedule::{Schedule, ScheduleText};

use super::refusals::{Case, calendar, check, cron};

const CRON: [Case; 25] = [
    ("10-5/4 * * * *", "10-5/4", "did you mean \"10-59/4,2\""),
    ("50-10/5 * * * *", "50-10/5", "did you mean \"50-59/5,0-10/5\""),
    ("0 0 * * FRI-MON/2", "FRI-MON/2", "did you mean \"5,0\""),
    ("0 0 * * 7-2/2", "7-2/2", "did you mean \"0-2/2\""),
    ("0 0 * * FRI-MOM", "FRI-MOM", "did you mean \"5-7,1\""),
    ("0 0 * October-MAR *", "October-MAR", "did you mean \"OCT-12,1-MAR\""),
    ("23-2/ * * * *", "23-2/", "is missing"),
    ("0~30 2 * * *", "0~30", "random"),
    ("0 0 L-10 * *", "L-10", "*-*~11"),
    ("0 0 * * #6", "#6", "lacks the weekday"),
    ("0 3 * * /x", "/x", "nothing to step through"),
    ("0 3 * * * UTC", "0 3 * * * UTC", "did you mean \"CRON_TZ=UTC 0 3 * * *\""),
    ("@daily Europe/Kiev", "@daily Europe/Kiev", "did you mean \"CRON_TZ=Europe/Kiev @daily\""),
    ("CRON_TZ=UTC 0 3 * * * EST", "EST", "given twice"),
    ("CRON_TZ=UTC TZ=UTC 0 3 * * *", "TZ=UTC", "given twice"),
    ("cron_tz=utc 0 3 * * *", "cron_tz=utc", "did you mean \"CRON_TZ=UTC\""),
    ("CRON_TZ= Europe/Riga 0 3 * * *", "CRON_TZ= Europe/Riga", "did you mean \"CRON_TZ=Europe/Riga\""),
    ("TZ = UTC 0 3 * * *", "TZ = UTC", "did you mean \"TZ=UTC\""),
    ("MAILTO=a@example.org 0 3 * * *", "MAILTO=a@example.org", "settings such as MAILTO"),
    ("CRON_TZ=UTC", "CRON_TZ=UTC", "the expression is missing"),
    ("CRON_TZ=UTC  0 3 * * ", "0 3 * *", "this has 4"),
    ("  1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8", "this has 8"),
    ("Mon..Fri 02:30", "Mon..Fri 02:30", "\"oncalendar\""),
    ("02:30", "02:30", "\"oncalendar\""),
    ("every 5m", "every 5m", "\"every\""),
];

const CALENDAR: [Case; 30] = [
    ("@daily", "@daily", "did you mean \"daily\""),
    ("biannually", "biannually", "did you mean \"semiannually\""),
    ("semi-annually", "semi-annually", "did you mean \"semiannually\""),
    ("*-*~*/2", "*/2", "did you mean \"1..31/2\""),
    ("1-5:00", "1-5", "did you mean \"1..5\""),
    ("22..6:00", "22..6", "did you mean \"22..23,0..6\""),
    ("22..6/3:00", "22..6/3", "did you mean \"22,1..6/3\""),
    ("*-10..2-1", "10..2", "did you mean \"10..12,1..2\""),
    ("Sun..Wed", "Sun..Wed", "did you mean \"Sun,Mon..Wed\""),
    ("Satt..Mon", "Satt..Mon", "did you mean \"Sat..Sun,Mon\""),
    ("Sun..Tus 1:00", "Sun..Tus", "did you mean \"Sun,Mon..Tue\""),
    ("2:30pm", "30pm", "without am and pm"),
    ("Mon 2:30 PM", "PM", "without am and pm"),
    ("12", "12", "did you mean \"12:00\""),
    ("Mon *-*-1 7", "7", "did you mean \"7:00\""),
    ("02:30 # nightly", "# nightly", "comments"),
    ("# nightly", "# nightly", "comments"),
    ("2030-01-31T04:00", "2030-01-31T04:00", "did you mean \"2030-01-31 04:00\""),
    ("2030-01-31t04:00:00Z", "2030-01-31t04:00:00Z", "did you mean \"2030-01-31 04:00:00 UTC\""),
    ("02:30 Mon", "02:30 Mon", "did you mean \"Mon 02:30\""),
    ("02:30 *-*-1 ", "02:30 *-*-1", "did you mean \"*-*-1 02:30\""),
    ("*-*-1 Mon 02:30", "*-*-1 Mon 02:30", "did you mean \"Mon *-*-1 02:30\""),
    ("UTC 02:30", "UTC 02:30", "did you mean \"02:30 UTC\""),
    ("Europe/Riga Mon", "Europe/Riga Mon", "did you mean \"Mon Europe/Riga\""),
    ("TZ=UTC 02:30", "TZ=UTC 02:30", "did you mean \"02:30 UTC\""),
    ("CRON_TZ=Europe/Riga daily", "CRON_TZ=Europe/Riga daily", "did you mean \"daily Europe/Riga\""),
    ("0 3 * * *", "0 3 * * *", "\"cron\""),
    ("every 5m", "every 5m", "\"every\""),
    ("Mon 12:00 13:00", "Mon 12:00", "at most one of each"),
    ("02:30 UTC+2", "UTC+2", "did you mean Etc/GMT-2"),
];

#[test]
fn slips_are_met_with_what_was_meant() {
    check(&CRON, "cron[0]", cron);
    check(&CALENDAR, "oncalendar[0]", calendar);
}

/// What would be left is no suggestion if it is refused too; what is wrong with it is told at once where it stays.
#[test]
fn nothing_is_suggested_that_is_refused() {
    for text in ["0 0 99 * * *", "0 */5 2 31 2 *", "0 0 12 1 13 ? 2030"] {
        let problem = cron(text).remove(0);
        assert!(problem.message.contains("drop the first"), "{text}: {problem}");
        assert!(!problem.message.contains("did you mean"), "{text}: {problem}");
    }
    for (text, places) in [
        ("60 3 * * * /bin/backup 1", vec![0, 11]),
        ("0 3 * * 9 2030", vec![8, 10]),
        ("0 99 * * * # nightly", vec![2, 11]),
        ("0 3 * 13 * UTC", vec![6, 11]),
    ] {
        let found: Vec<_> = cron(text).iter().map(|problem| problem.at.unwrap()).collect();
        assert_eq!(found, places, "{text}");
    }
    for text in ["*:*/x", "*:*/0", "*-*~*/y"] {
        assert!(!calendar(text)[0].message.contains("did you mean"), "{text}");
    }
}

#[test]
fn only_the_last_day_may_have_a_step_behind_it() {
    for text in ["0 0 L/2 * *", "0 0 lw/2 * *", "0 */24 * * *", "*/100 * * * *", "0 0 * */13 *"] {
        assert!(Schedule::compile(&ScheduleText::cron(text, "UTC")).is_ok(), "{text}");
    }
    for text in ["0 0 L/0 * *", "0 0 L/x * *", "0 0 15W/2 * *", "0 0 * * 5L/2", "0 0 * * MON#2/2"] {
        let problems = cron(text);
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        assert!(problems[0].message.contains("is one day and takes no step"), "{text}: {problems:?}");
    }
}
