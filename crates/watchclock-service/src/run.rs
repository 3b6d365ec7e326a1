//! Runs as looked at.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{
    ping::Output,
    run::{Run, RunStatus},
};
use watchclock_store::Page;
pub use watchclock_store::run::RunFilter;

use crate::{ServiceError, ServiceResult, Watchclock};

/// A run with what belongs to it.
#[derive(Debug, Clone)]
pub struct RunView {
    pub run: Run,
    pub output: Option<Output>,
    /// The runs that it names as overlapping.
    pub overlapping: Vec<Run>,
    pub before: Option<Uuid>,
    pub after: Option<Uuid>,
}

impl Watchclock {
    /// Runs of a project, newest first.
    pub async fn runs(&self, project: Uuid, filter: &RunFilter) -> ServiceResult<Page<Run>> {
        Ok(self.store().runs(project, filter).await?)
    }

    /// Runs of one monitor by number, newest first; the caller has looked the monitor up in its project.
    pub async fn runs_of_monitor(
        &self,
        monitor: Uuid,
        status: Option<RunStatus>,
        before: Option<i64>,
        limit: i64,
    ) -> ServiceResult<Vec<Run>> {
        Ok(self.store().runs_of_monitor(monitor, status, before, limit).await?)
    }

    /// The last few runs of each of many monitors, newest first; the caller has looked the monitors up in their project.
    pub async fn recent_runs(&self, monitors: &[Uuid], each: i64) -> ServiceResult<BTreeMap<Uuid, Vec<Run>>> {
        let mut recent: BTreeMap<Uuid, Vec<Run>> = BTreeMap::new();
        for run in self.store().recent_runs(monitors, each).await? {
            recent.entry(run.monitor).or_default().push(run);
        }
        Ok(recent)
    }

    pub async fn run(&self, project: Uuid, id: Uuid) -> ServiceResult<Run> {
        self.store().runs_by_id(project, &[id]).await?.pop().ok_or(ServiceError::NotFound)
    }

    /// Runs of a project by id; unknown ones are left out.
    pub async fn runs_by_id(&self, project: Uuid, ids: &[Uuid]) -> ServiceResult<Vec<Run>> {
        Ok(self.store().runs_by_id(project, ids).await?)
    }

    /// The output of a run; none when it reported nothing.
    pub async fn output(&self, project: Uuid, id: Uuid) -> ServiceResult<Option<Output>> {
        let run = self.run(project, id).await?;
        Ok(self.store().output(run.id).await?)
    }

    pub async fn run_view(&self, project: Uuid, id: Uuid) -> ServiceResult<RunView> {
        let run = self.run(project, id).await?;
        let output = self.store().output(id).await?;
        let mut overlapping = self.store().runs_by_id(project, &run.overlaps).await?;
        overlapping.sort_by_key(|other| other.number);
        let (before, after) = self.store().neighbours(&run).await?;
        Ok(RunView { run, output, overlapping, before, after })
    }
}
