//! Evaluates a rule over a run by Kleene's logic and remembers what it rests on. Neighbours: [`super::read`] gets values, [`super::explain`] puts findings into words.

use super::{
    explain,
    facts::Facts,
    got::{Got, equal, order},
    search::{TooMuch, Work},
    token::Comparison,
    tree::{Call, Expr, Operand, Source, Test, Tree},
    verdict::{Truth, Verdict},
};
use crate::{Time, value::Value};

/// Why a value is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unknown {
    /// The run has no such field.
    Missing(usize),
    Because(String),
}

/// One test that was made, and what it saw.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    pub(super) test: &'a Test,
    pub(super) truth: Truth,
    pub(super) left: Option<Got<'a>>,
    pub(super) right: Option<Got<'a>>,
    /// Where in a searched text something was found, in bytes.
    pub(super) at: Option<usize>,
    /// Why it is unknown; empty where it is not.
    pub(super) unknown: Vec<Unknown>,
}

/// One evaluation under way.
pub(super) struct Evaluation<'a> {
    pub(super) tree: &'a Tree,
    pub(super) facts: &'a Facts<'a>,
    pub(super) read: Vec<(String, Option<Value>)>,
    /// Which fields stand in `read` already.
    pub(super) seen: Vec<bool>,
    /// Results of the calls made so far.
    pub(super) called: Vec<Option<Result<Got<'a>, Unknown>>>,
    findings: Vec<Finding<'a>>,
    /// The age of the last success counts from here at the earliest.
    pub(super) since: Option<Time>,
    /// For its regular expressions, together.
    work: Work,
}

/// What a test came to, before it is kept as a finding.
struct Outcome<'a> {
    truth: Result<bool, Vec<Unknown>>,
    left: Option<Got<'a>>,
    right: Option<Got<'a>>,
    at: Option<usize>,
}

impl Outcome<'_> {
    fn unknown(why: Unknown) -> Self {
        Self { truth: Err(vec![why]), left: None, right: None, at: None }
    }
}

pub(super) fn judge<'a>(tree: &'a Tree, facts: &'a Facts<'a>, since: Option<Time>) -> Verdict {
    let mut evaluation = Evaluation::new(tree, facts);
    evaluation.since = since;
    let truth = evaluation.test(&tree.root);
    let Evaluation { read, findings, .. } = evaluation;
    let mut missing: Vec<String> = Vec::new();
    if truth == Truth::Unknown {
        for finding in &findings {
            for unknown in &finding.unknown {
                let Unknown::Missing(field) = unknown else { continue };
                let field = &tree.fields[*field];
                if field.source == Source::Meta && !missing.contains(&field.key) {
                    missing.push(field.key.clone());
                }
            }
        }
    }
    let why = (truth != Truth::False).then(|| explain::sentence(tree, facts, &findings));
    Verdict { truth, read, why, missing }
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(tree: &'a Tree, facts: &'a Facts<'a>) -> Self {
        Self {
            tree,
            facts,
            read: Vec::with_capacity(tree.fields.len() + tree.calls.len()),
            seen: vec![false; tree.fields.len()],
            called: vec![None; tree.calls.len()],
            findings: Vec::new(),
            since: None,
            work: Work::default(),
        }
    }

    fn test(&mut self, test: &'a Test) -> Truth {
        let outcome = match test {
            Test::And(items) => return self.connective(items, Truth::False),
            Test::Or(items) => return self.connective(items, Truth::True),
            Test::Not(inner) => return !self.test(inner),
            Test::Compare { left, comparison, right } => self.compare(left, *comparison, right),
            Test::Search { left, search, right, negated } => self.search(left, right, |text, part| {
                let at = search.find(text, part);
                (at.is_some() != *negated, at)
            }),
            Test::Matches { left, pattern, negated } => match self.value(&left.expr) {
                Ok(left) => match self.work.find(pattern, &left.to_text()) {
                    Ok(at) => {
                        Outcome { truth: Ok(at.is_some() != *negated), left: Some(left), right: None, at }
                    }
                    Err(TooMuch) => Outcome::unknown(Unknown::Because(format!(
                        "/{}/ takes too many steps on this text: write it more plainly",
                        pattern.source
                    ))),
                },
                Err(unknown) => Outcome::unknown(unknown),
            },
            Test::In { left, items, negated } => self.list(left, items, *negated),
            Test::Missing { field, present } => {
                let is_present = self.is_present(*field);
                Outcome { truth: Ok(is_present == *present), left: None, right: None, at: None }
            }
            Test::Older { field, age, .. } => match self.moment(*field) {
                Ok(at) => {
                    let old = self.facts.now - at;
                    let counted = self.facts.now - self.counted_from(*field, at);
                    let shown = Got::Text(super::calls::in_words(old.max(chrono::Duration::zero())).into());
                    Outcome { truth: Ok(counted > *age), left: Some(shown), right: None, at: None }
                }
                Err(unknown) => Outcome::unknown(unknown),
            },
        };
        self.keep(test, outcome)
    }

    fn keep(&mut self, test: &'a Test, outcome: Outcome<'a>) -> Truth {
        let (truth, unknown) = match outcome.truth {
            Ok(truth) => (Truth::from(truth), Vec::new()),
            Err(unknown) => (Truth::Unknown, unknown),
        };
        let Outcome { left, right, at, .. } = outcome;
        self.findings.push(Finding { test, truth, left, right, at, unknown });
        truth
    }

    /// `and` is decided by the first false, `or` by the first true; what decided is what it rests on.
    fn connective(&mut self, items: &'a [Test], decisive: Truth) -> Truth {
        let start = self.findings.len();
        let mut unknown = false;
        for item in items {
            let before = self.findings.len();
            match self.test(item) {
                Truth::Unknown => unknown = true,
                truth if truth == decisive => {
                    self.findings.drain(start..before);
                    return decisive;
                }
                _ => {}
            }
        }
        if unknown {
            let mut index = 0;
            self.findings.retain(|finding| {
                index += 1;
                index <= start || finding.truth == Truth::Unknown
            });
            return Truth::Unknown;
        }
        !decisive
    }

    fn compare(&mut self, left: &'a Operand, comparison: Comparison, right: &'a Operand) -> Outcome<'a> {
        let (got_left, got_right) = match (self.value(&left.expr), self.value(&right.expr)) {
            (Ok(got_left), Ok(got_right)) => (got_left, got_right),
            (Err(left), Err(right)) => {
                return Outcome { truth: Err(vec![left, right]), left: None, right: None, at: None };
            }
            (Err(unknown), _) | (_, Err(unknown)) => return Outcome::unknown(unknown),
        };
        let fixed_text = matches!(left.expr, Expr::Text(_)) || matches!(right.expr, Expr::Text(_));
        let truth = match comparison {
            Comparison::Eq => equal(&got_left, &got_right, fixed_text),
            Comparison::Ne => equal(&got_left, &got_right, fixed_text).map(|equal| !equal),
            Comparison::Lt => order(&got_left, &got_right).map(std::cmp::Ordering::is_lt),
            Comparison::Le => order(&got_left, &got_right).map(std::cmp::Ordering::is_le),
            Comparison::Gt => order(&got_left, &got_right).map(std::cmp::Ordering::is_gt),
            Comparison::Ge => order(&got_left, &got_right).map(std::cmp::Ordering::is_ge),
        };
        let truth = truth.ok_or_else(|| {
            vec![Unknown::Because(explain::no_comparison((left, &got_left), (right, &got_right)))]
        });
        Outcome { truth, left: Some(got_left), right: Some(got_right), at: None }
    }

    fn search(
        &mut self,
        left: &'a Operand,
        right: &'a Operand,
        find: impl Fn(&str, &str) -> (bool, Option<usize>),
    ) -> Outcome<'a> {
        match (self.value(&left.expr), self.value(&right.expr)) {
            (Ok(left), Ok(right)) => {
                let (truth, at) = find(&left.to_text(), &right.to_text());
                Outcome { truth: Ok(truth), left: Some(left), right: Some(right), at }
            }
            (Err(unknown), _) | (_, Err(unknown)) => Outcome::unknown(unknown),
        }
    }

    fn list(&mut self, left: &'a Operand, items: &'a [Operand], negated: bool) -> Outcome<'a> {
        let got = match self.value(&left.expr) {
            Ok(got) => got,
            Err(unknown) => return Outcome::unknown(unknown),
        };
        let texts = items.iter().any(|item| matches!(item.expr, Expr::Text(_)));
        let mut unlike = None;
        for item in items {
            match self.value(&item.expr).map(|value| (equal(&got, &value, texts), value)) {
                Ok((Some(true), _)) => {
                    return Outcome { truth: Ok(!negated), left: Some(got), right: None, at: None };
                }
                Ok((Some(false), _)) => {}
                Ok((None, value)) => unlike = Some((item, value)),
                Err(unknown) => return Outcome::unknown(unknown),
            }
        }
        let truth = match unlike {
            Some((item, value)) => {
                Err(vec![Unknown::Because(explain::no_comparison((left, &got), (item, &value)))])
            }
            None => Ok(negated),
        };
        Outcome { truth, left: Some(got), right: None, at: None }
    }

    /// The moment from which the age of a field counts that says `at`.
    pub(super) fn counted_from(&self, field: usize, at: Time) -> Time {
        match self.since {
            Some(since) if self.tree.fields[field].source == Source::LastSuccess => at.max(since),
            _ => at,
        }
    }

    pub(super) fn call(&self, index: usize) -> &'a Call {
        &self.tree.calls[index]
    }
}
