//! iCalendar texts: what they name, and what is said of bad ones.

use super::*;

fn calendar(events: &[&str]) -> String {
    let events: Vec<String> = events
        .iter()
        .map(|event| format!("BEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\n", event.replace('\n', "\r\n")))
        .collect();
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{}END:VCALENDAR\r\n", events.concat())
}

#[track_caller]
fn days(events: &[&str], count: usize) -> Vec<String> {
    let text = calendar(events);
    let days = parse(&text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let from = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
    days.upcoming(from, count).into_iter().map(|(date, _)| date.to_string()).collect()
}

#[track_caller]
fn told(text: &str) -> Vec<String> {
    parse(text).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn events_cover_their_days() {
    assert_eq!(days(&["DTSTART;VALUE=DATE:20261225"], 9), ["2026-12-25"]);
    assert_eq!(
        days(&["DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261227\nTRANSP:TRANSPARENT"], 9),
        ["2026-12-24", "2026-12-25", "2026-12-26"],
        "the end is exclusive"
    );
    assert_eq!(days(&["DTSTART;VALUE=DATE:20261224\nDURATION:P2D"], 9), ["2026-12-24", "2026-12-25"]);
    assert_eq!(days(&["DTSTART:20261224T000000\nDTEND:20261225T000000"], 9), ["2026-12-24"]);
    assert_eq!(days(&["DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261224"], 9), ["2026-12-24"]);
}

#[test]
fn folded_lines_and_names_are_read() {
    let text = calendar(&[
        "DTSTART;VALUE=DA\n TE:20261225\nSUMMARY:Christmas\\, the fir\n st\nBEGIN:VALARM\nDTSTART:x\nEND:VALARM",
    ]);
    let days = parse(&text).unwrap();
    let from = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
    assert_eq!(
        days.upcoming(from, 1),
        [(NaiveDate::from_ymd_opt(2026, 12, 25).unwrap(), Some("Christmas, the first"))]
    );
}

/// The examples of RFC 5545, 3.8.5.3, and holidays that move.
#[test]
fn rules_repeat_events() {
    for (start, rule, expected) in [
        ("20200101", "FREQ=YEARLY", "2026-01-01 2027-01-01 2028-01-01"),
        ("20240229", "FREQ=YEARLY", "2028-02-29 2032-02-29 2036-02-29"),
        ("20260131", "FREQ=MONTHLY;COUNT=3", "2026-01-31 2026-03-31 2026-05-31"),
        ("20260102", "FREQ=MONTHLY;BYDAY=1FR;UNTIL=20260401T000000Z", "2026-01-02 2026-02-06 2026-03-06"),
        ("20260130", "FREQ=MONTHLY;BYDAY=-1FR;INTERVAL=2;COUNT=3", "2026-01-30 2026-03-27 2026-05-29"),
        ("20260128", "FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3", "2026-01-29 2026-02-26 2026-03-29"),
        ("20260102", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2", "2026-02-13 2026-03-13"),
        ("20260105", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", "2026-01-30 2026-02-27"),
        ("20201126", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2026-11-26 2027-11-25 2028-11-23"),
        ("20200525", "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO", "2026-05-25 2027-05-31 2028-05-29"),
        ("20260101", "FREQ=YEARLY;BYDAY=20MO;COUNT=2", "2026-05-18 2027-05-17"),
        ("20260101", "FREQ=YEARLY;BYMONTH=1,3;BYMONTHDAY=1,2;COUNT=3", "2026-01-01 2026-01-02 2026-03-01"),
        ("20260103", "FREQ=WEEKLY;BYDAY=SA,SU;COUNT=3", "2026-01-03 2026-01-04 2026-01-10"),
        (
            "20260104",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4",
            "2026-01-04 2026-01-13 2026-01-18 2026-01-27",
        ),
        (
            "20260104",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4",
            "2026-01-04 2026-01-06 2026-01-18 2026-01-20",
        ),
        ("20260101", "FREQ=DAILY;INTERVAL=10;UNTIL=20260121", "2026-01-01 2026-01-11 2026-01-21"),
    ] {
        let event = format!("DTSTART;VALUE=DATE:{start}\nRRULE:{rule}");
        let count = expected.split(' ').count();
        let mut found = days(&[&event], count + 1);
        if !rule.contains("COUNT") && !rule.contains("UNTIL") {
            found.truncate(count);
        }
        assert_eq!(found.join(" "), expected, "{start} {rule}");
    }
}

#[test]
fn single_repetitions_can_be_left_out_moved_and_added() {
    assert_eq!(
        days(
            &[
                "UID:a\nDTSTART;VALUE=DATE:20260501\nRRULE:FREQ=YEARLY;COUNT=4\nEXDATE;VALUE=DATE:20270501\nRDATE;VALUE=DATE:20260601",
                "UID:a\nRECURRENCE-ID;VALUE=DATE:20280501\nDTSTART;VALUE=DATE:20280502",
                "UID:b\nSTATUS:CANCELLED\nDTSTART;VALUE=DATE:20261225",
                "UID:c\nDTSTART:20261224T090000Z\nDTEND:20261224T100000Z",
            ],
            9
        ),
        ["2026-05-01", "2026-06-01", "2028-05-02", "2029-05-01"]
    );
}

#[test]
fn bad_texts_say_the_line() {
    assert_eq!(
        told("<html>\n<body>"),
        ["line 1: this is no iCalendar file: it does not begin with BEGIN:VCALENDAR"]
    );
    assert_eq!(told(""), ["give an iCalendar text: it begins with BEGIN:VCALENDAR"]);
    assert_eq!(
        told("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261225\n"),
        ["line 2: the VEVENT that begins here does not end: the file was cut off"]
    );
    assert_eq!(
        told(&calendar(&["DTSTART:2026-12-25\nnonsense\nRRULE:FREQ=HOURLY", "RRULE:FREQ=YEARLY;BYWEEKNO=2"])),
        [
            "line 5: DTSTART \"2026-12-25\" is no date: it is written 20261225 or 20261225T080000Z",
            "line 6: \"nonsense\" is no iCalendar line: it has no colon",
            "line 7: RRULE: FREQ=HOURLY repeats within a day, and days off are whole days",
            "line 10: RRULE: BYWEEKNO is not understood here",
        ]
    );
    assert_eq!(told(&calendar(&["SUMMARY:x"])), ["line 4: this event has no DTSTART"]);
    assert_eq!(
        told(&calendar(&["DTSTART:20261224T090000Z"])),
        ["its only event covers no whole day, so no day would be off: make it an all-day event"]
    );
    assert_eq!(told("BEGIN:VCALENDAR\nEND:VEVENT\nEND:VCALENDAR").len(), 2);
    let problem =
        &parse("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:x\nEND:VEVENT\nEND:VCALENDAR").unwrap_err()[0];
    assert_eq!((problem.at, problem.len), (Some(29), 9));
}

/// Whatever comes, reading it ends.
#[test]
fn work_has_an_end() {
    let event = "DTSTART;VALUE=DATE:19700101\nRRULE:FREQ=YEARLY;BYDAY=MO";
    let events = vec![event; 5_000];
    assert!(told(&calendar(&events))[0].contains("more days than can be looked at"));
    assert_eq!(told(&calendar(&["DTSTART:20260101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31"])).len(), 1);
}

#[test]
fn a_calendar_of_which_nothing_ever_happens_says_why() {
    let never = "DTSTART;VALUE=DATE:20260202\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30";
    let says = |events: &[&str]| told(&calendar(events)).join("|");
    assert!(
        says(&[never]).starts_with("its only event never happens, so no day would be off: "),
        "{}",
        says(&[never])
    );
    let timed = "DTSTART:20261224T080000";
    let told = says(&[never, timed]);
    assert!(told.starts_with("of its 2 events 1 cover no whole day and the others never happen"), "{told}");
    let told = says(&[never, never]);
    assert!(told.starts_with("none of the 2 events ever happens"), "{told}");
    assert!(says(&[timed, timed]).starts_with("none of the 2 events covers a whole day"));
    assert_eq!(says(&[]), "there is no event in this calendar, so no day would be off");
}
