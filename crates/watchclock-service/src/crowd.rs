//! Monitors with very many open runs: which of them pings without a run id may mean. Neighbour: `intake` reads facts.

use std::collections::{BTreeMap, HashMap, HashSet};

use uuid::Uuid;
use watchclock_domain::{ping::Signal, run::RunStatus};
use watchclock_store::{facts::Facts, run::Sender};

use crate::ping::PingRequest;

/// Who of these sent ends or logs without a run id to a monitor of whose open runs not all are at hand.
pub(crate) fn senders(
    facts: &BTreeMap<Uuid, Facts>,
    requests: &[PingRequest],
    to: &[Option<Uuid>],
) -> Vec<Sender> {
    let crowds: HashSet<Uuid> = facts
        .iter()
        .filter(|(_, facts)| {
            let count = |status| facts.runs.iter().filter(|run| run.status == status).count();
            let is_short = |count: usize, all: i64| i64::try_from(count).is_ok_and(|count| count < all);
            is_short(count(RunStatus::Running), facts.memory.active)
                || is_short(count(RunStatus::Hung), facts.memory.hung)
        })
        .map(|(id, _)| *id)
        .collect();
    let mut pings: HashMap<Uuid, i64> = HashMap::new();
    let mut senders: Vec<Sender> = Vec::new();
    for (request, to) in requests.iter().zip(to) {
        let Some(monitor) = to.filter(|to| crowds.contains(to)) else { continue };
        let ping = &request.ping;
        if ping.run_id.is_some() || ping.signal == Signal::Start {
            continue;
        }
        *pings.entry(monitor).or_default() += 1;
        let known = |sender: &Sender| {
            let (one, other) = (&sender.source, &ping.source);
            sender.monitor == monitor && (&one.host, &one.addr) == (&other.host, &other.addr)
        };
        if !senders.iter().any(known) {
            senders.push(Sender { monitor, source: ping.source.clone(), most: 0 });
        }
    }
    for sender in &mut senders {
        sender.most = pings.get(&sender.monitor).copied().unwrap_or(0);
    }
    senders
}
