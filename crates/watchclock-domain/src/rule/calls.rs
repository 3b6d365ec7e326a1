//! Calls of history functions, checked: `median(rows, 14)`, `prev(rows)`, `count(failed, 24h)`. Neighbours: [`super::check`] asks, [`super::history`] computes.

use bigdecimal::ToPrimitive;
use chrono::Duration;

use super::{
    check::Checker,
    status,
    syntax::{Kind, Node},
    tree::{Call, Expr, Function, Reach, Source},
    typing::Type,
    units::Dimension,
};
use crate::{problem::did_you_mean, run::RunStatus};

/// Most runs that a history function may look back.
pub const MAX_RUNS: usize = 500;
/// Longest time that a history function may look back.
pub const MAX_WINDOW: Duration = Duration::days(366);
/// Most different calls in one rule.
pub(super) const MAX_CALLS: usize = 8;

const FUNCTIONS: [(&str, Function); 10] = [
    ("avg", Function::Avg),
    ("median", Function::Median),
    ("min", Function::Min),
    ("max", Function::Max),
    ("stddev", Function::Stddev),
    ("last", Function::Last),
    ("sum", Function::Sum),
    ("prev", Function::Prev),
    ("change", Function::Change),
    ("count", Function::Count(None)),
];

/// What people write for our functions.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("avg", &["mean", "average"]),
    ("median", &["med"]),
    ("min", &["minimum", "least"]),
    ("max", &["maximum"]),
    ("stddev", &["std", "stdev", "sd"]),
    ("prev", &["previous", "before"]),
    ("change", &["delta", "diff"]),
    ("sum", &["total"]),
    ("p95", &["percentile", "quantile"]),
];

impl Function {
    fn from_name(name: &str) -> Option<Self> {
        let percent = name.strip_prefix('p').and_then(|percent| percent.parse().ok());
        match percent {
            Some(percent @ 1..=99) => Some(Self::Percentile(percent)),
            _ => FUNCTIONS.into_iter().find(|(known, _)| *known == name).map(|(_, function)| function),
        }
    }
}

impl Checker<'_> {
    pub(super) fn call(&mut self, node: &Node, name: &str, args: &[Node]) -> Option<(Expr, Type)> {
        let Some(function) = Function::from_name(name) else {
            let known = FUNCTIONS.iter().map(|(known, _)| *known);
            let meant = SYNONYMS
                .iter()
                .find(|(_, words)| words.contains(&name.to_lowercase().as_str()))
                .map(|(known, _)| *known)
                .or_else(|| did_you_mean(name, known));
            let hint = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            let message = format!(
                "unknown function `{name}`: expected avg, median, min, max, p90, p95, stddev, sum, last, prev, change or count{hint}"
            );
            return self.problem_between(node.start, node.start + name.len(), message);
        };
        if args.iter().any(|arg| matches!(arg.kind, Kind::Bad)) {
            return None;
        }
        match (function, args) {
            (Function::Count(_), [what, reach]) => self.count(node, what, reach),
            (Function::Prev | Function::Change, [field]) => {
                self.over_field(node, name, function, field, None)
            }
            (Function::Count(_) | Function::Prev | Function::Change, _) => self.usage(node, name, function),
            (_, [field, reach]) => self.over_field(node, name, function, field, Some(reach)),
            _ => self.usage(node, name, function),
        }
    }

    fn usage(&mut self, node: &Node, name: &str, function: Function) -> Option<(Expr, Type)> {
        let example = match function {
            Function::Count(_) => {
                "say what and over how many runs or how long: count(failed, 24h)".to_owned()
            }
            Function::Prev | Function::Change => format!("takes one name: {name}(rows)"),
            _ => format!("say of what, over how many runs or how long: {name}(rows, 14) or {name}(rows, 7d)"),
        };
        self.problem(node, format!("`{name}`: {example}"))
    }

    fn over_field(
        &mut self,
        node: &Node,
        name: &str,
        function: Function,
        field: &Node,
        reach: Option<&Node>,
    ) -> Option<(Expr, Type)> {
        let reach = match reach {
            Some(reach) => self.reach(reach),
            None => Some(Reach::Runs(1)),
        };
        if !matches!(field.kind, Kind::Word(_) | Kind::Key(_)) {
            return self.problem(field, format!("`{name}` takes one name: {name}(rows{})", rest(function)));
        }
        let index = self.field(field, false)?;
        let (source, shown) = (self.fields[index].source, self.fields[index].shown.clone());
        let kind = source.kind();
        let any_kind = matches!(function, Function::Prev | Function::Last);
        match source {
            Source::Status => {
                let message = "history reads good runs only, whose status is always success: count(failed, 24h) counts others; \
                     the job's own field is `meta.status`";
                return self.problem(field, message);
            }
            Source::Output => return self.problem(field, "the output of earlier runs cannot be read"),
            Source::LastSuccess => return self.is_a_time(field),
            _ if kind == Type::Text && !any_kind => {
                return self
                    .problem(field, format!("`{shown}` is no number: only prev and last take a text"));
            }
            _ => {}
        }
        let shown = match reach? {
            _ if matches!(function, Function::Prev | Function::Change) => format!("{name}({shown})"),
            Reach::Runs(runs) => format!("{name}({shown}, {runs})"),
            Reach::Window(window) => format!("{name}({shown}, {})", in_words(window)),
        };
        let kind = match (function, kind) {
            (Function::Change, _) => Type::Number(Dimension::Count),
            (Function::Prev | Function::Last, kind) => kind,
            (_, Type::Number(dimension)) => Type::Number(dimension),
            _ => Type::Number(Dimension::Any),
        };
        self.known_call(node, Call { function, field: Some(index), reach: reach?, shown }, kind)
    }

    fn count(&mut self, node: &Node, what: &Node, reach: &Node) -> Option<(Expr, Type)> {
        let (Kind::Word(word) | Kind::Text(word)) = &what.kind else {
            return self.problem(what, "count takes the status of runs: count(failed, 24h)");
        };
        let status = RunStatus::from_word(word);
        if status.is_none() && word != "any" {
            let hint =
                status::meant(word).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            let known = RunStatus::ALL.map(RunStatus::word).join(", ");
            return self
                .problem(what, format!("`{word}` is no status of a run: expected {known} or any{hint}"));
        }
        let reach = self.reach(reach)?;
        let shown = match reach {
            Reach::Runs(runs) => format!("count({word}, {runs})"),
            Reach::Window(window) => {
                self.time_driven = true;
                format!("count({word}, {})", in_words(window))
            }
        };
        let call = Call { function: Function::Count(status), field: None, reach, shown };
        self.known_call(node, call, Type::Number(Dimension::Count))
    }

    fn known_call(&mut self, node: &Node, call: Call, kind: Type) -> Option<(Expr, Type)> {
        let known = self.calls.iter().position(|known| known.shown == call.shown);
        if known.is_none() && self.calls.len() == MAX_CALLS {
            return self.problem(node, format!("a rule has at most {MAX_CALLS} different calls"));
        }
        let index = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(call);
        }
        Some((Expr::History(index), kind))
    }

    fn reach(&mut self, node: &Node) -> Option<Reach> {
        let Kind::Number(literal) = &node.kind else {
            return self.problem(node, "expected a number of runs or a length of time: 14 or 7d");
        };
        match literal.dimension {
            Dimension::Plain => {
                let runs = literal.value.decimal();
                match runs.to_usize() {
                    Some(count @ 1..=MAX_RUNS) if runs.is_integer() => Some(Reach::Runs(count)),
                    _ => self.problem(node, format!("the number of runs goes from 1 to {MAX_RUNS}")),
                }
            }
            Dimension::Time => {
                let window = literal.value.decimal().to_i64().and_then(Duration::try_seconds);
                match window {
                    Some(window) if window >= Duration::seconds(1) && window <= MAX_WINDOW => {
                        Some(Reach::Window(window))
                    }
                    _ => self.problem(node, "the length of time goes from 1s to 366d"),
                }
            }
            _ => self.problem(node, "expected a number of runs or a length of time: 14 or 7d"),
        }
    }
}

fn rest(function: Function) -> &'static str {
    if matches!(function, Function::Prev | Function::Change) { "" } else { ", 14" }
}

/// A length of time as a rule writes it: `36h`, `1h30m`, `7d`.
pub(super) fn in_words(window: Duration) -> String {
    let mut seconds = window.num_seconds();
    let mut words = Vec::new();
    for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        let count = seconds / length;
        // Hours stay hours up to two days: 36h.
        if count == 0 || unit == "d" && (seconds % length != 0 || count < 2) {
            continue;
        }
        seconds -= count * length;
        words.push(format!("{count}{unit}"));
    }
    if words.is_empty() { "0s".to_owned() } else { words.concat() }
}
