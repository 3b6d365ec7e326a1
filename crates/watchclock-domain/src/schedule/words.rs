//! An expression in words that say exactly what it does; the words for days are in `words_days`. What clocks do to it is in `walk`.

use super::{
    pattern::{ALL_HOURS, ALL_SIXTY, Pattern},
    walk::Line,
    words_days,
};

/// Most times of day that are listed one by one.
const MAX_TIMES: u32 = 6;
/// Most minutes at even distances that are listed one by one.
const MAX_MINUTES: u32 = 9;

/// All lines in words, each with its zone, or with the zone that they share at the end.
pub(super) fn lines(lines: &[Line]) -> String {
    let shared = lines.windows(2).all(|pair| pair[0].zone == pair[1].zone);
    let mut parts = Vec::new();
    for line in lines {
        let words = pattern(&line.pattern);
        parts.push(if shared { words } else { format!("{words}, {}", line.zone) });
    }
    let text = parts.join("; also ");
    match lines.first() {
        Some(first) if shared => format!("{text}, {}", first.zone),
        _ => text,
    }
}

fn pattern(pattern: &Pattern) -> String {
    let time = time(pattern);
    let days = words_days::days(pattern);
    if days.is_empty() || days.starts_with("in ") {
        let every = if time.starts_with("at ") { " every day" } else { "" };
        let gap = if days.is_empty() { "" } else { " " };
        return format!("{time}{every}{gap}{days}");
    }
    format!("{time} {days}")
}

/// The times of day.
fn time(pattern: &Pattern) -> String {
    let Pattern { seconds, minutes, hours, .. } = *pattern;
    let full = seconds == 1;
    let count = seconds.count_ones() * minutes.count_ones() * hours.count_ones();
    if count <= MAX_TIMES && (hours.count_ones() < 3 || minutes.count_ones() > 1 || steps(hours).is_none()) {
        let mut times = Vec::new();
        for hour in bits(hours) {
            for minute in bits(minutes) {
                for second in bits(seconds) {
                    let second = if full { String::new() } else { format!(":{second:02}") };
                    times.push(format!("{hour:02}:{minute:02}{second}"));
                }
            }
        }
        return format!("at {}", list(&times));
    }
    if full { whole_minutes(minutes, hours) } else { with_seconds(seconds, minutes, hours) }
}

/// Times whose second is 0.
fn whole_minutes(minutes: u64, hours: u64) -> String {
    let minute = minutes.trailing_zeros();
    let (first_hour, last_hour) = (hours.trailing_zeros(), hours.ilog2());
    if minutes.is_power_of_two() {
        return match steps(hours) {
            Some(_) if hours == ALL_HOURS && minute == 0 => "every hour".to_owned(),
            Some(_) if hours == ALL_HOURS => format!("every hour at :{minute:02}"),
            Some(step) => {
                let every = counted(step, "hour");
                format!("{every} from {first_hour:02}:{minute:02} to {last_hour:02}:{minute:02}")
            }
            None => format!("at :{minute:02} in {}", hour_list(hours)),
        };
    }
    let run = steps(hours) == Some(1) || hours.is_power_of_two();
    match cycle(minutes).map(|step| counted(step, "minute")) {
        Some(every) if hours == ALL_HOURS => every,
        Some(every) if run => {
            let last = minutes.ilog2();
            format!("{every} from {first_hour:02}:00 to {last_hour:02}:{last:02}")
        }
        Some(every) => format!("{every} in {}", hour_list(hours)),
        None => match (series(minutes), hours) {
            (Some(series), ALL_HOURS) => format!("{series} of every hour"),
            (Some(series), _) => format!("{series} in {}", hour_list(hours)),
            (None, ALL_HOURS) => format!("every hour at {}", minute_list(minutes)),
            (None, _) => format!("at {} in {}", minute_list(minutes), hour_list(hours)),
        },
    }
}

/// Many minutes at even distances: `every 2 minutes from :01 to :59`.
fn series(minutes: u64) -> Option<String> {
    let step = steps(minutes).filter(|step| *step > 1 && minutes.count_ones() > MAX_MINUTES)?;
    let (first, last) = (minutes.trailing_zeros(), minutes.ilog2());
    Some(format!("{} from :{first:02} to :{last:02}", counted(step, "minute")))
}

fn minute_list(minutes: u64) -> String {
    list(&ranges(minutes, |minute| format!(":{minute:02}")))
}

/// Times of OnCalendar with seconds.
fn with_seconds(seconds: u64, minutes: u64, hours: u64) -> String {
    let second = |second: u32| format!("{second:02}");
    let each = match cycle(seconds) {
        Some(step) => counted(step, "second"),
        None if seconds.is_power_of_two() => format!("at second {:02}", seconds.trailing_zeros()),
        None => format!("at seconds {}", list(&ranges(seconds, second))),
    };
    if minutes == ALL_SIXTY && hours == ALL_HOURS {
        return if cycle(seconds).is_some() { each } else { format!("{each} of every minute") };
    }
    let of = match minutes {
        ALL_SIXTY => "every minute".to_owned(),
        _ if minutes.is_power_of_two() => format!("minute {}", minute_list(minutes)),
        _ => format!("minutes {}", minute_list(minutes)),
    };
    format!("{each} of {of} in {}", hour_list(hours))
}

fn hour_list(hours: u64) -> String {
    if hours == ALL_HOURS {
        return "every hour".to_owned();
    }
    let names = ranges(hours, |hour| format!("{hour:02}"));
    format!("{} {}", if hours.is_power_of_two() { "hour" } else { "hours" }, list(&names))
}

/// `every minute`, `every 5 minutes`.
fn counted(step: u32, unit: &str) -> String {
    if step == 1 { format!("every {unit}") } else { format!("every {step} {unit}s") }
}

/// The step of a set of 60 that goes on evenly from one minute or hour to the next.
fn cycle(set: u64) -> Option<u32> {
    let step = steps(set)?;
    (set & 1 == 1 && 60 % step == 0 && set.count_ones() == 60 / step).then_some(step)
}

/// The distance between the values of a set of two or more, if it is the same everywhere.
pub(super) fn steps(set: u64) -> Option<u32> {
    let values: Vec<u32> = bits(set).collect();
    let step = values.get(1)? - values.first()?;
    values.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

/// The values of a set.
pub(super) fn bits(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| set & 1 << bit != 0)
}

/// The values of a set, three and more in a row as a range.
pub(super) fn ranges(set: u64, name: impl Fn(u32) -> String) -> Vec<String> {
    let values: Vec<u32> = bits(set).collect();
    let mut names = Vec::new();
    for run in values.chunk_by(|left, right| left + 1 == *right) {
        match run {
            [first, _, .., last] => names.push(format!("{}–{}", name(*first), name(*last))),
            few => names.extend(few.iter().map(|value| name(*value))),
        }
    }
    names
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(names: &[String]) -> String {
    joined(names, "and")
}

/// The same with another word before the last.
pub(super) fn joined(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
