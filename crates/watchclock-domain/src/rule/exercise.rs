//! One call that leads any text through parser, evaluator, extractor and translator, for those who search for texts that break them.

use super::{Condition, Extractor, Facts, Judged, Truth, convert};
use crate::{
    Time,
    run::RunStatus,
    value::{Meta, Value},
};

/// Reads `rule`, and judges with it runs that printed `output` and reported `value` as `rows`; panics where something
/// is not as it always should be.
#[doc(hidden)]
pub fn exercise(rule: &str, output: &str, value: &str) -> Option<Truth> {
    let metas: Vec<Meta> = (0..4).map(|_| Meta::from([("rows".to_owned(), Value::of_word(value))])).collect();
    let runs: Vec<Judged<'_>> = metas.iter().zip(0..).map(|(meta, hour)| run(meta, output, hour)).collect();
    let _ = convert(rule, None);
    if let Ok(extractor) = Extractor::parse("rows", rule) {
        extractor.extract(output);
    }
    let condition = match Condition::parse(rule) {
        Ok(condition) => condition,
        Err(problems) => {
            let length = rule.chars().count();
            assert!(!problems.is_empty(), "a refusal without a reason");
            assert!(
                problems.iter().all(|problem| problem.at.is_some_and(|at| at <= length.max(1))),
                "{problems:?}"
            );
            return None;
        }
    };
    let (last, history) = runs.split_last()?;
    let facts = Facts { run: *last, history: history.into(), now: last.ended_at? };
    let verdict = condition.judge(&facts);
    assert_eq!(verdict, condition.judge(&facts), "the same facts, another verdict");
    assert_eq!(verdict.why.is_none(), verdict.truth == Truth::False, "{verdict:?}");
    assert!(condition.next_change(&facts, None).is_none_or(|next| next > facts.now), "a change in the past");
    Some(verdict.truth)
}

fn run<'r>(meta: &'r Meta, output: &'r str, hour: i64) -> Judged<'r> {
    let ended = Time::from_timestamp(1_800_000_000 + hour * 3_600, 0).unwrap_or_default();
    Judged {
        status: if hour == 1 { RunStatus::Failed } else { RunStatus::Success },
        duration: Some(chrono::Duration::seconds(90)),
        exit_code: Some(0),
        message: Some(output),
        output: Some(output),
        output_size: output.len() as u64,
        host: None,
        env: Some("prod"),
        meta: meta.into(),
        overlaps: 0,
        attempts: 1,
        started_at: Some(ended - chrono::Duration::seconds(90)),
        ended_at: Some(ended),
    }
}
