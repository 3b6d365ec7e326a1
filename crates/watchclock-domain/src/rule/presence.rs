//! Checks what asks about a name itself: `missing`, `present`, `older than`. Neighbour: [`super::check`], what asks about values.

use bigdecimal::{BigDecimal, ToPrimitive};
use chrono::Duration;

use super::{
    check::Checker,
    syntax::{Kind, Node},
    tree::{Source, Test},
    units::Dimension,
};

impl Checker<'_> {
    pub(super) fn missing(&mut self, node: &Node, present: bool) -> Option<Test> {
        let (Kind::Word(_) | Kind::Key(_)) = &node.kind else {
            if matches!(node.kind, Kind::Bad) {
                return None;
            }
            return self.problem(node, "only a name can be missing or present");
        };
        let field = self.field(node, true)?;
        let always = [Source::OutputSize, Source::Overlaps, Source::Attempts];
        if always.contains(&self.fields[field].source) {
            let key = self.fields[field].key.clone();
            return self.problem(
                node,
                format!("every run has `{key}`; the job's own field of that name is `meta.{key}`"),
            );
        }
        Some(Test::Missing { field, present })
    }

    pub(super) fn older(&mut self, left: &Node, right: &Node) -> Option<Test> {
        let field = match &left.kind {
            Kind::Word(_) | Kind::Key(_) => {
                let field = self.field(left, false)?;
                let source = self.fields[field].source;
                if matches!(source, Source::LastSuccess | Source::Meta) {
                    Some(field)
                } else {
                    let words = self.words(left);
                    self.problem(
                        left,
                        format!("`{words}` is not a point in time: `last_success older than 26h`"),
                    )
                }
            }
            Kind::Bad => None,
            _ => self.problem(left, "only a name can be older than something: `last_success older than 26h`"),
        };
        let age = match &right.kind {
            Kind::Number(literal) if literal.dimension == Dimension::Time => {
                let millis = (literal.value.decimal().into_owned() * BigDecimal::from(1_000)).to_i64();
                let age =
                    millis.and_then(Duration::try_milliseconds).filter(|age| *age <= Duration::days(36_600));
                match age {
                    Some(age) => Some(age),
                    None => self.problem(right, "this is longer than 100 years"),
                }
            }
            Kind::Number(_) => {
                let words = self.words(right);
                self.problem(right, format!("say how long, with a unit: `{words}h` or `{words}d`"))
            }
            Kind::Bad => None,
            _ => self.problem(right, "expected a length of time after `older than`: 26h, 2d, 90m"),
        };
        self.time_driven = true;
        Some(Test::Older { field: field?, age: age?, words: self.words(right).to_owned() })
    }

    pub(super) fn is_a_time<T>(&mut self, node: &Node) -> Option<T> {
        let words = self.words(node);
        self.problem(node, format!("`{words}` is a point in time: write `{words} older than 26h`"))
    }
}
