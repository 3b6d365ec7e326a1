//! Group commit: a task gathers the pings that are waiting, decides each monitor's changes in the domain, writes them in
//! one transaction, and answers after its commit. There are a few such lanes, so that one works while another waits for
//! the disk; a monitor's pings take one of them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor,
    timeline::{Answer, Timeline},
};
use watchclock_store::{Batch, StoreError, StoreResult, Tx, facts::Facts, idempotency};

use crate::{
    Inner, Watchclock,
    contained::contained,
    crowd,
    ping::{PingAnswer, PingError, PingRequest, PingTo},
};

/// Transactions in flight at once.
const LANES: usize = 3;
/// Most pings in one transaction.
const MAX_BATCH: usize = 512;
/// Most pings that wait in a lane; past it, new ones wait at the door.
const MAX_WAITING: usize = 4_096;
/// How long a batch is tried again while the database does not answer, before its pings get 503.
const PATIENCE: Duration = Duration::from_secs(8);

/// How the facts of monitors come to be at hand.
#[derive(Debug, Clone, Copy)]
enum Reading {
    /// As they were when this server wrote them last, where all are known; else as [`Self::Locked`].
    Known,
    /// Read under their locks.
    Locked,
}

type Reply = oneshot::Sender<Result<PingAnswer, PingError>>;

struct Waiting {
    request: Box<PingRequest>,
    reply: Reply,
}

/// Where pings go; one end for each lane.
#[derive(Debug)]
pub(crate) struct Intake(Vec<mpsc::Sender<Waiting>>);

pub(crate) struct Receivers(Vec<mpsc::Receiver<Waiting>>);

impl Intake {
    pub(crate) fn new() -> (Self, Receivers) {
        let (senders, receivers) = (0..LANES).map(|_| mpsc::channel(MAX_WAITING)).unzip();
        (Self(senders), Receivers(receivers))
    }

    pub(crate) async fn take(&self, request: Box<PingRequest>) -> Result<PingAnswer, PingError> {
        let (reply, answer) = oneshot::channel();
        let lane = &self.0[lane(&request.to)];
        lane.send(Waiting { request, reply }).await.map_err(|_| PingError::Unavailable)?;
        answer.await.map_err(|_| PingError::Unavailable)?
    }
}

/// A monitor that is pinged both by id and by slug may be in two lanes; there as between servers, its lock decides.
fn lane(to: &PingTo) -> usize {
    let mut hasher = DefaultHasher::new();
    to.hash(&mut hasher);
    usize::try_from(hasher.finish() % LANES as u64).unwrap_or(0)
}

/// Starts the lanes; they end when the last [`Watchclock`] is gone.
pub(crate) fn spawn(watchclock: &Watchclock, receivers: Receivers) {
    for mut receiver in receivers.0 {
        let inner: Weak<Inner> = Arc::downgrade(&watchclock.inner);
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            while receiver.recv_many(&mut batch, MAX_BATCH).await > 0 {
                let Some(inner) = inner.upgrade() else { return };
                let (requests, replies): (Vec<PingRequest>, Vec<Reply>) =
                    batch.drain(..).map(|waiting| (*waiting.request, waiting.reply)).unzip();
                let answers = Watchclock { inner }.take_batch(requests).await;
                for (reply, answer) in replies.into_iter().zip(answers) {
                    // The client may have gone; its ping is stored all the same.
                    let _ = reply.send(answer);
                }
            }
        });
    }
}

type Answers = Vec<Result<PingAnswer, PingError>>;

impl Watchclock {
    /// Stores a batch; if one of its pings cannot be stored, the others still are.
    async fn take_batch(&self, requests: Vec<PingRequest>) -> Answers {
        match contained(Box::pin(self.try_patiently(&requests))).await {
            Ok(answers) => answers,
            Err(error) if error.is_transient() => {
                tracing::error!(%error, pings = requests.len(), "pings could not be stored");
                requests.iter().map(|_| Err(PingError::Unavailable)).collect()
            }
            Err(error) if requests.len() == 1 => {
                tracing::error!(%error, to = ?requests[0].to, "a ping could not be stored");
                vec![Err(PingError::Unavailable)]
            }
            Err(error) => {
                tracing::warn!(%error, pings = requests.len(), "a batch could not be stored; storing each ping alone");
                let mut answers = Vec::with_capacity(requests.len());
                for request in requests {
                    answers.extend(Box::pin(self.take_batch(vec![request])).await);
                }
                answers
            }
        }
    }

    async fn try_patiently(&self, requests: &[PingRequest]) -> StoreResult<Answers> {
        let until = tokio::time::Instant::now() + PATIENCE;
        match self.store_batch(requests, Reading::Known).await {
            // Another server was faster, or a start was no new run, or the database does not answer; under the locks we
            // will see it.
            Err(error) if error.is_transient() || matches!(error, StoreError::Exists(_)) => {}
            done => return done,
        }
        loop {
            match self.store_batch(requests, Reading::Locked).await {
                Err(error) if error.is_transient() && tokio::time::Instant::now() < until => {
                    tracing::debug!(%error, "trying a batch of pings again");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                // Another server made the same run first; under the lock we will see it now.
                Err(StoreError::Exists(_)) if tokio::time::Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    return self.store_batch(requests, Reading::Locked).await;
                }
                done => return done,
            }
        }
    }

    async fn store_batch(&self, requests: &[PingRequest], reading: Reading) -> StoreResult<Answers> {
        self.watch_again().await?;
        let to = self.resolve(requests).await?;
        let mut ids: Vec<Uuid> = to.iter().copied().flatten().collect();
        ids.sort_unstable();
        ids.dedup();
        let mut monitors = self.inner.cache.get(self.store(), &ids).await?;
        ids.retain(|id| monitors.contains_key(id));
        if ids.is_empty() {
            return Ok(requests.iter().map(|_| Err(PingError::NotFound)).collect());
        }
        let mut tx = self.store().begin_pings().await?;
        let known = match reading {
            Reading::Known => {
                let pings = to.iter().zip(requests).filter_map(|(to, request)| Some(((*to)?, request)));
                self.known_facts(&mut tx, &ids, &monitors, pings).await?
            }
            Reading::Locked => None,
        };
        let unlocked = known.is_some();
        let mut facts = match known {
            Some(facts) => facts,
            None => self.locked_facts(&mut tx, &ids, &mut monitors, requests, &to).await?,
        };
        let repeated = self.repeated(&mut tx, requests, &to).await?;
        let mut timelines = self.timelines(&mut tx, &monitors, &mut facts).await?;

        let mut new_id = || self.new_id();
        let mut first_under: HashMap<(Uuid, &str), usize> = HashMap::new();
        let mut decided: Vec<Decided> = Vec::with_capacity(requests.len());
        for (at, (request, to)) in requests.iter().zip(&to).enumerate() {
            let Some((id, line)) = to.and_then(|id| Some((id, timelines.get_mut(&id)?))) else {
                decided.push(Decided::Not(PingError::NotFound));
                continue;
            };
            if request.is_get && line.monitor.post_only {
                decided.push(Decided::Not(PingError::PostOnly));
                continue;
            }
            if let Some(key) = &request.ping.idempotency_key {
                if let Some(answer) = repeated.get(&(id, key.clone())) {
                    decided.push(Decided::Answer(id, *answer));
                    continue;
                }
                if let Some(first) = first_under.get(&(id, key.as_str())) {
                    decided.push(decided[*first]);
                    continue;
                }
            }
            if let Err(too_soon) = line.admit(request.ping.received_at) {
                decided.push(Decided::Not(PingError::TooSoon(too_soon)));
                continue;
            }
            if let Some(key) = &request.ping.idempotency_key {
                first_under.insert((id, key), at);
            }
            decided.push(Decided::Answer(id, line.ping(&request.ping, &mut new_id)));
        }

        // Versions are compared by writing. What writes nothing (a repeat, a refused GET) may come of what is no longer so.
        if unlocked && timelines.values().any(|line| !line.changed()) {
            return Err(StoreError::Outrun);
        }
        self.tell_usual(&mut tx, &mut timelines).await?;
        let changed: Vec<&Timeline<'_>> = timelines.values().filter(|line| line.changed()).collect();
        let alerts = self.compose_alerts(&mut tx, &changed).await?;
        let alerting = !alerts.is_empty();
        let written = self.store().write(&mut tx, &Batch { timelines: changed, alerts }).await?;
        self.remember(&mut tx, requests, &first_under, &decided).await?;
        self.store().commit_surely(tx, written).await?;

        self.keep_pasts(&mut timelines);
        self.wake(timelines.values(), alerting);
        let answers = self.answers(decided, &monitors, &timelines).await;
        self.keep_known(timelines.into_values());
        answers
    }

    /// The facts that pings need, under their locks, and the configurations that are current there.
    async fn locked_facts(
        &self,
        tx: &mut Tx,
        ids: &[Uuid],
        monitors: &mut HashMap<Uuid, Arc<Monitor>>,
        requests: &[PingRequest],
        to: &[Option<Uuid>],
    ) -> StoreResult<BTreeMap<Uuid, Facts>> {
        let rids: HashSet<(Uuid, String)> = requests
            .iter()
            .zip(to)
            .filter_map(|(request, to)| Some(((*to)?, request.ping.run_id.as_ref()?.key.clone())))
            .collect();
        let rids: Vec<(Uuid, String)> = rids.into_iter().collect();
        let mut facts = self.store().lock_facts(tx, ids, &rids, false).await?;
        self.refresh(tx, monitors, &facts).await?;
        let senders = crowd::senders(&facts, requests, to);
        if !senders.is_empty() {
            for run in self.store().runs_of_senders(tx, &senders).await? {
                if let Some(facts) = facts.get_mut(&run.monitor)
                    && facts.runs.iter().all(|known| known.id != run.id)
                {
                    facts.runs.push(run);
                }
            }
        }
        Ok(facts)
    }

    /// Which monitor each ping means.
    async fn resolve(&self, requests: &[PingRequest]) -> StoreResult<Vec<Option<Uuid>>> {
        let slugs: HashSet<(String, String)> = requests
            .iter()
            .filter_map(|request| match &request.to {
                PingTo::Slug { ping_key, slug } => Some((ping_key.clone(), slug.clone())),
                PingTo::Id(_) => None,
            })
            .collect();
        let mut by_slug = HashMap::new();
        if !slugs.is_empty() {
            let slugs: Vec<(String, String)> = slugs.into_iter().collect();
            for (key, slug, id) in self.store().monitors_by_slug(&slugs).await? {
                by_slug.insert((key, slug), id);
            }
        }
        Ok(requests
            .iter()
            .map(|request| match &request.to {
                PingTo::Id(id) => Some(*id),
                PingTo::Slug { ping_key, slug } => by_slug.get(&(ping_key.clone(), slug.clone())).copied(),
            })
            .collect())
    }

    /// Reads again those configurations that changed before their lock was ours.
    pub(crate) async fn refresh(
        &self,
        tx: &mut Tx,
        monitors: &mut HashMap<Uuid, Arc<Monitor>>,
        facts: &BTreeMap<Uuid, Facts>,
    ) -> StoreResult<()> {
        let stale: Vec<Uuid> = facts
            .iter()
            .filter(|(id, facts)| {
                monitors.get(id).is_none_or(|monitor| {
                    (monitor.version, monitor.maintenance.version) != (facts.version, facts.windows_version)
                })
            })
            .map(|(id, _)| *id)
            .collect();
        if !stale.is_empty() {
            monitors.extend(self.inner.cache.reload_in(self.store(), tx, &stale).await?);
        }
        Ok(())
    }

    /// Answers already given under the idempotency keys of these pings.
    async fn repeated(
        &self,
        tx: &mut Tx,
        requests: &[PingRequest],
        to: &[Option<Uuid>],
    ) -> StoreResult<HashMap<(Uuid, String), Answer>> {
        let keys: Vec<(Uuid, String)> = requests
            .iter()
            .zip(to)
            .filter_map(|(request, to)| Some(((*to)?, request.ping.idempotency_key.clone()?)))
            .collect();
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let since = self.now() - chrono::Duration::hours(idempotency::KEPT_HOURS);
        let answered = self.store().answered(tx, &keys, since).await?;
        Ok(answered
            .into_iter()
            .map(|(scope, key, answer)| {
                let id = |name: &str| answer.get(name).and_then(|id| id.as_str()?.parse().ok());
                ((scope, key), Answer { run: id("run"), refused_by: id("refused_by") })
            })
            .collect())
    }

    async fn remember(
        &self,
        tx: &mut Tx,
        requests: &[PingRequest],
        first_under: &HashMap<(Uuid, &str), usize>,
        decided: &[Decided],
    ) -> StoreResult<()> {
        for ((monitor, key), at) in first_under {
            let Decided::Answer(_, answer) = &decided[*at] else { continue };
            let json = serde_json::json!({ "run": answer.run, "refused_by": answer.refused_by });
            let received = requests[*at].ping.received_at;
            self.store().remember_answer(tx, *monitor, key, received, &json).await?;
        }
        Ok(())
    }

    async fn answers(
        &self,
        decided: Vec<Decided>,
        monitors: &HashMap<Uuid, Arc<Monitor>>,
        timelines: &HashMap<Uuid, Timeline<'_>>,
    ) -> StoreResult<Answers> {
        let mut answers = Vec::with_capacity(decided.len());
        for decided in decided {
            let (id, answer) = match decided {
                Decided::Answer(id, answer) => (id, answer),
                Decided::Not(error) => {
                    answers.push(Err(error));
                    continue;
                }
            };
            let monitor = Arc::clone(&monitors[&id]);
            let known = |run: Option<Uuid>| run.and_then(|run| timelines.get(&id)?.run(run)).cloned();
            let mut run = known(answer.run);
            if run.is_none()
                && let Some(wanted) = answer.run
            {
                // A repeated ping may name a run that is not among those at hand.
                run = self.store().runs_by_id(monitor.project, &[wanted]).await?.pop();
            }
            let mut refused_by = known(answer.refused_by);
            if refused_by.is_none()
                && let Some(wanted) = answer.refused_by
            {
                refused_by = self.store().runs_by_id(monitor.project, &[wanted]).await?.pop();
            }
            answers.push(Ok(PingAnswer { monitor, run, refused_by, created: false }));
        }
        Ok(answers)
    }

    /// Wakes the loops where there is something for them to do earlier than they know.
    pub(crate) fn wake<'t, 'm: 't>(&self, lines: impl Iterator<Item = &'t Timeline<'m>>, alerting: bool) {
        if alerting {
            self.inner.wakes.deliverer.notify_one();
        }
        let planned = self.inner.wakes.planned();
        if lines.filter_map(|line| line.memory.deadline).any(|deadline| deadline < planned) {
            self.inner.wakes.evaluator.notify_one();
        }
    }
}

/// What one ping of a batch came to.
#[derive(Clone, Copy)]
enum Decided {
    Answer(Uuid, Answer),
    Not(PingError),
}
