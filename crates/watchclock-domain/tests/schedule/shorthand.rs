//! Schedules from one field of text: which kind is meant, in which zone, and where problems lie.

use watchclock_domain::schedule::{Kind, Schedule, ScheduleText};

fn read(text: &str) -> ScheduleText {
    ScheduleText::from_shorthand(text, Some("europe/berlin"))
        .unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

#[test]
fn kinds_are_recognised() {
    for (text, kind, every, lines) in [
        ("0 3 * * *", Kind::Cron, None, vec!["0 3 * * *"]),
        ("  0 3\t* * *  ", Kind::Cron, None, vec!["0 3\t* * *"]),
        ("@daily", Kind::Cron, None, vec!["@daily"]),
        ("0 3 * * *\n\n0 15 * * 6\r\n", Kind::Cron, None, vec!["0 3 * * *", "0 15 * * 6"]),
        ("every 5m", Kind::Every, Some(300), vec![]),
        ("Every 1h30m", Kind::Every, Some(5400), vec![]),
        ("every PT15M", Kind::Every, Some(900), vec![]),
        ("every day", Kind::Every, Some(86_400), vec![]),
        ("\nevery 5m \r\n\n", Kind::Every, Some(300), vec![]),
        ("every 90", Kind::Every, Some(90), vec![]),
        ("@every 90s", Kind::Every, Some(90), vec![]),
        ("none", Kind::None, None, vec![]),
        (" None ", Kind::None, None, vec![]),
        ("daily", Kind::OnCalendar, None, vec!["daily"]),
        ("Mon..Fri 02:30", Kind::OnCalendar, None, vec!["Mon..Fri 02:30"]),
        ("02:30\nSun 04:00 UTC", Kind::OnCalendar, None, vec!["02:30", "Sun 04:00 UTC"]),
    ] {
        let lines = lines.into_iter().map(str::to_owned).collect();
        assert_eq!(
            read(text),
            ScheduleText { kind, every, lines, tz: "Europe/Berlin".to_owned() },
            "{text:?}"
        );
    }
    assert_eq!(ScheduleText::from_shorthand("@hourly", None).unwrap().tz, "UTC");
}

#[test]
fn a_zone_in_the_text_decides() {
    for text in ["CRON_TZ=America/New_York 0 3 * * *", "TZ='america/new_york' 0 3 * * *"] {
        assert_eq!(read(text), ScheduleText::cron("0 3 * * *", "America/New_York"), "{text}");
    }
    let two = read("TZ=UTC 0 3 * * *\n0 4 * * *");
    assert_eq!((two.lines.len(), two.tz.as_str()), (2, "Europe/Berlin"));
    let schedule = Schedule::compile(&two).unwrap();
    assert_eq!(schedule.words(), "at 03:00 every day, UTC; also at 04:00 every day, Europe/Berlin");
    let riga = Schedule::compile(&read("02:30 Europe/Riga")).unwrap();
    assert_eq!((riga.zone().name(), riga.text().tz.as_str()), ("Europe/Riga", "Europe/Berlin"));
}

#[test]
fn problems_lie_in_the_text() {
    for (text, field, at, part) in [
        ("", "", Some(0), "give a schedule"),
        ("0 3 * *", "", Some(0), "five fields"),
        ("0 3 * * *\n0 99 * * *", "", Some(12), "hour goes from 0 to 23"),
        ("  every 30s", "", Some(8), "shortest is 1 minute"),
        ("every 10y", "", Some(8), "365d"),
        ("every 6000d", "", Some(6), "longest is 5 years"),
        ("every 1.5s", "", Some(6), "whole number of seconds"),
        ("every", "", Some(5), "give the interval"),
        ("5m", "", Some(0), "did you mean \"every 5m\""),
        ("wekly", "", Some(0), "did you mean \"weekly\""),
        ("Mun 02:30", "", Some(0), "did you mean \"Mon\""),
        ("banana", "", Some(0), "is no schedule"),
        ("CRON_TZ=Mars/Base 0 3 * * *", "", Some(8), "no time zone"),
        ("0 3 * * * curl http://example.org/a..b", "", Some(10), "leave the command out"),
        ("@daily curl http://example.org", "", Some(7), "commands"),
        ("0 3 * * http://example.org/", "", Some(8), "day-of-week"),
        ("CRON_TZ=UTC 02:30", "", Some(0), "did you mean \"02:30 UTC\""),
        ("TZ=UTC every 5m", "", Some(7), "\"every\""),
        ("# nightly\n0 3 * * *", "", Some(0), "comments"),
        ("every month", "", Some(6), "differ in length"),
        ("every 5m\n0 3 * * *", "", Some(0), "\"every 5m\" stands alone: an interval has no further lines"),
        ("0 3 * * *\n\n  @every 5m\r\n", "", Some(13), "\"@every 5m\" stands alone"),
        ("every 5m\revery 10m", "", Some(0), "stands alone"),
        ("02:30\nNone", "", Some(6), "\"None\" stands alone: it has no further lines"),
        ("every second", "", Some(6), "shortest interval is 1 minute"),
        ("every monday", "", Some(6), "stands an interval"),
        ("every day at 3:00", "", Some(6), "stands an interval"),
        ("every 5m\u{200b}", "", Some(8), "invisible character (U+200B)"),
    ] {
        let problem = ScheduleText::from_shorthand(text, None).expect_err(text).remove(0);
        assert_eq!((problem.field.as_str(), problem.at), (field, at), "{text:?}: {problem}");
        assert!(problem.message.contains(part), "{text:?}: {problem}");
    }
    let problems = ScheduleText::from_shorthand("0 99 * * *", Some("Mars/Base")).unwrap_err();
    let fields: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["tz", ""]);
}

#[test]
fn schedules_are_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    shared(&Schedule::compile(&read("0 3 * * *")).unwrap());
}
