//! Random bytes as the text of a schedule: no panic, no endless search, and slots that stand in order.

use watchclock_domain::{
    Time,
    schedule::{Kind, Schedule, ScheduleText, Zone},
    span,
};

/// Zones with gaps at midnight, of half an hour and of a day, changes twice in a month, and one without any.
const ZONES: [&str; 8] = [
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "Pacific/Apia",
    "UTC",
];

pub fn cron(data: &[u8]) {
    expression(Kind::Cron, data);
}

pub fn oncalendar(data: &[u8]) {
    expression(Kind::OnCalendar, data);
}

/// The first two bytes choose a zone and a moment, the rest is text.
fn expression(kind: Kind, data: &[u8]) {
    let [zone, moment, text @ ..] = data else { return };
    let text = String::from_utf8_lossy(text);
    let zone = ZONES[usize::from(*zone) % ZONES.len()];
    let now = Time::from_timestamp(-3_000_000_000 + i64::from(*moment) * 53_000_003, 0).unwrap_or_default();
    let lines = vec![text.to_string()];
    if let Ok(schedule) = Schedule::compile(&ScheduleText { kind, every: None, lines, tz: zone.to_owned() }) {
        slots(&schedule, now);
        assert_eq!(
            Schedule::compile(schedule.text()).as_ref(),
            Ok(&schedule),
            "what is stored reads the same"
        );
    }
    if let Ok(written) = ScheduleText::from_shorthand(&text, Some(zone)) {
        assert!(Schedule::compile(&written).is_ok(), "what a field accepts compiles");
    }
    let _ = (span::parse(&text), Zone::named(&text));
}

fn slots(schedule: &Schedule, now: Time) {
    let slots = schedule.preview(now, 12);
    assert!(slots.iter().all(|slot| *slot > now) && slots.is_sorted_by(|one, next| one < next), "{slots:?}");
    for pair in slots.windows(2) {
        assert_eq!(schedule.prev(pair[1]), Some(pair[0]), "back from {}", pair[1]);
    }
    for slot in &slots {
        assert!(schedule.latest(*slot) >= *slot, "{slot}");
        let _ = schedule.clock_change(*slot);
    }
    assert!(schedule.prev(now).is_none_or(|prev| prev < now));
    assert!(!schedule.words().is_empty());
}
