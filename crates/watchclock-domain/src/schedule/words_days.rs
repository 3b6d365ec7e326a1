//! The days of an expression in words; the times of day and the whole are in `words`.

use super::{
    pattern::{ALL_MONTHS, Pattern, Years},
    words::{bits, joined, list, ranges, steps},
};

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Monday to Friday.
const WORKDAYS: u8 = 0b011_1110;
/// Saturday and Sunday.
const WEEKEND: u8 = 0b100_0001;

/// Days, months and years: `on weekdays in March`, `on 29 February`; empty for every day.
pub(super) fn days(pattern: &Pattern) -> String {
    let days = &pattern.days;
    let (any_date, any_weekday) = (days.every_date(), days.every_weekday());
    // with both fields to satisfy, a day is one of several
    let both = !any_date && !any_weekday && !days.either;
    let (dates, weekdays) = (dates(pattern, if both { "or" } else { "and" }), weekdays(pattern));
    let only_dates = !any_date && any_weekday && !days.either;
    let plain_date = only_dates && dates.len() == 1 && days.dates.is_power_of_two();
    if plain_date && pattern.months.is_power_of_two() {
        let month = list(&months(pattern.months));
        let year = match &pattern.years {
            Years::All => String::new(),
            Years::Some(years) => format!(" {}", year_list(years)),
        };
        return format!("on {} {month}{year}", days.dates.trailing_zeros());
    }
    let mut words = match (any_date, any_weekday) {
        (true, true) => String::new(),
        _ if days.either && (any_date || any_weekday) => String::new(),
        (true, false) => format!("on {}", list(&weekdays)),
        (false, true) => format!("on {}", list(&dates)),
        _ if days.either => format!("on {} and also on {}", list(&dates), list(&weekdays)),
        _ if days.last == 0 && days.nth == [0; 5] => {
            format!("on {} that fall on {}", list(&weekdays), joined(&dates, "or"))
        }
        _ => {
            let fall = if weekdays.len() == 1 { "it falls" } else { "they fall" };
            format!("on {} if {fall} on {}", list(&weekdays), joined(&dates, "or"))
        }
    };
    let mut during = Vec::new();
    if pattern.months != ALL_MONTHS {
        during.push(list(&months(pattern.months)));
    }
    if let Years::Some(years) = &pattern.years {
        during.push(year_list(years));
    }
    if !during.is_empty() {
        let gap = match words.is_empty() {
            true => "",
            false if days.either => ", only ",
            false => " ",
        };
        words = format!("{words}{gap}in {}", during.join(" of "));
    }
    words
}

fn months(set: u64) -> Vec<String> {
    ranges(set, |month| {
        let index = usize::try_from(month).unwrap_or(0).saturating_sub(1);
        MONTHS.get(index).copied().unwrap_or_default().to_owned()
    })
}

fn year_list(years: &[i32]) -> String {
    let even = years.windows(2).all(|pair| pair[1] - pair[0] == years[1] - years[0]);
    if let [first, second, _, _, .., last] = years
        && even
        && second - first > 1
    {
        let step = ordinal(second.abs_diff(*first));
        return format!("every {step} year from {first} to {last}");
    }
    let runs = years.chunk_by(|left, right| left + 1 == *right);
    let names = runs.flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first}–{last}")],
        few => few.iter().map(ToString::to_string).collect(),
    });
    list(&names.collect::<Vec<_>>())
}

/// What the day-of-month field names, its days joined by `and` or `or`.
fn dates(pattern: &Pattern, word: &str) -> Vec<String> {
    let days = &pattern.days;
    let mut names = Vec::new();
    let set = u64::from(days.dates);
    match steps(set).filter(|step| *step > 1 && set.count_ones() > 4) {
        Some(step) => names.push(format!(
            "every {} day from day {} to day {} of the month",
            ordinal(step),
            set.trailing_zeros(),
            set.ilog2()
        )),
        None if set != 0 => {
            names.push(format!("{} of the month", numbered(set, word)));
        }
        None => {}
    }
    names.extend(
        bits(u64::from(days.nearest)).map(|day| format!("the weekday nearest to day {day} of the month")),
    );
    names.extend(from_end(days.from_end, word));
    if days.last_workday {
        names.push("the last weekday of the month".to_owned());
    }
    names
}

/// `day 1`, `days 1, 3–5 and 9`, `day 1 or 9`.
fn numbered(set: u64, word: &str) -> String {
    let names = ranges(set, |day| day.to_string());
    let one = set.is_power_of_two() || word == "or" && !names.iter().any(|name| name.contains('–'));
    format!("{} {}", if one { "day" } else { "days" }, joined(&names, word))
}

/// Days counted from the month's end; day 1 is the last.
fn from_end(days: u32, word: &str) -> Option<String> {
    let set = u64::from(days);
    let first = set.checked_ilog2()?;
    Some(match set.count_ones() {
        1 if first == 1 => "the last day of the month".to_owned(),
        1 => format!("the {} to last day of the month", ordinal(first)),
        count if count == first => format!("the last {count} days of the month"),
        _ => format!("{} from the end of the month", numbered(set, word)),
    })
}

/// What the day-of-week field names.
fn weekdays(pattern: &Pattern) -> Vec<String> {
    let days = &pattern.days;
    let mut names = match days.weekdays {
        0 => Vec::new(),
        WORKDAYS => vec!["weekdays".to_owned()],
        WEEKEND => vec!["weekends".to_owned()],
        set => plural_weekdays(set),
    };
    for (rank, set) in (1..).zip(days.nth) {
        let rank = ordinal(rank);
        names.extend(weekday_names(set).map(|name| format!("the {rank} {name} of the month")));
    }
    names.extend(weekday_names(days.last).map(|name| format!("the last {name} of the month")));
    names
}

/// `Mondays to Thursdays`, `Mondays`, from Monday on.
fn plural_weekdays(set: u8) -> Vec<String> {
    // Sunday goes to the end of the week
    let from_monday = u64::from(set >> 1 | (set & 1) << 6);
    let name = |day: u32| format!("{}s", WEEKDAYS[usize::try_from(day + 1).unwrap_or(0) % 7]);
    ranges(from_monday, name).into_iter().map(|range| range.replace('–', " to ")).collect()
}

fn weekday_names(set: u8) -> impl Iterator<Item = &'static str> {
    WEEKDAYS.into_iter().enumerate().filter(move |(day, _)| set & 1 << day != 0).map(|(_, name)| name)
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
