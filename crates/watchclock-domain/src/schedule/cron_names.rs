//! Names with and without `@` that cron does not have, and what says the same there.

use super::{cron::MACROS, text::Piece};
use crate::problem::{Problem, did_you_mean};

/// Names of other schedulers and the fields that mean the same.
const ELSEWHERE: [(&str, &str); 16] = [
    ("minutely", "* * * * *"),
    ("every_minute", "* * * * *"),
    ("every-minute", "* * * * *"),
    ("everyminute", "* * * * *"),
    ("noon", "0 12 * * *"),
    ("midday", "0 12 * * *"),
    ("bimonthly", "0 0 1 */2 *"),
    ("bi-monthly", "0 0 1 */2 *"),
    ("quarterly", "0 0 1 1,4,7,10 *"),
    ("semiannually", "0 0 1 1,7 *"),
    ("semi-annually", "0 0 1 1,7 *"),
    ("biannually", "0 0 1 1,7 *"),
    ("bi-annually", "0 0 1 1,7 *"),
    ("half-yearly", "0 0 1 1,7 *"),
    ("weekdays", "0 0 * * 1-5"),
    ("workdays", "0 0 * * 1-5"),
];

/// Every second week: no fields say that.
const FORTNIGHTLY: [&str; 4] = ["biweekly", "bi-weekly", "fortnightly", "fortnight"];
const SECONDLY: [&str; 3] = ["secondly", "every_second", "every-second"];

/// A word with `@` that is no shorthand of cron; `next` is what stands after it.
pub(super) fn unknown_macro(word: Piece<'_>, next: Option<Piece<'_>>) -> Problem {
    let lower = word.text.to_ascii_lowercase();
    match lower.as_str() {
        "@reboot" => word.problem(
            "@reboot has no time of day to expect: use the schedule \"none\", which judges every run and expects none",
        ),
        "@every" => {
            let span = next.map_or("5m", |next| next.text);
            word.problem(format!("@every is an interval and not cron: use the schedule \"every {span}\""))
        }
        _ => {
            let hint = elsewhere(&lower[1..]).unwrap_or_else(|| {
                did_you_mean(&lower, MACROS.map(|(name, _)| name)).map_or_else(
                    || MACROS.map(|(name, _)| name).join(", "),
                    |name| format!("did you mean {name}?"),
                )
            });
            word.problem(format!("\"{}\" is no shorthand of cron: {hint}", word.text))
        }
    }
}

/// What to write for a name that other schedulers know, or one that is nearly such a name and none of cron's.
pub(super) fn elsewhere(name: &str) -> Option<String> {
    let near = |name: &str| {
        let known = MACROS.iter().map(|(name, _)| &name[1..]);
        let others = ELSEWHERE.iter().map(|(name, _)| *name).chain(FORTNIGHTLY).chain(SECONDLY);
        // of names that are equally near, the first is taken
        did_you_mean(name, known.chain(others))
    };
    let name = near(name)?;
    if let Some((_, fields)) = ELSEWHERE.iter().find(|(known, _)| *known == name) {
        return Some(format!("did you mean \"{fields}\"?"));
    }
    if FORTNIGHTLY.contains(&name) {
        return Some("use the schedule \"every 2w\" for every second week".to_owned());
    }
    SECONDLY.contains(&name).then(|| "the shortest is every minute, \"* * * * *\"".to_owned())
}
