//! The two meanings of `status`: how the run ended, or a field of that name that the job reports. Neighbour: [`super::check`].
//!
//! `status eq "failed"` is about the run. `status eq "partial"` can never be true of a run, so it is about the
//! job's own field, as if written `meta.status`. What looks like a mistyped status of a run is refused.

use super::{
    check::Checker,
    syntax::{Kind, Node},
    tree::Source,
};
use crate::{problem::did_you_mean, run::RunStatus};

/// What people write for the words of a run's status.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("success", &["succeed", "succeeded", "successful", "successfully"]),
    ("failed", &["fail", "failure", "failing"]),
    ("hung", &["hang", "hanging", "stuck"]),
    ("missed", &["miss", "missing"]),
];

/// The status of a run that a word probably means.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let known = RunStatus::ALL.map(RunStatus::word);
    known
        .into_iter()
        .find(|known| *known == lower)
        .or_else(|| {
            SYNONYMS.iter().find(|(_, words)| words.contains(&lower.as_str())).map(|(known, _)| *known)
        })
        .or_else(|| did_you_mean(word, known))
}

impl Checker<'_> {
    /// Whether a name, compared with these fixed values, is the job's own `status`: when none of them fits a run.
    /// Nothing where it cannot be told.
    pub(super) fn is_the_jobs_status(
        &mut self,
        name: &Node,
        values: &[Node],
        fits: impl Fn(&str, &str) -> bool,
    ) -> Option<bool> {
        if !is_status(name) {
            return Some(false);
        }
        let (mut of_run, mut of_job) = (0, 0);
        for value in values {
            match &value.kind {
                Kind::Text(text) if RunStatus::ALL.iter().any(|status| fits(status.word(), text)) => {
                    of_run += 1;
                }
                Kind::Text(text) if !RunStatus::ALL.iter().any(|status| status.word() == text) => {
                    if let Some(meant) = meant(text) {
                        let message = format!(
                            "no run has the status \"{text}\"; did you mean \"{meant}\"? The job's own field is `meta.status`"
                        );
                        return self.problem(value, message);
                    }
                    of_job += 1;
                }
                Kind::Text(_) | Kind::Number(_) | Kind::Negative(_) | Kind::Flag(_) => of_job += 1,
                _ => {}
            }
        }
        if of_run > 0 && of_job > 0 {
            let message = "some of these are the status of a run, some are not: for the job's own field write `meta.status`";
            return self.problem(name, message);
        }
        Some(of_job > 0)
    }

    /// The same for a condition on the text.
    #[expect(clippy::unused_self, reason = "reads like its neighbour")]
    pub(super) fn status_never(&self, name: &Node, fits: impl Fn(&str) -> bool) -> bool {
        is_status(name) && !RunStatus::ALL.iter().any(|status| fits(status.word()))
    }
}

fn is_status(name: &Node) -> bool {
    matches!(&name.kind, Kind::Word(word) if Source::built_in(word) == Some(Source::Status))
}
