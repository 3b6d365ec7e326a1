//! Rules in the words of other services, pasted into a monitor's form and turned into rows of rules. Neighbour: the domain translates.

use watchclock_domain::rule::{Converted, Dialect, convert};

use super::{
    fields::Fields,
    rule_rows,
    views::{
        parts::{Choice, Problem},
        rules::{ImportCheck, ImportedLine},
    },
};

/// As many lines as a monitor takes rules.
const MOST: usize = 50;

/// Whose words the pasted rules are.
pub(super) fn choices(fields: &Fields) -> Vec<Choice> {
    let chosen = fields.get("import.from");
    let guess = Choice::of("", "Whichever fits", Dialect::from_word(chosen).is_none());
    let others =
        Dialect::ALL.map(|dialect| Choice::of(dialect.word(), name(dialect), chosen == dialect.word()));
    std::iter::once(guess).chain(others).collect()
}

fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Crontify => "Crontify",
        Dialect::Cronitor => "Cronitor",
        Dialect::Cronping => "Cronping",
    }
}

/// What was done to a rule, in a sentence that fits every rule of its service.
fn note(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Crontify => "Crontify's rules say what is wrong, as rules do here, and stay as they are.",
        Dialect::Cronitor => {
            "Cronitor's assertions say what should be so; a rule here says what is wrong, so each is turned round."
        }
        Dialect::Cronping => "Cronping's conditions say what is wrong, too; their signs become words.",
    }
}

/// Each line that holds something, translated or refused.
fn lines(fields: &Fields) -> Vec<(String, Result<Converted, Problem>)> {
    let from = Dialect::from_word(fields.get("import.from"));
    let lines = fields.lines("import.text").into_iter().take(MOST);
    lines
        .map(|text| {
            let converted = convert(&text, from).map_err(|found| {
                let shown = found.first().map(|problem| Problem::of(&problem.with_caret(&text)));
                shown.unwrap_or_default()
            });
            (text, converted)
        })
        .collect()
}

/// The pasted rules beside what becomes of them.
pub(super) fn check(fields: &Fields) -> ImportCheck {
    let known: Vec<String> =
        rule_rows::readable(fields).into_iter().map(|rule| rule.condition.text().to_owned()).collect();
    let mut check = ImportCheck::default();
    for (text, converted) in lines(fields) {
        let mut line = ImportedLine { text, ..ImportedLine::default() };
        match converted {
            Ok(Converted { from, when, .. }) => {
                let note = note(from).to_owned();
                if !check.notes.contains(&note) {
                    check.notes.push(note);
                }
                line.is_known =
                    known.contains(&when) || check.lines.iter().any(|earlier| earlier.when == when);
                check.good += usize::from(!line.is_known);
                name(from).clone_into(&mut line.from);
                line.when = when;
            }
            Err(problem) => line.problem = Some(problem),
        }
        check.lines.push(line);
    }
    check
}

/// Puts what could be translated into rows of rules; the rest stays to be mended.
pub(super) fn take_over(fields: &mut Fields) {
    let mut left = Vec::new();
    for (text, converted) in lines(fields) {
        match converted {
            Ok(converted) => rule_rows::add(fields, &converted.when),
            Err(_) => left.push(text),
        }
    }
    fields.set("import.text", left.join("\n"));
}
