//! The regular expressions of rules and extractors, compiled within limits. Neighbours: [`super::quoted`] cuts them out of the text, [`super::search`] matches them.
//!
//! Matching takes time linear in the length of the text, but with a factor that grows with the compiled size;
//! so the size is limited, and known, and the work of matching is counted. `\d`, `\w`, `\s` and `\b` mean their
//! ASCII forms, which are small.

use std::sync::Arc;

use regex_automata::{
    MatchKind,
    hybrid::dfa::DFA,
    meta,
    nfa::thompson::{Compiler, Config, NFA, WhichCaptures},
    util::{prefilter::Prefilter, syntax},
};
use regex_syntax::hir::{Hir, literal::Extractor};

/// Most memory that the expressions of one rule may take when compiled, together, in bytes.
pub(super) const MAX_SIZE: usize = 32 << 10;
/// Memory for the states that matching builds as it goes, in bytes.
const CACHE_LIMIT: usize = 1 << 20;
/// Deepest nesting of groups.
const NEST_LIMIT: u32 = 32;

/// A compiled expression; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// Without slashes, as written.
    pub(super) source: String,
    /// Its compiled size in bytes.
    pub(super) size: usize,
    pub(super) compiled: Arc<Compiled>,
}

#[derive(Debug)]
pub(super) struct Compiled {
    /// Finds where the first match ends.
    pub(super) forward: DFA,
    /// Finds where a match begins whose end is known; only where groups are asked for.
    pub(super) reverse: Option<DFA>,
    /// Finds the groups of a match whose place is known; likewise.
    pub(super) groups: Option<meta::Regex>,
    /// Skips what cannot be the begin of a match.
    pub(super) skip: Option<Prefilter>,
}

/// What is wrong with a regular expression, and at which character of it, where known.
#[derive(Debug)]
pub(super) struct BadPattern {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

impl BadPattern {
    fn too_big() -> Self {
        let message =
            "this regular expression is too big: write `+` or `*` instead of counted repeats like `{1,50}`";
        Self { at: None, message: message.to_owned() }
    }
}

impl Pattern {
    /// For a test: only whether and where it matches. `^` and `$` are the ends of lines.
    pub(super) fn compile(source: &str, ignore_case: bool, dot_all: bool) -> Result<Self, BadPattern> {
        Self::build(source, ignore_case, dot_all, false)
    }

    /// The same with its groups.
    pub(super) fn with_groups(source: &str, ignore_case: bool, dot_all: bool) -> Result<Self, BadPattern> {
        Self::build(source, ignore_case, dot_all, true)
    }

    fn build(source: &str, ignore_case: bool, dot_all: bool, groups: bool) -> Result<Self, BadPattern> {
        if source.is_empty() {
            return Err(BadPattern { at: None, message: "this regular expression is empty".to_owned() });
        }
        let syntax = syntax::Config::new()
            .multi_line(true)
            .crlf(true)
            .case_insensitive(ignore_case)
            .dot_matches_new_line(dot_all)
            .nest_limit(NEST_LIMIT);
        let hir = match syntax::parse_with(&in_ascii(source), &syntax) {
            Ok(hir) => hir,
            // The places of an error are those of what was written.
            Err(error) => {
                let error = syntax::parse_with(source, &syntax).err().unwrap_or(error);
                return Err(explain(&error.to_string()));
            }
        };
        // Backwards, and with groups, an expression takes a few times as much.
        let nfa = |reverse: bool, most: usize| -> Result<NFA, BadPattern> {
            let config =
                Config::new().reverse(reverse).which_captures(WhichCaptures::None).nfa_size_limit(Some(most));
            Compiler::new().configure(config).build_from_hir(&hir).map_err(|_| BadPattern::too_big())
        };
        let skip = prefilter(&hir);
        let dfa = |nfa: NFA, kind: MatchKind| -> Result<DFA, BadPattern> {
            let config = DFA::config()
                .match_kind(kind)
                .specialize_start_states(skip.is_some())
                .cache_capacity(CACHE_LIMIT)
                .skip_cache_capacity_check(true);
            DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| BadPattern {
                at: None,
                message: "in this regular expression: word boundaries are those of ASCII, write `\\b`"
                    .to_owned(),
            })
        };
        let plain = nfa(false, MAX_SIZE)?;
        let size = plain.memory_usage();
        let reverse = groups.then(|| dfa(nfa(true, 8 * MAX_SIZE)?, MatchKind::All)).transpose()?;
        let groups = if groups {
            let config =
                meta::Config::new().nfa_size_limit(Some(8 * MAX_SIZE)).hybrid_cache_capacity(CACHE_LIMIT);
            let built = meta::Builder::new().configure(config).build_from_hir(&hir);
            Some(built.map_err(|_| BadPattern::too_big())?)
        } else {
            None
        };
        let compiled = Compiled { forward: dfa(plain, MatchKind::LeftmostFirst)?, reverse, groups, skip };
        Ok(Self { source: source.to_owned(), size, compiled: Arc::new(compiled) })
    }
}

/// Looks for the few texts with which a match can begin. Few and short: of all that `/i` or `[ab][cd]` stand for, finding
/// the texts takes longer than they ever save.
fn prefilter(hir: &Hir) -> Option<Prefilter> {
    let mut texts =
        Extractor::new().limit_class(4).limit_repeat(4).limit_literal_len(8).limit_total(4).extract(hir);
    texts.optimize_for_prefix_by_preference();
    Prefilter::new(MatchKind::LeftmostFirst, texts.literals()?).filter(Prefilter::is_fast)
}

/// The expression with `\d`, `\w`, `\s`, `\b` replaced by what they mean in ASCII.
fn in_ascii(source: &str) -> String {
    let mut ascii = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    let mut class = 0u32;
    while let Some(c) = chars.next() {
        match c {
            '[' => class += 1,
            ']' => class = class.saturating_sub(1),
            _ => {}
        }
        if c != '\\' {
            ascii.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => ascii.push_str("[0-9]"),
            Some('D') => ascii.push_str("[^0-9]"),
            Some('w') => ascii.push_str("[0-9A-Za-z_]"),
            Some('W') => ascii.push_str("[^0-9A-Za-z_]"),
            Some('s') => ascii.push_str(r"[\t-\r ]"),
            Some('S') => ascii.push_str(r"[^\t-\r ]"),
            Some(b @ ('b' | 'B')) if class == 0 && chars.peek() != Some(&'{') => {
                ascii.extend(["(?-u:\\", if b == 'b' { "b" } else { "B" }, ")"]);
            }
            Some(other) => ascii.extend(['\\', other]),
            None => ascii.push('\\'),
        }
    }
    ascii
}

/// Takes the place and the reason out of the regex crate's drawing of an error:
/// a line with the expression, a line with carets below it, and `error: …`.
fn explain(drawing: &str) -> BadPattern {
    let at = drawing
        .lines()
        .find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty())
        .and_then(|carets| carets.find('^')?.checked_sub("    ".len()));
    let reason = drawing.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let reason = match reason.unwrap_or("cannot be read") {
        reason if reason.contains("look-around") => {
            "look-ahead and look-behind are not available, as they can be slow"
        }
        reason if reason.contains("backreferences") => {
            "backreferences are not available, as they can be slow"
        }
        reason => reason,
    };
    BadPattern { at, message: format!("in this regular expression: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::{super::search::Work, *};

    #[test]
    fn says_where_an_expression_is_wrong() {
        for (source, at, message) in [
            ("ab(c", Some(2), "unclosed group"),
            (r"\d\d(", Some(4), "unclosed group"),
            ("(?=a)", Some(0), "look-ahead"),
            (r"(a)\1", Some(3), "backreferences"),
            (r"(\w{500}){500}", None, "too big"),
            ("a**[", Some(3), "unclosed"),
            ("", None, "empty"),
        ] {
            let bad = Pattern::compile(source, false, false).unwrap_err();
            assert_eq!(bad.at, at, "{source}: {}", bad.message);
            assert!(bad.message.contains(message), "{source}: {}", bad.message);
        }
    }

    #[test]
    fn letters_stand_for_ascii_classes() {
        for (source, text, found) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\d.]+$", "1.2", true),
            (r"^[^\d]+$", "abc", true),
            (r"^\w+\s\S+$", "a_1 ö", true),
            (r"\bfoo\b", "a foo.", true),
            (r"\bfoo\b", "afoo", false),
            (r"\Boo\b", "afoo", true),
            (r"\Bfoo", "ä foo", false),
            (r"\bm\b", "größe m", true),
            (r"^\D\W$", "a-", true),
            (r"gr.ße", "größe", true),
            (r"a\\d", r"a\d", true),
        ] {
            let pattern = Pattern::compile(source, false, false).unwrap();
            assert_eq!(Work::default().find(&pattern, text).unwrap().is_some(), found, "{source} {text}");
            assert!(pattern.size <= 4 << 10, "{source} {}", pattern.size);
        }
    }
}
