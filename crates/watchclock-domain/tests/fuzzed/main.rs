//! What the fuzz targets do with random input, done with input chosen by hand: absurd, huge, foreign. And quickly.

#[path = "../../../../fuzz/src/rule.rs"]
pub mod rule;
#[path = "../../../../fuzz/src/schedule.rs"]
pub mod schedule;

use std::time::{Duration, Instant};

use watchclock_domain::{
    rule::Condition,
    schedule::{Kind, Schedule, ScheduleText, Zone},
    span,
};

/// A millisecond; builds without optimisation on a busy machine get more.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 300 } else { 1 });

/// Runs something up to twenty times; the best time counts, since other work on the machine only ever adds.
fn within_limit(what: &str, mut once: impl FnMut()) {
    let mut took = (0..20).map(|_| {
        let began = Instant::now();
        once();
        began.elapsed()
    });
    assert!(took.any(|took| took < LIMIT), "{what:.60}: {LIMIT:?} or longer");
}

fn schedules() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "*/0 * * * *",
        "* * * * * *",
        "* * * * * * *",
        "0 0 31 2 *",
        "0 0 29 2 MON#5",
        "1 1 */100 * MON#4",
        "99999999999999999999 * * * *",
        "*/99999999999999999999 * * * *",
        "1-99999999999999999999/3 * * * *",
        "-1 * * * *",
        "1--2 * * * *",
        "1//2 * * * *",
        "L-3W * * * *",
        "0 0 31W 2 *",
        "0 0 L,LW,1W,31W * 0L,7L,5#5",
        "٣ ٣ * * *",
        "３ 3 * * *",
        "0 3 * * \u{202e}*",
        "0 3 * * *\u{0}",
        "CRON_TZ= 0 3 * * *",
        "CRON_TZ=\"\" 0 3 * * *",
        "TZ='Europe/Berlin 0 3 * * *",
        "@",
        "@every",
        "@every 99999999999999y",
        "every 99999999999999999999h",
        "every -5m",
        "every 1e9s",
        "*:*:*",
        "*-*-* *:*:* UTC UTC",
        "*~31 0:0",
        "*-*~28/1 *:*:*",
        "2199-12-31 23:59:59",
        "1970-01-01 00:00:00",
        "99..00-1-1",
        "1970..2199/229-2-29 0:0",
        "Mon..Mon..Mon 0:0",
        "Mon,,,,,,,, 0:0",
        "0..23/0:0",
        "12:00 Mars/Base",
        "12:00 Europe/Berlin Europe/Berlin",
    ]
    .map(str::to_owned)
    .into();
    for part in [
        "1,",
        "*",
        "0 ",
        "9",
        "/",
        "#",
        "-",
        "\u{1F600}",
        "é",
        "*/2,",
        "1-2,",
        "MON,",
        "0\n",
        "0 3 * * *\n",
        "00:00\n",
        "~",
        "..",
    ] {
        texts.push(part.repeat(10_000 / part.len()));
    }
    texts.push(format!("{} 3 * * *", "1,".repeat(240) + "1"));
    texts
}

#[test]
fn absurd_schedules_are_answered_at_once() {
    for text in schedules() {
        for zone in [0, 2, 4, 6] {
            let data = [&[zone, 120], text.as_bytes()].concat();
            within_limit(&text, || schedule::cron(&data));
            within_limit(&text, || schedule::oncalendar(&data));
        }
    }
}

#[test]
fn the_last_and_the_first_moments_that_can_be_told_have_no_slots_beyond() {
    let moments = [chrono::DateTime::<chrono::Utc>::MIN_UTC, chrono::DateTime::<chrono::Utc>::MAX_UTC];
    for (kind, text) in [(Kind::Cron, "* * * * *"), (Kind::Cron, "30 2 29 2 *"), (Kind::OnCalendar, "*:*:*")]
    {
        for zone in ["UTC", "Africa/Casablanca", "Pacific/Apia", "Antarctica/Troll"] {
            let lines = vec![text.to_owned()];
            let written = ScheduleText { kind, every: None, lines, tz: zone.to_owned() };
            let schedule = Schedule::compile(&written).expect("they are well-formed");
            for moment in moments {
                within_limit(text, || {
                    assert!(schedule.next(moment).is_none_or(|next| next > moment));
                    assert!(schedule.prev(moment).is_none_or(|prev| prev < moment));
                });
            }
        }
    }
    let every = Schedule::compile(&ScheduleText::every(3_600)).expect("an hour");
    assert_eq!((every.next(moments[1]), every.prev(moments[0])), (None, None));
}

#[test]
fn absurd_spans_zones_and_rules_are_answered_at_once() {
    let huge = "9".repeat(10_000);
    for text in [
        huge.as_str(),
        "99999999999999999999d",
        "-1h",
        "1e400s",
        "P99999999999Y",
        "PT",
        "0s",
        "1h 1h 1h",
        "½h",
    ] {
        within_limit(text, || {
            let _ = (span::parse(text), Zone::named(text));
        });
    }
    let deep = |open: &str, close: &str| format!("{}rows eq 1{}", open.repeat(300), close.repeat(300));
    for text in [
        deep("(", ")"),
        deep("not ", ""),
        "- ".repeat(400) + "rows eq 1",
        "rows eq ".to_owned() + &"9".repeat(900),
        "rows eq 1e999999999".to_owned(),
        "rows * 1e999999999 eq 1".to_owned(),
        "rows / 0 eq 1".to_owned(),
        "median(rows, 99999999999) gt 1".to_owned(),
        "median(rows, 99999999999d) gt 1".to_owned(),
        "count(failed, 0h) ge 0".to_owned(),
        format!("output matches /{}/", "(a*)*".repeat(100)),
        "output matches /(a{1000}){1000}/".to_owned(),
        "text eq \"".to_owned() + &"\\".repeat(500),
        "é eq ١".to_owned(),
        // what nests too deep begins with a character of several bytes
        "-".repeat(32) + "é eq 1",
        "(".repeat(32) + "ߠ(<",
        "not ".repeat(32) + "𝕏 eq 1",
        // folded, these stand for hundreds of texts
        format!("output matches /s\u{fffd} or 888Lw89{0}T{0}v888{0}888/i", "\u{fffd}".repeat(30)),
        "output matches /sorlwsorlw/i or ".repeat(30) + "rows eq 1",
        "\"a\" matches /ks/i or ".repeat(45) + "rows eq 1",
        format!("output matches /{}/i", "ks".repeat(480)),
        format!("output matches /{}/", "[ab][cd]".repeat(120)),
        "@ matches /\0\0\0\u{fffd}\u{fffd}\u{14}\u{fffd}matches\u{fffd}\0\u{fffd} /toi\u{1f}\0n=c/@"
            .to_owned(),
        huge,
    ] {
        within_limit(&text, || rule::condition(text.as_bytes()));
        rule::within(LIMIT, text.as_bytes());
    }
    // what is read may be as large as a job can send
    assert!(Condition::parse(&"rows eq 0 or ".repeat(800)).is_err());
}

/// `WATCHCLOCK_TEST_CORPUS` names a folder of inputs that a fuzzer kept, since each led somewhere new.
#[test]
fn rules_that_a_fuzzer_kept_are_answered_at_once() {
    let Some(folder) = std::env::var_os("WATCHCLOCK_TEST_CORPUS") else { return };
    let files = std::fs::read_dir(folder).expect("the folder can be read");
    let (mut count, mut slow) = (0, Vec::new());
    for file in files.filter_map(Result::ok) {
        let data = std::fs::read(file.path()).expect("the file can be read");
        count += 1;
        if std::panic::catch_unwind(|| rule::within(LIMIT, &data)).is_err() {
            slow.push(String::from_utf8_lossy(&data).into_owned());
        }
    }
    assert!(slow.is_empty(), "of {count}: {slow:#?}");
    println!("{count} rules, none takes {LIMIT:?}");
}
