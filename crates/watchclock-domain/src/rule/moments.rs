//! When a rule may change though no run ends. Neighbours: [`super::eval`] judges, the service wakes at this moment.

use chrono::Duration;

use super::{
    earlier::Earlier,
    eval::Evaluation,
    facts::Facts,
    history::counts,
    tree::{Function, Reach, Test, Tree},
};
use crate::Time;

/// The first such moment after `facts.now`.
pub(super) fn next_change<'a>(tree: &'a Tree, facts: &'a Facts<'a>, since: Option<Time>) -> Option<Time> {
    if !tree.time_driven {
        return None;
    }
    let mut moments = Vec::new();
    let mut evaluation = Evaluation::new(tree, facts);
    evaluation.since = since;
    grows_old(&tree.root, &mut evaluation, &mut moments);
    for call in &tree.calls {
        if let (Function::Count(status), Reach::Window(window)) = (call.function, call.reach) {
            let runs = facts.history.iter().chain(std::iter::once(Earlier::from(&facts.run)));
            let counted = runs.filter(|run| counts(status, run.status())).filter_map(Earlier::at);
            moments
                .extend(counted.filter(|at| *at <= facts.now).filter_map(|at| at.checked_add_signed(window)));
        }
    }
    moments.into_iter().filter(|moment| *moment > facts.now).min()
}

fn grows_old<'a>(test: &'a Test, evaluation: &mut Evaluation<'a>, moments: &mut Vec<Time>) {
    match test {
        Test::And(items) | Test::Or(items) => {
            for item in items {
                grows_old(item, evaluation, moments);
            }
        }
        Test::Not(inner) => grows_old(inner, evaluation, moments),
        Test::Older { field, age, .. } => {
            // At exactly this age it is not older yet.
            let older = *age + Duration::milliseconds(1);
            let from = evaluation.moment(*field).map(|at| evaluation.counted_from(*field, at));
            moments.extend(from.ok().and_then(|from| from.checked_add_signed(older)));
        }
        _ => {}
    }
}
