//! Blanks within fields of cron: `MON, FRI`, `1 - 5`, `*/ 5`, each of which makes more words than there are fields.

use super::{
    Zone, cron,
    cron_slips::{FIELDS, like_a_field},
    text::Piece,
};
use crate::problem::Problem;

/// What is wrong with words that are five fields once their parts are put together; with the blanks alone where the fields are wrong, too.
pub(super) fn within_fields(line: &str, words: &[Piece<'_>]) -> Option<Vec<Problem>> {
    let fields = joined(line, words);
    if fields.len() < 5 || fields.len() == words.len() {
        return None;
    }
    let (fields, rest) = fields.split_at(5);
    // a sixth field may be a year or the first one seconds: then nothing is known of the names
    if rest.first().is_some_and(|word| like_a_field(word.text) && !word.text.starts_with('#')) {
        let told = |field: &Piece<'_>| {
            let message = format!(
                "there is a blank inside \"{}\": did you mean \"{}\"?",
                field.text,
                closed(field.text)
            );
            field.problem(message)
        };
        let told: Vec<_> = fields.iter().filter(|field| has_blank(field.text)).map(told).collect();
        return (!told.is_empty()).then_some(told);
    }
    let apart: Vec<_> = FIELDS.iter().zip(fields).filter(|(_, field)| has_blank(field.text)).collect();
    let ((_, first), (_, last)) = (apart.first()?, apart.last()?);
    let names = apart.iter().map(|(field, _)| field.name).collect::<Vec<_>>().join(" and the ");
    let closed = fields.iter().map(|field| closed(field.text)).collect::<Vec<_>>().join(" ");
    let given = line[..fields[0].at].trim_ascii();
    let zone_last = if let [zone] = rest { Zone::find(zone.text).filter(|_| given.is_empty()) } else { None };
    let meant = match zone_last {
        Some(zone) => format!("CRON_TZ={zone} {closed}"),
        None if given.is_empty() => closed,
        None => format!("{given} {closed}"),
    };
    let hint = if cron::parse(&meant).is_ok() {
        format!("did you mean \"{meant}\"?")
    } else {
        "write each field as one word".to_owned()
    };
    let message = format!("there is a blank inside the {names}: {hint}");
    let mut problems = vec![Problem::at(first.at, last.at + last.len() - first.at, message)];
    problems.extend(rest.first().filter(|_| zone_last.is_none()).map(|rest| {
        let end = line.trim_ascii_end().len();
        let message = "only five fields belong in the schedule: leave out everything from here on";
        Problem::at(rest.at, end - rest.at, message)
    }));
    Some(problems)
}

/// The words, those put together that a list, a range or a step connects.
fn joined<'a>(line: &'a str, words: &[Piece<'a>]) -> Vec<Piece<'a>> {
    let mut fields: Vec<Piece<'a>> = Vec::with_capacity(words.len());
    for word in words {
        match fields.last_mut() {
            Some(last) if connected(last.text, word.text) => {
                last.text = &line[last.at..word.at + word.len()];
            }
            _ => fields.push(*word),
        }
    }
    fields
}

fn connected(before: &str, after: &str) -> bool {
    let part = |word: &str| word.split([' ', '\t']).all(|part| part == "/" || like_a_field(part));
    let signs = [',', '-', '/'];
    !after.starts_with('#')
        && (before.ends_with(signs) || after.starts_with(signs))
        && part(before)
        && part(after)
}

fn closed(field: &str) -> String {
    field.replace([' ', '\t'], "")
}

fn has_blank(text: &str) -> bool {
    text.contains([' ', '\t'])
}
