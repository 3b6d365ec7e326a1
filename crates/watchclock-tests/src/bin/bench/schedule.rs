//! What schedules cost beside the croner crate, in the same run. Neighbour: `domain` has the other pure parts.
//!
//! Rounds of both alternate, and the best of each counts, since other work on the machine only ever adds. croner reads no
//! time zones without a zone database of its own, so it answers in UTC, its cheapest case, also where ours knows Berlin.

use std::{hint::black_box, time::Instant};

use anyhow::{Context as _, Result, ensure};
use croner::Cron;
use watchclock_domain::{
    Time,
    schedule::{Schedule, ScheduleText},
};

const ROUNDS: u32 = 15;
const CALLS: u32 = 4_000;
/// How many monitors get their next deadline.
const MONITORS: usize = 100_000;

const EXPRESSIONS: [(&str, &str); 6] = [
    ("30 3 * * *", "Europe/Berlin"),
    ("*/5 * * * *", "UTC"),
    ("*/5 * * * *", "Europe/Berlin"),
    ("0 4 * * 1-5", "America/New_York"),
    ("0 9 * * 5L", "Australia/Lord_Howe"),
    ("0 0 29 2 *", "Europe/Berlin"),
];

/// Prints the figures; an error where one of the promises of the design does not hold.
pub(crate) fn measure() -> Result<()> {
    println!("{:<34} {:>8} {:>8} {:>8}", "ns each", "ours", "croner", "ratio");
    for (text, zone) in EXPRESSIONS {
        let written = ScheduleText::cron(text, zone);
        let schedule = Schedule::compile(&written).map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
        let theirs: Cron = text.parse().context("croner knows these expressions")?;
        let next = compare(
            |call| _ = black_box(schedule.next(black_box(moment(call)))),
            |call| _ = black_box(theirs.find_next_occurrence(black_box(&moment(call)), false)),
        );
        row(&format!("next of {text}, {zone}"), next);
        let parse = compare(
            |_| _ = black_box(Schedule::compile(black_box(&written))),
            |_| _ = black_box(black_box(text).parse::<Cron>()),
        );
        row(&format!("parse {text}"), parse);
        ensure!(next.0 < next.1 && next.0 < 1_000.0, "next() of {text} is not faster, or not below 1 µs");
        ensure!(parse.0 < parse.1 && parse.0 < 1_000.0, "parsing {text} is not faster, or not below 1 µs");
    }
    let schedules: Vec<Schedule> = EXPRESSIONS
        .iter()
        .cycle()
        .take(MONITORS)
        .filter_map(|(text, zone)| Schedule::compile(&ScheduleText::cron(*text, *zone)).ok())
        .collect();
    let began = Instant::now();
    let found = schedules.iter().filter(|schedule| schedule.next(moment(7)).is_some()).count();
    let took = began.elapsed();
    println!("{found} monitors' next deadlines: {:.1} ms\n", took.as_secs_f64() * 1e3);
    ensure!(took.as_millis() < 500, "it takes half a second or more");
    Ok(())
}

/// The nanoseconds of one call of each.
fn compare(mut ours: impl FnMut(u32), mut theirs: impl FnMut(u32)) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        best = (best.0.min(nanos(&mut ours)), best.1.min(nanos(&mut theirs)));
    }
    best
}

fn nanos(call: &mut impl FnMut(u32)) -> f64 {
    let began = Instant::now();
    (0..CALLS).for_each(call);
    began.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

fn row(name: &str, (ours, theirs): (f64, f64)) {
    println!("{name:<34} {ours:>8.0} {theirs:>8.0} {:>7.1}x", theirs / ours);
}

/// Moments of two years, the same ones each time.
fn moment(call: u32) -> Time {
    let second = 1_800_000_000 + i64::from(call.wrapping_mul(2_654_435_761) % (2 * 365 * 86_400));
    Time::from_timestamp(second, 0).unwrap_or_default()
}
