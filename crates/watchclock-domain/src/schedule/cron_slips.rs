//! What people write where five fields belong, and what they meant: commands, comments, settings, seconds, zones. Fields are in `cron_field`.

use super::{
    Zone,
    cron::{self, MACROS},
    cron_blanks,
    cron_field::{DAY, Field, HOUR, MINUTE, MONTH, WEEKDAY},
    cron_names::{elsewhere, unknown_macro},
    oncalendar,
    text::Piece,
};
use crate::problem::{Problem, did_you_mean};

pub(super) const FIELDS: [&Field; 5] = [&MINUTE, &HOUR, &DAY, &MONTH, &WEEKDAY];

/// What stands after `@daily` and its like.
pub(super) fn after_macro(line: &str, name: Piece<'_>, rest: Piece<'_>) -> Problem {
    let end = line.trim_ascii_end().len();
    if end == rest.at + rest.len()
        && let Some(zone) = Zone::find(rest.text)
    {
        return zone_last(Piece { text: &line[name.at..end], at: name.at }, zone, name.text);
    }
    let what = if rest.text.starts_with('#') { "comments" } else { "commands and further fields" };
    Problem::at(
        rest.at,
        end - rest.at,
        format!("{what} do not belong in the schedule: leave out everything from here on"),
    )
}

/// Why the words are not the five fields of a line. What is wrong with the fields that are there is told too.
pub(super) fn wrong_count(line: &str, words: &[Piece<'_>]) -> Vec<Problem> {
    let [first, .., last] = words else {
        return vec![match words.first() {
            None => nothing(line),
            Some(only) => one_word(*only),
        }];
    };
    if let Some(setting) = setting(words) {
        return vec![setting];
    }
    if first.text.starts_with('@') {
        return vec![unknown_macro(*first, words.get(1).copied())];
    }
    let whole = Piece { text: &line[first.at..last.at + last.len()], at: first.at };
    if first.text.eq_ignore_ascii_case("every") {
        let message = format!(
            "\"{}\" is an interval and no cron expression: use the schedule \"every\" for it",
            whole.text
        );
        return vec![whole.problem(message)];
    }
    if let Some(blanks) = cron_blanks::within_fields(line, words) {
        return blanks;
    }
    let mut problems = Vec::new();
    let five = |problems: &mut Vec<Problem>| {
        let fields = words.get(..5).and_then(|five| <[Piece<'_>; 5]>::try_from(five).ok());
        fields.is_some_and(|fields| cron::fields(fields, problems).is_some())
    };
    let end = line.trim_ascii_end().len();
    if let Some(comment) = words.iter().find(|word| word.text.starts_with('#')) {
        if comment.at > words.get(4).map_or(comment.at, |fifth| fifth.at) {
            five(&mut problems);
        }
        let message = "comments do not belong in the schedule: leave out everything from the # on";
        problems.push(Problem::at(comment.at, end - comment.at, message));
        return problems;
    }
    let kept = |words: &[Piece<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let Some(rest) = words.get(5..).filter(|rest| !rest.is_empty()) else {
        if oncalendar::parse(whole.text).is_ok() {
            return vec![not_cron(whole)];
        }
        let names = FIELDS.map(|field| field.name).join(", ");
        return vec![
            whole.problem(format!("a cron expression has five fields ({names}); this has {}", words.len())),
        ];
    };
    let quoted = kept(&words[..5]);
    if let ([word], Some(zone)) = (rest, Zone::find(rest[0].text))
        && !like_a_field(word.text)
    {
        let is_right = five(&mut problems);
        if !line[..first.at].trim_ascii().is_empty() {
            problems.push(word.problem(format!("the time zone is given twice: leave {zone} out")));
        } else if is_right {
            problems.push(zone_last(whole, zone, &quoted));
        } else {
            problems.push(word.problem(format!("the time zone stands before the fields, as CRON_TZ={zone}")));
        }
        return problems;
    }
    if let Some(command) = rest.iter().find(|word| !like_a_field(word.text)) {
        let example = if five(&mut problems) { format!(", as in \"{quoted}\"") } else { String::new() };
        let message = format!("this looks like a whole line of a crontab: leave the command out{example}");
        problems.push(Problem::at(command.at, end - command.at, message));
        return problems;
    }
    // what would be left is told only if it is right
    let meant = |words: &[Piece<'_>]| {
        let text = kept(words);
        if cron::parse(&text).is_ok() { format!(": did you mean \"{text}\"?") } else { String::new() }
    };
    match rest {
        [year] if year.len() >= 4 && year.take(4).is_number() => {
            let keeps =
                if five(&mut problems) { format!(": \"{quoted}\" runs every year") } else { String::new() };
            problems.push(
                year.problem(format!("this looks like a crontab with years; drop the last field{keeps}")),
            );
        }
        [_] => problems.push(first.problem(format!(
            "this looks like a crontab with seconds; drop the first field{}",
            meant(&words[1..])
        ))),
        [_, _] => problems.push(whole.problem(format!(
            "this looks like a crontab with seconds and years; drop the first and the last field{}",
            meant(&words[1..6])
        ))),
        _ => problems
            .push(whole.problem(format!("a cron expression has five fields; this has {}", words.len()))),
    }
    problems
}

/// No words at all, or only a zone.
fn nothing(line: &str) -> Problem {
    let text = line.trim_ascii();
    if text.is_empty() {
        let message = "give a cron expression, such as \"30 2 * * *\" for every day at 02:30";
        return Problem::at(0, line.len(), message);
    }
    let at = line.len() - line.trim_ascii_start().len();
    Piece { text, at }
        .problem(format!("the expression is missing: write it after the zone, as in \"{text} 30 2 * * *\""))
}

fn one_word(word: Piece<'_>) -> Problem {
    if word.text.starts_with('@') {
        return unknown_macro(word, None);
    }
    if word.text.starts_with('#') {
        return word.problem("comments do not belong in the schedule: write one such as \"30 2 * * *\"");
    }
    if let Some(setting) = setting(&[word]) {
        return setting;
    }
    if word.text.contains(':') && oncalendar::parse(word.text).is_ok() {
        return not_cron(word);
    }
    let names = FIELDS.map(|field| field.name).join(", ");
    let near = || did_you_mean(word.text, MACROS.iter().map(|(name, _)| &name[1..]));
    let hint = elsewhere(&word.text.to_ascii_lowercase())
        .or_else(|| near().map(|name| format!("did you mean \"@{name}\"?")))
        .map_or_else(String::new, |hint| format!("; {hint}"));
    word.problem(format!("a cron expression has five fields ({names}); this has 1{hint}"))
}

fn not_cron(whole: Piece<'_>) -> Problem {
    whole.problem(format!("\"{}\" is no cron expression: use the schedule \"oncalendar\" for it", whole.text))
}

/// A zone after the expression, where OnCalendar has it.
fn zone_last(whole: Piece<'_>, zone: Zone, fields: &str) -> Problem {
    whole
        .problem(format!("the time zone stands before the fields: did you mean \"CRON_TZ={zone} {fields}\"?"))
}

/// `CRON_TZ= Europe/Berlin`, with a blank.
pub(super) fn zone_apart(prefix: Piece<'_>, name: Piece<'_>, zone: Zone) -> Problem {
    let message = format!("a zone before the fields is one word: did you mean \"{}{zone}\"?", prefix.text);
    Problem::at(prefix.at, name.at + name.len() - prefix.at, message)
}

/// A variable of a crontab before the fields, which is no zone or not written like one.
pub(super) fn setting(words: &[Piece<'_>]) -> Option<Problem> {
    let first = *words.first()?;
    let (key, value) = match first.split_once("=") {
        Some((key, value)) => (key, value.text),
        None => (first, words.get(1)?.text.strip_prefix('=')?),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if key.text.is_empty() || !key.text.bytes().all(is_name) {
        return None;
    }
    let upper = key.text.to_ascii_uppercase();
    if !matches!(upper.as_str(), "TZ" | "CRON_TZ") {
        return Some(
            first.problem(format!(
                "settings such as {} do not belong in the schedule: leave it out",
                key.text
            )),
        );
    }
    // `TZ = UTC` is one setting in a crontab, but three words here
    let value = if value.is_empty() { words.get(2)?.text } else { value };
    let name = value.trim_matches(['"', '\'']);
    let last = words.iter().take(3).find(|word| word.text.ends_with(value))?;
    let place = Problem::at(first.at, last.at + last.len() - first.at, "");
    let message = match Zone::find(name) {
        // an exact one would have been taken from the words
        _ if upper == key.text && first.text.contains('=') => {
            "the time zone is given twice: keep the right one".to_owned()
        }
        Some(zone) => format!("a zone before the fields is one word: did you mean \"{upper}={zone}\"?"),
        None => format!("a zone before the fields is one word, such as {upper}=Europe/Berlin"),
    };
    Some(Problem { message, ..place })
}

pub(super) fn like_a_field(word: &str) -> bool {
    let signs = |c: char| c.is_ascii_digit() || "*/,-?#LWlw".contains(c);
    let named = |part: &str| {
        let names = WEEKDAY.names.iter().chain(MONTH.names);
        part.chars().all(signs) || names.into_iter().any(|name| name.eq_ignore_ascii_case(part))
    };
    word.split(['-', ',', '/', '#']).all(named) && word != "/"
}
