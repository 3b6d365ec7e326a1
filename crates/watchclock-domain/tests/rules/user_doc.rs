//! Runs the examples of `docs/rules.md`. Neighbour: [`super::table`], the cases that no user needs to read.

use watchclock_domain::rule::{Condition, Extractor, Truth, convert};

use super::support::{Run, judge, noon};

const DOC: &str = include_str!("../../../../docs/rules.md");

/// One example under way.
#[derive(Default)]
struct Example {
    rule: String,
    runs: Vec<Run>,
    caret: Option<(usize, usize)>,
    extractor: Option<Extractor>,
    output: String,
}

/// The width of `rule     ` and the like.
const INDENT: usize = 9;

impl Example {
    /// Takes one line; says whether it was one that checks something.
    fn line(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            *self = Self::default();
            return false;
        }
        if line.trim_matches([' ', '^']).is_empty() {
            let at = line.find('^').expect("a caret") - INDENT;
            self.caret = Some((at, line.trim().len()));
            return false;
        }
        let (word, rest) = line.split_once(' ').expect("a word and its text");
        let rest = rest.trim_start();
        match word {
            "rule" | "convert" => rest.clone_into(&mut self.rule),
            "run" => self.runs.push(Run::of_json(&serde_json::from_str(rest).expect("JSON"))),
            "verdict" => self.verdict(rest),
            "problem" => self.problem(rest),
            "extractor" => {
                let (name, text) = rest.split_once(" = ").expect("name = /…/");
                self.extractor = Some(Extractor::parse(name, text).expect("an extractor"));
            }
            "output" => self.output = rest.replace("\\n", "\n").replace("\\r", "\r"),
            "value" => {
                let extractor = self.extractor.as_ref().expect("an extractor");
                let value = extractor.extract(&self.output);
                assert_eq!(value.map_or_else(|| "none".to_owned(), |value| value.to_string()), rest);
            }
            "becomes" => {
                let converted = convert(&self.rule, None).unwrap_or_else(|problems| panic!("{problems:?}"));
                assert_eq!(converted.when, rest, "{}", self.rule);
            }
            _ => panic!("what is `{word}`?"),
        }
        matches!(word, "verdict" | "problem" | "value" | "becomes")
    }

    fn verdict(&mut self, expected: &str) {
        let condition = Condition::parse(&self.rule).unwrap_or_else(|problems| panic!("{problems:?}"));
        let runs = std::mem::take(&mut self.runs);
        let verdict = judge(&condition, &runs, noon());
        let (word, why) = expected.split_once(": ").unwrap_or((expected, ""));
        assert_eq!(Some(verdict.truth), Truth::from_word(word), "{}: {verdict:?}", self.rule);
        assert_eq!(verdict.why.as_deref().unwrap_or_default(), why, "{}", self.rule);
    }

    fn problem(&self, expected: &str) {
        let problems = Condition::parse(&self.rule).expect_err("a refused rule");
        let problem = &problems[0];
        let mut rest = problem.message.as_str();
        for part in expected.split('…').map(str::trim) {
            let at = rest.find(part).unwrap_or_else(|| panic!("{}: {}", self.rule, problem.message));
            rest = &rest[at + part.len()..];
        }
        assert!(rest.is_empty(), "{}: {}", self.rule, problem.message);
        assert_eq!(problem.at.map(|at| (at, problem.len)), self.caret, "{}", problem.with_caret(&self.rule));
    }
}

#[test]
fn examples_are_true() {
    let mut checked = 0;
    for block in DOC.split("```rules\n").skip(1) {
        let block = block.split("```").next().expect("the end of the block");
        let mut example = Example::default();
        checked += block.lines().filter(|line| example.line(line)).count();
    }
    assert!(checked >= 30, "only {checked} examples were found");
}

#[test]
fn truth_tables_are_true() {
    // x is 1 and y is missing.
    let sides = [(Truth::True, "x eq 1"), (Truth::False, "x eq 2"), (Truth::Unknown, "y eq 1")];
    let truth = |rule: &str| {
        let run = Run::of_json(&serde_json::json!({"meta": {"x": 1}}));
        judge(&Condition::parse(rule).expect("a rule"), &[run], noon()).truth.word()
    };
    let mut expected = String::new();
    for operator in ["and", "or"] {
        expected.extend(["| `", operator, "` | true | false | unknown |\n|---|---|---|---|\n"]);
        for (left, left_rule) in sides {
            let cells = sides.map(|(_, right_rule)| truth(&format!("{left_rule} {operator} {right_rule}")));
            expected.extend(["| **", left.word(), "** | ", &cells.join(" | "), " |\n"]);
        }
        expected.push('\n');
    }
    expected.push_str("| `not` | |\n|---|---|\n");
    for (inner, rule) in sides {
        expected.extend(["| **", inner.word(), "** | ", truth(&format!("not {rule}")), " |\n"]);
    }
    assert!(DOC.contains(&expected), "the page should say\n{expected}");
}
