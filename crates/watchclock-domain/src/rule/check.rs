//! Gives a parsed rule its meaning and refuses what cannot be meant. Neighbours: [`super::typing`] knows values, [`super::status`] the two meanings of `status`, [`super::calls`] history, [`super::presence`] what is missing.

use super::{
    lexer::problem_at,
    pattern::MAX_SIZE,
    search::Work,
    syntax::{Kind, Node},
    token::Comparison,
    tree::{Call, Expr, Field, Operand, Source, Test, Tree},
    typing::{Type, compare_types},
    units::Dimension,
};
use crate::problem::Problem;

/// Most tests of the output in one rule; each may read all of it.
const MAX_OUTPUT_TESTS: usize = 12;

/// Type-checks a tree; all problems are told at once.
pub(super) fn check(text: &str, node: &Node) -> Result<Tree, Vec<Problem>> {
    let mut checker = Checker::new(text);
    match checker.condition(node) {
        Some(root) if checker.problems.is_empty() => {
            let Checker { fields, calls, time_driven, .. } = checker;
            Ok(Tree { root, fields, calls, time_driven })
        }
        _ => Err(checker.problems),
    }
}

/// What is collected on the way. Its functions return nothing where a problem was told.
pub(super) struct Checker<'t> {
    text: &'t str,
    pub(super) fields: Vec<Field>,
    pub(super) calls: Vec<Call>,
    pub(super) time_driven: bool,
    problems: Vec<Problem>,
    /// Of the regular expressions so far, in bytes.
    pattern_size: usize,
    /// How many tests read the output so far.
    output_tests: usize,
}

impl<'t> Checker<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            fields: Vec::new(),
            calls: Vec::new(),
            time_driven: false,
            problems: Vec::new(),
            pattern_size: 0,
            output_tests: 0,
        }
    }

    pub(super) fn words(&self, node: &Node) -> &'t str {
        &self.text[node.start..node.end]
    }

    pub(super) fn problem<T>(&mut self, node: &Node, message: impl Into<String>) -> Option<T> {
        self.problem_between(node.start, node.end, message)
    }

    pub(super) fn problem_between<T>(
        &mut self,
        start: usize,
        end: usize,
        message: impl Into<String>,
    ) -> Option<T> {
        self.problems.push(problem_at(self.text, start, end, message));
        None
    }

    fn condition(&mut self, node: &Node) -> Option<Test> {
        match &node.kind {
            Kind::And(items) => self.conditions(items).map(Test::And),
            Kind::Or(items) => self.conditions(items).map(Test::Or),
            Kind::Not(inner) => Some(Test::Not(Box::new(self.condition(inner)?))),
            Kind::Compare { left, comparison, right } => self.compare(left, *comparison, right),
            Kind::Search { left, search, right, negated } => {
                let as_job =
                    self.is_the_jobs_status(left, std::slice::from_ref(right.as_ref()), |word, text| {
                        search.find(word, text).is_some()
                    });
                let left = self.text_side(left, as_job?, search.word());
                let right = self.text_side(right, false, search.word());
                Some(Test::Search { left: left?, search: *search, right: right?, negated: *negated })
            }
            Kind::Matches { left, pattern, negated } => {
                let as_job = self
                    .status_never(left, |word| matches!(Work::default().find(pattern, word), Ok(Some(_))));
                self.pattern_size += pattern.size;
                if self.pattern_size > MAX_SIZE {
                    return self.problem(node, "the regular expressions of this rule are too big, together");
                }
                let left = self.text_side(left, as_job, "matches")?;
                Some(Test::Matches { left, pattern: pattern.clone(), negated: *negated })
            }
            Kind::In { left, items, negated } => self.list(left, items, *negated),
            Kind::Missing { left, present } => self.missing(left, *present),
            Kind::Older { left, right } => self.older(left, right),
            Kind::Bad => None,
            _ => self.no_condition(node),
        }
    }

    fn conditions(&mut self, items: &[Node]) -> Option<Vec<Test>> {
        let tests: Vec<_> = items.iter().map(|item| self.condition(item)).collect();
        tests.into_iter().collect()
    }

    fn no_condition(&mut self, node: &Node) -> Option<Test> {
        let words = self.words(node);
        let hint = match &node.kind {
            Kind::Word(_) | Kind::Key(_) => format!(": {words} eq true, {words} gt 0, {words} missing"),
            _ => String::new(),
        };
        self.problem(
            node,
            format!("`{words}` alone is neither true nor false: expected an operator after it{hint}"),
        )
    }

    fn compare(&mut self, left: &Node, comparison: Comparison, right: &Node) -> Option<Test> {
        for side in [left, right] {
            let nothing = ["null", "none", "nil", "undefined"];
            if let Kind::Word(word) = &side.kind
                && nothing.contains(&word.to_lowercase().as_str())
            {
                let other = self.words(if std::ptr::eq(side, left) { right } else { left });
                return self.problem(side, format!("there is no `{word}` here: write `{other} missing`"));
            }
        }
        let (left_text, right_text) = (bare_text(left, right), bare_text(right, left));
        let (left, right) = (left_text.as_ref().unwrap_or(left), right_text.as_ref().unwrap_or(right));
        let equality = matches!(comparison, Comparison::Eq | Comparison::Ne);
        let is_job = |checker: &mut Self, name: &Node, other: &Node| {
            let fixed = std::slice::from_ref(other);
            checker.is_the_jobs_status(name, fixed, |word, text| equality && word == text)
        };
        let (left_is_job, right_is_job) = (is_job(self, left, right)?, is_job(self, right, left)?);
        let left_value = self.value(left, left_is_job);
        let right_value = self.value(right, right_is_job);
        let ((left_expr, left_type), (right_expr, right_type)) = (left_value?, right_value?);
        if left_expr.is_fixed() && right_expr.is_fixed() {
            let message = "this compares two fixed values: one side must be a name";
            return self.problem_between(left.start, right.end, message);
        }
        let left_operand = Operand { expr: left_expr, words: self.words(left).to_owned() };
        let right_operand = Operand { expr: right_expr, words: self.words(right).to_owned() };
        if let Err(wrong) =
            compare_types((&left_operand, left_type), comparison, (&right_operand, right_type))
        {
            let at = if left_operand.expr.is_fixed() { left } else { right };
            return self.problem(at, wrong);
        }
        Some(Test::Compare { left: left_operand, comparison, right: right_operand })
    }

    fn operand(&mut self, node: &Node, as_job: bool) -> Option<(Operand, Type)> {
        let (expr, kind) = self.value(node, as_job)?;
        Some((Operand { expr, words: self.words(node).to_owned() }, kind))
    }

    /// One side of a text operator: anything but a number that is built in or calculated.
    fn text_side(&mut self, node: &Node, as_job: bool, operator: &str) -> Option<Operand> {
        let (operand, kind) = self.operand(node, as_job)?;
        if matches!(operand.expr, Expr::Field(field) if self.fields[field].source == Source::Output) {
            self.output_tests += 1;
            if self.output_tests > MAX_OUTPUT_TESTS {
                let message = format!(
                    "a rule tests the output at most {MAX_OUTPUT_TESTS} times: join them: matches /a|b/"
                );
                return self.problem(node, message);
            }
        }
        match kind {
            Type::Text | Type::Any | Type::Number(Dimension::Any) => Some(operand),
            Type::Number(_) | Type::Flag => {
                let words = &operand.words;
                self.problem(node, format!("`{words}` is no text: `{operator}` needs one"))
            }
            Type::Time => self.is_a_time(node),
        }
    }

    fn list(&mut self, left: &Node, items: &[Node], negated: bool) -> Option<Test> {
        let as_job = self.is_the_jobs_status(left, items, |word, text| word == text)?;
        let left = self.operand(left, as_job);
        let items: Vec<_> = items
            .iter()
            .map(|item| {
                let (operand, kind) = self.operand(item, false)?;
                if !operand.expr.is_fixed() {
                    return self.problem(item, "a list holds fixed values: numbers, words or \"text\"");
                }
                Some((operand, kind, item))
            })
            .collect();
        let (left, left_type) = left?;
        let mut operands = Vec::new();
        for item in items {
            let (operand, kind, node) = item?;
            if let Err(wrong) = compare_types((&left, left_type), Comparison::Eq, (&operand, kind)) {
                return self.problem(node, wrong);
            }
            operands.push(operand);
        }
        Some(Test::In { left, items: operands, negated })
    }
}

/// A word beside a built-in text needs no quotes: `env eq staging`.
fn bare_text(node: &Node, other: &Node) -> Option<Node> {
    let Kind::Word(word) = &node.kind else { return None };
    let text_beside =
        matches!(&other.kind, Kind::Word(name) if Source::built_in(name).is_some_and(Source::is_text));
    let is_text = text_beside && Source::built_in(word).is_none();
    is_text.then(|| Node { kind: Kind::Text(word.clone()), start: node.start, end: node.end })
}
