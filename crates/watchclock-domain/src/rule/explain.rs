//! Puts what a judgement rests on into sentences for people. Neighbour: [`super::eval`], which found it.

use super::{
    eval::{Finding, Unknown},
    facts::Facts,
    got::Got,
    measure::{exactly, measured, unit},
    token::Comparison,
    tree::{Expr, Operand, Source, Test, Tree},
    verdict::Truth,
};
use crate::value::grouped;

/// Longest explanation, in characters.
const MAX_CHARS: usize = 600;
/// Longest text value within an explanation, in characters.
const MAX_VALUE_CHARS: usize = 80;

/// All findings, joined: `records_processed is 0`; `rows is missing`.
pub(super) fn sentence(tree: &Tree, facts: &Facts<'_>, findings: &[Finding<'_>]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for finding in findings {
        let words = if finding.unknown.is_empty() {
            vec![fact(tree, finding)]
        } else {
            finding.unknown.iter().map(|unknown| reason(tree, facts, finding, unknown)).collect()
        };
        for sentence in words {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    let joined = sentences.join("; ");
    if joined.chars().count() > MAX_CHARS { piece(&joined, 0, MAX_CHARS) } else { joined }
}

fn reason(tree: &Tree, facts: &Facts<'_>, finding: &Finding<'_>, unknown: &Unknown) -> String {
    let missing = match unknown {
        Unknown::Because(why) => return why.clone(),
        Unknown::Missing(field) => *field,
    };
    let field = &tree.fields[missing];
    let what = match field.source {
        Source::Duration if facts.run.started_at.is_none() => "duration is not known: no start was seen",
        Source::Duration => "duration is not known yet",
        Source::ExitCode => "no exit code was reported",
        Source::Message => "no message was sent",
        Source::Host => "no host was told",
        Source::Env => "no environment was told",
        _ => {
            // Alone on the right of a comparison it may have been meant as a text.
            let as_text = match finding.test {
                Test::Compare { left, right: Operand { expr: right @ Expr::Field(_), words }, .. }
                    if matches!(left.expr, Expr::Field(_)) && *right == Expr::Field(missing) =>
                {
                    format!(" (if {words} is meant as a text, write \"{words}\")")
                }
                _ => String::new(),
            };
            return format!("{} is missing{as_text}", field.shown);
        }
    };
    what.to_owned()
}

fn fact(tree: &Tree, finding: &Finding<'_>) -> String {
    let truth = finding.truth == Truth::True;
    match (finding.test, &finding.left, &finding.right) {
        (Test::Compare { left, comparison, right }, Some(got_left), Some(got_right)) => {
            let comparison = if truth { *comparison } else { comparison.opposite() };
            if left.expr.is_fixed() {
                compared(tree, (right, got_right), comparison.mirrored(), (left, got_left))
            } else {
                compared(tree, (left, got_left), comparison, (right, got_right))
            }
        }
        (Test::Search { left, search, right, negated }, Some(got), _) => {
            found(left, &format!("{} {}", search.word(), right.words), truth != *negated, got, finding.at)
        }
        (Test::Matches { left, pattern, negated }, Some(got), _) => {
            found(left, &format!("matches /{}/", pattern.source), truth != *negated, got, finding.at)
        }
        (Test::In { left, items, negated }, Some(got), _) => {
            let within = if truth == *negated { ", not one of " } else { ", one of " };
            let items: Vec<String> = items.iter().map(|item| literal(&item.words)).collect();
            let is = measured(unit(tree, &left.expr), got);
            format!("{} is {is}{within}{}", left.words, items.join(", "))
        }
        (Test::Missing { field, present }, ..) => {
            let is_present = truth == *present;
            format!("{} is {}", tree.fields[*field].shown, if is_present { "present" } else { "missing" })
        }
        (Test::Older { field, words, .. }, Some(Got::Text(age)), _) => {
            let than = if truth { "more" } else { "not more" };
            format!("{} is {age} old, {than} than {words}", tree.fields[*field].shown)
        }
        _ => String::new(),
    }
}

fn compared(
    tree: &Tree,
    (left, got_left): (&Operand, &Got<'_>),
    comparison: Comparison,
    (right, got_right): (&Operand, &Got<'_>),
) -> String {
    let unit_left = unit(tree, &left.expr);
    let unit_right = if right.expr.is_fixed() { unit_left } else { unit(tree, &right.expr) };
    let (mut is, mut than) = (measured(unit_left, got_left), measured(unit_right, got_right));
    if is == than && got_left != got_right {
        // Rounded they would read alike, though one is more than the other.
        (is, than) = (exactly(unit_left, got_left), exactly(unit_right, got_right));
    }
    let is = format!("{} is {is}", left.words);
    let other = if right.expr.is_fixed() {
        match got_right {
            Got::Text(_) => shown(got_right),
            _ if is_plain(&right.words) => exactly(unit_right, got_right),
            _ => right.words.clone(),
        }
    } else {
        format!("{}, which is {than}", right.words)
    };
    match comparison {
        Comparison::Eq if right.expr.is_fixed() => is,
        Comparison::Eq => format!("{is}, like {other}"),
        Comparison::Ne => format!("{is}, not {other}"),
        Comparison::Lt => format!("{is}, less than {other}"),
        Comparison::Le => format!("{is}, at most {other}"),
        Comparison::Gt => format!("{is}, more than {other}"),
        Comparison::Ge => format!("{is}, at least {other}"),
    }
}

/// A value for people: numbers to ten digits, text in quotes.
pub(super) fn shown(got: &Got<'_>) -> String {
    match got {
        Got::Number(number) => {
            let decimal = number.decimal();
            let long = !decimal.is_integer() && decimal.digits() > 10;
            let text = if long { decimal.with_prec(10).normalized().to_string() } else { number.to_string() };
            grouped(&text)
        }
        Got::Text(text) => format!("\"{}\"", piece(text, 0, MAX_VALUE_CHARS)),
        Got::Flag(flag) => flag.to_string(),
    }
}

/// What stands in the rule itself, a number in the groups of the one beside it: `5_000` as `5,000`, `10k` as it is.
fn literal(words: &str) -> String {
    if is_plain(words) { grouped(&words.replace('_', "")) } else { words.to_owned() }
}

/// Whether a part of a rule is a number without a unit.
fn is_plain(words: &str) -> bool {
    words
        .strip_prefix('-')
        .unwrap_or(words)
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'))
}

/// What was looked for in a text, and the line in which it was found.
fn found(left: &Operand, what: &str, is_found: bool, got: &Got<'_>, at: Option<usize>) -> String {
    if !is_found {
        return format!("{} not {what}", left.words);
    }
    let text = got.to_text();
    let at = at.unwrap_or(0);
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let end = text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end);
    format!("{} {what}: \"{}\"", left.words, piece(&text[start..end], at - start, MAX_VALUE_CHARS))
}

/// At most this many characters of a text, around a byte of it, with … where something is left out.
pub(super) fn piece(text: &str, around: usize, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let before = text[..around].chars().count();
    let skip = before.saturating_sub(most / 2).min(length - most);
    let middle: String = text.chars().skip(skip).take(most).collect();
    let (open, close) = (if skip > 0 { "…" } else { "" }, if skip + most < length { "…" } else { "" });
    format!("{open}{middle}{close}")
}

/// Why two values do not compare.
pub(super) fn no_comparison(
    (left, got_left): (&Operand, &Got<'_>),
    (right, got_right): (&Operand, &Got<'_>),
) -> String {
    let side = |operand: &Operand, got: &Got<'_>| {
        if operand.expr.is_fixed() {
            literal(&operand.words)
        } else {
            format!("{} is {}", operand.words, shown(got))
        }
    };
    let kind = |got: &Got<'_>| match got {
        Got::Number(_) => "a number",
        Got::Text(_) => "a text",
        Got::Flag(_) => "true or false",
    };
    let (left, right) = (side(left, got_left), side(right, got_right));
    format!("{left} ({}), which does not compare with {right} ({})", kind(got_left), kind(got_right))
}
