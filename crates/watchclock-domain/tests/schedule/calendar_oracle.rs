//! The second opinion on calendar expressions read value by value; the walk is in `oracle`.

use jiff::civil;

use super::oracle::{Matches, Rule};

/// A calendar expression, known to be well-formed, without shorthands and zones.
pub(crate) struct Calendar {
    weekday: Option<String>,
    year: String,
    month: String,
    day: String,
    from_end: bool,
    hour: String,
    minute: String,
    second: String,
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Calendar {
    pub(crate) fn new(text: &str) -> Self {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let (hour, rest) = words.pop().unwrap().split_once(':').unwrap();
        let (minute, second) = rest.split_once(':').unwrap_or((rest, "0"));
        let date =
            words.pop_if(|word| !word.starts_with(|c: char| c.is_ascii_alphabetic())).unwrap_or("*-*-*");
        let from_end = date.contains('~');
        let dashed = date.replace('~', "-");
        let (rest, day) = dashed.rsplit_once('-').unwrap();
        let (year, month) = rest.rsplit_once('-').unwrap_or(("*", rest));
        Self {
            weekday: words.pop().map(|word| word.trim_end_matches(',').to_lowercase()),
            year: full_years(year),
            month: month.to_owned(),
            day: day.to_owned(),
            from_end,
            hour: hour.to_owned(),
            minute: minute.to_owned(),
            second: second.to_owned(),
        }
    }
}

impl Matches for Calendar {
    fn date(&self, date: civil::Date) -> bool {
        let number = |value: i8| u32::try_from(value).unwrap();
        let today = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap();
        let index = |name: &str| DAYS.iter().position(|day| *day == &name[..3]).unwrap();
        let weekday = self.weekday.as_ref().is_none_or(|list| {
            list.split(',').any(|item| {
                let item = item.replace("..", "-");
                let (first, last) = item.split_once('-').unwrap_or((&item, &item));
                (index(first)..=index(last)).contains(&today)
            })
        });
        let from_end = number(date.days_in_month()) + 1 - number(date.day());
        let day = if self.from_end {
            self.day.split(',').any(|item| in_item_from_end(item, from_end))
        } else {
            in_list(&self.day, number(date.day()), 31)
        };
        let year = u32::try_from(date.year()).unwrap();
        weekday && day && in_list(&self.month, number(date.month()), 12) && in_list(&self.year, year, 2199)
    }

    fn minute(&self, hour: u32, minute: u32) -> bool {
        in_list(&self.hour, hour, 23) && in_list(&self.minute, minute, 59)
    }

    fn seconds(&self) -> Vec<u32> {
        (0..60).filter(|second| in_list(&self.second, *second, 59)).collect()
    }

    fn rule(&self) -> Rule {
        Rule::Once
    }
}

/// Two digits are years from 1970 to 2069.
fn full_years(field: &str) -> String {
    let full = |year: &str| match year.parse::<u32>() {
        Ok(year @ 0..70) => (year + 2000).to_string(),
        Ok(year @ 70..100) => (year + 1900).to_string(),
        _ => year.to_owned(),
    };
    let item = |item: &str| {
        let (range, step) = item.split_at(item.find('/').unwrap_or(item.len()));
        let range: Vec<String> = range.split("..").map(full).collect();
        range.join("..") + step
    };
    field.split(',').map(item).collect::<Vec<_>>().join(",")
}

fn parts(item: &str) -> (u32, u32, Option<u32>) {
    let (range, step) = item.split_once('/').map_or((item, None), |(range, step)| (range, step.parse().ok()));
    let (first, last) = range.split_once("..").unwrap_or((range, range));
    (first.parse().unwrap(), last.parse().unwrap(), step)
}

fn in_list(field: &str, value: u32, high: u32) -> bool {
    field == "*"
        || field.split(',').any(|item| {
            let (first, last, step) = parts(item);
            let last = if step.is_some() && first == last { high } else { last };
            (first..=last).contains(&value) && (value - first).is_multiple_of(step.unwrap_or(1))
        })
}

/// `value` is 1 for the last day of the month; series run towards it.
fn in_item_from_end(item: &str, value: u32) -> bool {
    let (last, first, step) = parts(item);
    let last = if step.is_some() && last == first { 1 } else { last };
    (last..=first).contains(&value) && (first - value).is_multiple_of(step.unwrap_or(1))
}
