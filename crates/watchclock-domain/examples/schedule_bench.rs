//! How fast schedules answer, beside croner: `cargo run --release -p watchclock-domain --example schedule_bench`.

use std::{hint::black_box, time::Instant};

use croner::Cron;
use watchclock_domain::{
    Time,
    schedule::{Schedule, ScheduleText},
};

const EXPRESSIONS: [(&str, &str); 8] = [
    ("30 3 * * *", "Europe/Berlin"),
    ("*/5 * * * *", "Europe/Berlin"),
    ("*/5 * * * *", "UTC"),
    ("15 14 1 * *", "Europe/Berlin"),
    ("0 4 * * 1-5", "America/New_York"),
    ("0 0 29 2 *", "Europe/Berlin"),
    ("0 9 * * 5L", "Australia/Lord_Howe"),
    ("30 2 * * *", "Africa/Casablanca"),
];

/// Nanoseconds of one call, the best of some rounds, since other work on the machine only ever adds.
fn nanos(calls: u32, mut call: impl FnMut(u32)) -> f64 {
    let round = |_| {
        let begin = Instant::now();
        (0..calls).for_each(&mut call);
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    (0..7).map(round).fold(f64::INFINITY, f64::min)
}

/// A moment of the next two years, the same ones each time.
fn moment(index: u32) -> Time {
    let second = 1_800_000_000 + i64::from(index.wrapping_mul(2_654_435_761) % (2 * 365 * 86_400));
    Time::from_timestamp(second, 0).unwrap_or_default()
}

fn main() {
    println!(
        "{:<14} {:<20} {:>9} {:>9} {:>9} {:>11} {:>7}",
        "", "ns per call", "next", "prev", "compile", "croner next", "ratio"
    );
    for (text, zone) in EXPRESSIONS {
        let written = ScheduleText::cron(text, zone);
        let schedule = Schedule::compile(&written).expect("the expressions above are well-formed");
        let next = nanos(20_000, |index| _ = black_box(schedule.next(black_box(moment(index)))));
        let prev = nanos(20_000, |index| _ = black_box(schedule.prev(black_box(moment(index)))));
        let compile = nanos(2_000, |_| _ = black_box(Schedule::compile(black_box(&written))));
        // croner has no zones of its own; UTC is its cheapest case
        let cron: Cron = text.parse().expect("croner knows the expressions above");
        let theirs =
            nanos(2_000, |index| _ = black_box(cron.find_next_occurrence(black_box(&moment(index)), false)));
        println!(
            "{text:<14} {zone:<20} {next:>9.0} {prev:>9.0} {compile:>9.0} {theirs:>11.0} {:>6.1}x",
            theirs / next
        );
    }
    let refused = ScheduleText::cron("0 0 31 2 *", "Europe/Berlin");
    println!(
        "refusing \"0 0 31 2 *\": {:.0} ns",
        nanos(2_000, |_| _ = black_box(Schedule::compile(&refused)))
    );
    let never = ScheduleText::cron("1 1 */100 * MON#4", "Europe/Berlin");
    println!(
        "refusing \"1 1 */100 * MON#4\": {:.0} ns",
        nanos(2_000, |_| _ = black_box(Schedule::compile(&never)))
    );

    let schedules: Vec<Schedule> = (0..100_000_u32)
        .filter_map(|index| {
            let (text, zone) = EXPRESSIONS[index as usize % EXPRESSIONS.len()];
            Schedule::compile(&ScheduleText::cron(text, zone)).ok()
        })
        .collect();
    let begin = Instant::now();
    let found = schedules.iter().filter(|schedule| schedule.next(moment(7)).is_some()).count();
    println!("next() of {found} schedules: {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
}
