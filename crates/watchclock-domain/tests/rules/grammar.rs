//! Makes random sentences of the grammar in `docs/rules.md` and has them parsed. Neighbour: [`super::user_doc`] runs the examples of that page.

use std::collections::BTreeMap;

use watchclock_domain::rule::{exercise, syntax_problems};

const DOC: &str = include_str!("../../../../docs/rules.md");
/// Within these, nothing may stand between two parts.
const LEXICAL: [&str; 8] =
    ["word", "key", "number", "digits", "length of time", "text", "filled text", "pattern"];

/// A right side of the grammar.
#[derive(Debug, Clone)]
enum Part {
    Literal(String),
    Rule(String),
    All(Vec<Part>),
    OneOf(Vec<Part>),
    Maybe(Box<Part>),
    Repeat(Box<Part>),
}

/// Reads EBNF as ISO 14977 writes it, as far as the page uses it.
struct Reader<'d> {
    rest: &'d str,
}

impl<'d> Reader<'d> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: &str) -> bool {
        self.blank();
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest;
        true
    }

    fn name(&mut self) -> &'d str {
        self.blank();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != ' ').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name.trim()
    }

    fn rules(&mut self) -> BTreeMap<String, Part> {
        let mut rules = BTreeMap::new();
        loop {
            let name = self.name();
            if name.is_empty() {
                assert!(self.rest.trim().is_empty(), "cannot read {}", self.rest);
                return rules;
            }
            assert!(self.take("="), "{name} has no `=`: {}", self.rest);
            let part = self.one_of();
            assert!(self.take(";"), "{name} does not end: {}", self.rest);
            rules.insert(name.to_owned(), part);
        }
    }

    fn one_of(&mut self) -> Part {
        let mut parts = vec![self.all()];
        // "p1" … "p99" stands for all between; both ends will do.
        while self.take("|") || self.take("…") {
            parts.push(self.all());
        }
        if parts.len() == 1 { parts.remove(0) } else { Part::OneOf(parts) }
    }

    fn all(&mut self) -> Part {
        let mut parts = vec![self.part()];
        while self.take(",") {
            parts.push(self.part());
        }
        if parts.len() == 1 { parts.remove(0) } else { Part::All(parts) }
    }

    fn part(&mut self) -> Part {
        for quote in ['"', '\''] {
            if self.take(&quote.to_string()) {
                let (literal, rest) = self.rest.split_once(quote).expect("a closing quote");
                self.rest = rest;
                return Part::Literal(literal.to_owned());
            }
        }
        for (open, close) in [("[", "]"), ("{", "}"), ("(", ")")] {
            if self.take(open) {
                let inner = self.one_of();
                assert!(self.take(close), "no {close}: {}", self.rest);
                return match open {
                    "[" => Part::Maybe(inner.into()),
                    "{" => Part::Repeat(inner.into()),
                    _ => inner,
                };
            }
        }
        let name = self.name();
        assert!(!name.is_empty(), "cannot read {}", self.rest);
        Part::Rule(name.to_owned())
    }
}

/// Makes sentences.
struct Writer {
    rules: BTreeMap<String, Part>,
    state: u64,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).expect("31 bits fit") % limit
    }

    fn any(&mut self, of: &[&str]) -> String {
        of[self.below(of.len())].to_owned()
    }

    fn rule(&mut self, name: &str, depth: usize) -> String {
        match name {
            "letter" => self.any(&["x", "Y", "ö", "q"]),
            "digit" => self.any(&["0", "1", "7"]),
            "character" => self.any(&["a", "ü", " ", "(", "5"]),
            "escape" => self.any(&["\\n", "\\\\", "\\\"", "\\'", "\\/"]),
            "regular expression" => self.any(&["a+", r"\d{2,3}", "^ö|b$", "[^/]x", r"(?:a|b)*\.", r"a\/b"]),
            "whole number" => self.any(&["1", "14", "500"]),
            "exponent" => self.any(&["0", "7", "40"]),
            "status" => self.any(&["failed", "success", "hung", "missed"]),
            "number with a unit of time" => self.any(&["5s", "90m", "2h", "1.5d", "1w", "500ms"]),
            _ => {
                let part = self.rules.get(name).unwrap_or_else(|| panic!("no rule for `{name}`")).clone();
                self.part(&part, LEXICAL.contains(&name), depth + 1)
            }
        }
    }

    fn part(&mut self, part: &Part, tight: bool, depth: usize) -> String {
        match part {
            Part::Literal(text) => text.clone(),
            Part::Rule(name) => self.rule(name, depth),
            Part::All(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.part(part, tight, depth)).collect();
                parts.join(if tight { "" } else { " " })
            }
            Part::OneOf(parts) => {
                // Deep down the first of them, which leads to an end.
                let at = if depth > 14 { 0 } else { self.below(parts.len()) };
                self.part(&parts[at].clone(), tight, depth)
            }
            Part::Maybe(inner) if self.below(2) == 0 && depth <= 14 => self.part(inner, tight, depth),
            Part::Repeat(inner) if depth <= 14 => {
                let times = [0, 0, 1, 1, 2][self.below(5)];
                let times: Vec<String> = (0..times).map(|_| self.part(inner, tight, depth)).collect();
                times.join(if tight { "" } else { " " })
            }
            Part::Maybe(_) | Part::Repeat(_) => String::new(),
        }
    }
}

#[test]
fn sentences_of_the_documented_grammar_parse() {
    let block = DOC.split("```ebnf\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a grammar");
    let rules = Reader { rest: block }.rules();
    assert!(rules.len() > 15, "{:?}", rules.keys());
    let mut writer = Writer { rules, state: 1 };
    let (mut parsed, mut meant) = (0, 0);
    let mut wrong = Vec::new();
    while parsed < 4_000 && wrong.len() < 8 {
        let sentence = writer.rule("rule", 0);
        let depth = sentence.matches(['(', '-', '+']).count() + sentence.matches("not").count();
        if sentence.chars().count() > 900 || depth > 28 {
            continue;
        }
        parsed += 1;
        let problems = syntax_problems(&sentence);
        if !problems.is_empty() {
            wrong.push(format!("{}\n{}", problems[0].message, problems[0].with_caret(&sentence)));
        }
        meant += usize::from(exercise(&sentence, "a 12 b\nöx\n", "5").is_some());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(meant > 100, "only {meant} of {parsed} sentences mean something");
}
