//! The numbers that a rule compares reported ones with, as a chart draws them. Neighbour: [`super::eval`] judges.

use super::{
    eval::Evaluation,
    facts::Facts,
    token::Comparison,
    tree::{Expr, Operand, Source, Test, Tree},
};

/// A line for a chart: where a reported number meets it, a comparison of the rule turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The metadata key that is compared.
    pub key: String,
    /// What it is compared with, for the run of the facts.
    pub value: f64,
}

/// The bounds of every comparison of a metadata key alone on one side with something that does not read it from
/// the same run. Those that are not known for this run are left out.
pub(super) fn bounds(tree: &Tree, facts: &Facts<'_>) -> Vec<Bound> {
    let mut found = Vec::new();
    let mut evaluation = Evaluation::new(tree, facts);
    walk(&tree.root, &mut |left, right| {
        for (field, other) in [(left, right), (right, left)] {
            let Expr::Field(field) = field.expr else { continue };
            let field = &tree.fields[field];
            if field.source != Source::Meta {
                continue;
            }
            let Ok(got) = evaluation.value(&other.expr) else { continue };
            if let Some(number) = got.to_number() {
                let bound = Bound { key: field.key.clone(), value: number.to_f64() };
                if !found.contains(&bound) {
                    found.push(bound);
                }
            }
        }
    });
    found
}

fn walk<'t>(test: &'t Test, take: &mut impl FnMut(&'t Operand, &'t Operand)) {
    match test {
        Test::And(items) | Test::Or(items) => items.iter().for_each(|item| walk(item, take)),
        Test::Not(inner) => walk(inner, take),
        // Between two fields of one run there is no line: both move.
        Test::Compare { left, comparison, right }
            if *comparison != Comparison::Ne && !(reads_field(&left.expr) && reads_field(&right.expr)) =>
        {
            take(left, right);
        }
        _ => {}
    }
}

fn reads_field(expr: &Expr) -> bool {
    match expr {
        Expr::Field(_) => true,
        Expr::Number(_) | Expr::Text(_) | Expr::Flag(_) | Expr::History(_) => false,
        Expr::Negative(inner) => reads_field(inner),
        Expr::Sum(first, rest) | Expr::Product(first, rest) => {
            reads_field(first) || rest.iter().any(|(_, expr)| reads_field(expr))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Condition, Facts, Judged};
    use crate::{
        run::RunStatus,
        value::{Meta, Value},
    };

    #[test]
    fn a_bound_is_what_a_reported_number_is_compared_with() {
        let metas: Vec<Meta> = [10, 20, 30, 40]
            .map(|rows: i64| [("rows".to_owned(), Value::Number(rows.into()))].into_iter().collect())
            .into();
        let runs: Vec<Judged<'_>> = metas.iter().map(judged).collect();
        let bounds = |when: &str| -> Vec<(String, f64)> {
            let facts = Facts { run: runs[3], history: runs[..3].into(), now: crate::Time::default() };
            let bounds = Condition::parse(when).unwrap().bounds(&facts);
            bounds.into_iter().map(|bound| (bound.key, bound.value)).collect()
        };
        let rows = |value: f64| vec![("rows".to_owned(), value)];
        assert_eq!(bounds("rows eq 0"), rows(0.0));
        assert_eq!(bounds("1k le rows"), rows(1_000.0));
        assert_eq!(bounds("not (rows lt 0.5 * median(rows, 3))"), rows(10.0));
        assert_eq!(bounds("rows lt 5 or rows gt 50 and host eq db"), [rows(5.0), rows(50.0)].concat());
        for none in ["rows ne 0", "rows lt total", "duration gt 2h", "rows lt avg(rows, 100)", "rows missing"]
        {
            assert_eq!(bounds(none), [], "{none}");
        }
    }

    fn judged(meta: &Meta) -> Judged<'_> {
        Judged {
            status: RunStatus::Success,
            duration: None,
            exit_code: None,
            message: None,
            output: None,
            output_size: 0,
            host: None,
            env: None,
            meta: meta.into(),
            overlaps: 0,
            attempts: 1,
            started_at: None,
            ended_at: Some(crate::Time::default()),
        }
    }
}
