//! The watcher's own heart: it beats while somebody watches, and its silence is a gap, found and told once, whoever finds
//! it first. Neighbours: `evaluate` beats with each tick, `intake` before pings of a process that stood still.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicI64, Ordering},
};

use chrono::Duration;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    gap::{Gap, LONGEST_SILENCE, Unwatched},
    monitor::Monitor,
    schedule::Zone,
    span,
    timeline::{Timeline, set_back::LONGEST_WAIT},
};
use watchclock_notify::{Alert, AlertEvent, UnwatchedSpan};
pub use watchclock_store::gap::GapRow;
use watchclock_store::{AlertRow, Batch, StoreResult, Tx};

use crate::{ServiceResult, Watchclock, contained::contained, deliver::LEASE, evaluate::EVALUATOR};

/// The heartbeat that all servers of a database share.
pub const WATCHER: &str = "watcher";
/// What fell into a gap is settled soon after it; older ones matter to nothing.
const KEPT: Duration = Duration::days(8);
/// Most monitors that are looked at together.
const MONITORS: usize = 500;

/// What this process knows of the heart.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// When it last beat by this process, in microseconds.
    beat: AtomicI64,
    gaps: RwLock<Arc<[Gap]>>,
}

impl Watchclock {
    /// The last spans in which nobody watched, as of the last beat.
    pub(crate) fn gaps(&self) -> Arc<[Gap]> {
        Arc::clone(&self.inner.watch.gaps.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Beats, if this process has not for long: it starts, or it stood still. What it decides next must know of gaps.
    pub(crate) async fn watch_again(&self) -> StoreResult<()> {
        let since = self.now() - self.last_beat();
        if since > LONGEST_SILENCE || since < -LONGEST_SILENCE { self.watch().await } else { Ok(()) }
    }

    /// Lets the heart beat; finds the gap if it was silent for long.
    pub(crate) async fn watch(&self) -> StoreResult<()> {
        let now = self.now();
        let (since, until) = (now - LONGEST_SILENCE, now + LONGEST_SILENCE);
        let is_steady = self.last_beat() <= until;
        if !(is_steady && self.store().beat_on(WATCHER, since, until, now).await?) {
            match contained(Box::pin(self.beat_after_silence(now, true))).await {
                // A monitor that cannot be looked at must not stop the heart: then the gap is kept without a list.
                Err(error) if !error.is_transient() => {
                    tracing::error!(%error, "what could not be watched cannot be told");
                    self.beat_after_silence(now, false).await?;
                }
                done => done?,
            }
        }
        let gaps: Arc<[Gap]> = self.store().gaps_since(now - KEPT).await?.into();
        *self.inner.watch.gaps.write().unwrap_or_else(PoisonError::into_inner) = gaps;
        self.inner.watch.beat.store(now.timestamp_micros(), Ordering::SeqCst);
        Ok(())
    }

    /// The gaps into which something of a project fell, newest first; for pages.
    pub async fn watch_gaps(&self, project: Uuid, limit: i64) -> ServiceResult<Vec<GapRow>> {
        Ok(self.store().gaps(project, limit).await?)
    }

    fn last_beat(&self) -> Time {
        Time::from_timestamp_micros(self.inner.watch.beat.load(Ordering::SeqCst)).unwrap_or_default()
    }

    /// Gap and message are decided under the lock of the heartbeat, and in one transaction with it: of several servers,
    /// and after a crash, one finds the gap, and whoever looks later finds it kept.
    async fn beat_after_silence(&self, now: Time, with_monitors: bool) -> StoreResult<()> {
        let mut tx = self.store().begin().await?;
        let last = self.store().lock_beat(&mut tx, WATCHER, EVALUATOR).await?;
        let set_back = self.set_back_from(last, now);
        if let Some(before) = set_back {
            self.store().replan_deliveries(&mut tx, before, now, now + LEASE).await?;
            // What was due in them has been put off by them.
            let all = self.store().forget_gaps_ahead(&mut tx, now).await? || before - now > LONGEST_WAIT;
            if with_monitors {
                self.replan_set_back(&mut tx, (before, now), all).await?;
            }
        }
        // Where the clocks of two servers differ, what this one saw with its own counts.
        let own = Some(self.last_beat()).filter(|own| *own <= now);
        let gap =
            last.map(|last| own.map_or(last, |own| last.max(own))).and_then(|last| Gap::between(last, now));
        if let Some(gap) = gap {
            let found = if with_monitors { self.unwatched(&mut tx, &gap).await? } else { Vec::new() };
            self.keep_gap(&mut tx, &gap, &found).await?;
        }
        self.store().beat_locked(&mut tx, WATCHER, now).await?;
        self.store().commit(tx).await?;
        if let Some(gap) = gap {
            tracing::warn!(from = %gap.from, to = %gap.to, "nobody watched");
        }
        if let Some(before) = set_back {
            tracing::warn!(from = %before, to = %now, "the clock was set back");
        }
        if gap.is_some() || set_back.is_some() {
            self.inner.wakes.deliverer.notify_one();
        }
        Ok(())
    }

    /// What the clock showed before it was set back by more than servers may differ. This process knows its own clock;
    /// one that has just started has only the word of the others.
    fn set_back_from(&self, last: Option<Time>, now: Time) -> Option<Time> {
        let own = Some(self.last_beat()).filter(|own| own.timestamp_micros() != 0);
        own.or(last).filter(|before| *before > now + LONGEST_SILENCE)
    }

    /// Plans monitors anew after the clock was set back.
    async fn replan_set_back(&self, tx: &mut Tx, (before, now): (Time, Time), all: bool) -> StoreResult<()> {
        let ids = self.store().monitors_at_work(tx, all).await?;
        for ids in ids.chunks(MONITORS) {
            let monitors = self.inner.cache.reload_in(self.store(), tx, ids).await?;
            let facts = self.store().lock_facts(tx, ids, &[], false).await?;
            let mut lines = Vec::with_capacity(facts.len());
            for (id, facts) in facts {
                let Some(monitor) = monitors.get(&id) else { continue };
                let mut line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
                line.clock_set_back(before, now);
                lines.push(line);
            }
            let batch = Batch { timelines: lines.iter().collect(), alerts: Vec::new() };
            self.store().write(tx, &batch).await?;
        }
        Ok(())
    }

    /// What of which monitors fell into a gap, by slug.
    async fn unwatched(&self, tx: &mut Tx, gap: &Gap) -> StoreResult<Vec<(Arc<Monitor>, Unwatched)>> {
        let mut found: Vec<(Arc<Monitor>, Unwatched)> = Vec::new();
        for ids in self.store().maybe_unwatched(tx, gap.to).await?.chunks(MONITORS) {
            let monitors = self.inner.cache.reload_in(self.store(), tx, ids).await?;
            for (id, facts) in self.store().lock_facts(tx, ids, &[], false).await? {
                let Some(monitor) = monitors.get(&id) else { continue };
                let line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
                found.extend(line.unwatched(gap).map(|unwatched| (Arc::clone(monitor), unwatched)));
            }
        }
        found.sort_by(|(one, _), (other, _)| one.slug.cmp(&other.slug));
        Ok(found)
    }

    async fn keep_gap(&self, tx: &mut Tx, gap: &Gap, found: &[(Arc<Monitor>, Unwatched)]) -> StoreResult<()> {
        let id = self.new_id();
        let rows: Vec<(Uuid, Unwatched)> =
            found.iter().map(|(monitor, unwatched)| (monitor.id, *unwatched)).collect();
        self.store().add_gap(tx, id, gap, &rows).await?;
        let mut projects: Vec<Uuid> = found.iter().map(|(monitor, _)| monitor.project).collect();
        projects.sort_unstable();
        projects.dedup();
        let channels = self.store().enabled_channels(tx, &projects).await?;
        let mut alerts = Vec::new();
        for project in projects {
            let name = self.store().project_name(tx, project).await?;
            let monitors = found.iter().filter(|(monitor, _)| monitor.project == project);
            let words =
                monitors.map(|(monitor, unwatched)| (monitor.slug.clone(), words(monitor, unwatched)));
            let alert = Alert::unwatched(id, &name, &in_words(gap), words.collect());
            alerts.push(AlertRow {
                id: self.new_id(),
                project,
                incident: Uuid::nil(),
                event: AlertEvent::Unwatched.word().to_owned(),
                sequence: 1,
                at: gap.to,
                due_at: gap.to,
                content: serde_json::to_value(&alert).unwrap_or_default(),
                channels: channels
                    .iter()
                    .filter(|(of, _)| *of == project)
                    .map(|(_, channel)| (self.new_id(), *channel))
                    .collect(),
            });
        }
        self.store().queue_alerts(tx, &alerts).await
    }
}

fn in_words(gap: &Gap) -> UnwatchedSpan {
    let zone = Zone::utc();
    UnwatchedSpan {
        from: gap.from,
        to: gap.to,
        from_local: zone.show(gap.from),
        to_local: zone.show(gap.to),
        lasted: span::words(gap.duration()),
    }
}

/// `2 slots, the first 2027-01-04 01:00 +01:00; 1 run passed its limit`
fn words(monitor: &Monitor, unwatched: &Unwatched) -> String {
    let mut words = Vec::new();
    if let Some(first) = unwatched.first_slot {
        let first = monitor.schedule.zone().show(first);
        words.push(match unwatched.slots {
            1 => format!("1 slot, {first}"),
            slots => format!("{slots} slots, the first {first}"),
        });
    }
    match unwatched.runs {
        0 => {}
        1 => words.push("1 run passed its limit".to_owned()),
        runs => words.push(format!("{runs} runs passed their limits")),
    }
    words.join("; ")
}
