//! What may happen to a monitor, at random: the sequences that the timeline, the service and the naive model all live through.

use proptest::prelude::*;
use watchclock_domain::schedule::ScheduleText;

/// How the monitor is set up. Times are in seconds.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) policy: Policy,
    pub(crate) allowed: u32,
    pub(crate) plan: Plan,
    pub(crate) grace: u32,
    /// How early a run may start; as it is by itself where unset.
    pub(crate) early: Option<u32>,
    pub(crate) limit: u32,
    /// Runs that end sooner are too fast.
    pub(crate) min: Option<u32>,
    /// When there is maintenance, from and to.
    pub(crate) window: Option<(u32, u32)>,
    pub(crate) manual_resume: bool,
    /// Failed runs in a row that open an incident.
    pub(crate) failed: u16,
    /// Missed slots in a row that open one.
    pub(crate) missed: u16,
    /// Good runs in a row that resolve.
    pub(crate) recover: u16,
}

/// When runs are expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    Never,
    /// At every multiple of so many seconds.
    Cron(u32),
    /// So many seconds after the last one started.
    Every(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    Alert,
    Allow,
    Refuse,
}

/// Something that happens, some seconds after what happened before.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Seconds since the step before; zero for things that arrive together.
    pub(crate) after: u32,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Nothing but time; the evaluator looks.
    Look,
    Ping {
        sign: Sign,
        /// The job's name for the run.
        rid: Option<u8>,
        /// Which machine.
        host: Option<u8>,
        /// How many seconds ago it says that it happened; negative where its clock is ahead.
        ago: Option<i32>,
    },
    Pause,
    Resume,
    /// Nobody watches for so many seconds, and then the evaluator looks.
    Down(u32),
    /// The clock is set back by so many seconds, and the evaluator looks.
    Back(u32),
    /// Somebody resolves whatever is open.
    Resolve,
    Edit(Edit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    Plan(Plan),
    Limit(u32),
    Grace(u32),
    Early(Option<u32>),
    Min(Option<u32>),
    /// Of failed runs, of missed slots, and of good runs that resolve.
    Counts(u16, u16, u16),
    Overlap(Policy, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Start,
    Good,
    Bad,
    Log,
}

impl Plan {
    pub(crate) fn text(self) -> ScheduleText {
        match self {
            Self::Never => ScheduleText::none(),
            Self::Cron(step) => ScheduleText::cron(format!("*/{} * * * *", step / 60), "UTC"),
            Self::Every(step) => ScheduleText::every(step),
        }
    }
}

/// How a tape tells of an open incident; where failures only count, they are counted.
pub(crate) fn open_line(kind: &str, runs: i64) -> String {
    if matches!(kind, "failed" | "fast") {
        format!("{kind} is open with {runs}")
    } else {
        format!("{kind} is open")
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    prop_oneof![
        2 => Just(Plan::Never),
        4 => Just(Plan::Cron(600)),
        1 => Just(Plan::Cron(900)),
        2 => Just(Plan::Every(600)),
        1 => Just(Plan::Every(900)),
    ]
}

fn min() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![2 => Just(None), 1 => Just(Some(60u32)), 1 => Just(Some(200))]
}

/// How long nobody watches; more than a minute, or it would be nothing.
pub(crate) fn down() -> impl Strategy<Value = u32> {
    prop_oneof![1 => 61u32..300, 1 => 300u32..4_000]
}

/// By how much a clock is set back; more than a minute, or nobody takes it for that.
pub(crate) fn back() -> impl Strategy<Value = u32> {
    prop_oneof![1 => 61u32..300, 1 => 300u32..4_000]
}

fn overlap() -> impl Strategy<Value = (Policy, u32)> {
    prop_oneof![
        Just((Policy::Alert, 1)),
        (1u32..3).prop_map(|allowed| (Policy::Allow, allowed)),
        Just((Policy::Refuse, 1)),
    ]
}

/// Now and then longer than the interval, and none at all.
fn grace() -> impl Strategy<Value = u32> {
    prop_oneof![6 => Just(120u32), 2 => Just(800u32), 1 => Just(2_000u32), 1 => Just(0u32)]
}

/// Now and then most of the interval, and more.
fn early() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![6 => Just(None), 1 => Just(Some(1u32)), 1 => Just(Some(450)), 1 => Just(Some(1_300))]
}

fn counts() -> impl Strategy<Value = (u16, u16, u16)> {
    (1u16..3, 1u16..3, 1u16..3)
}

pub(crate) fn setup() -> impl Strategy<Value = Setup> {
    let limit = prop_oneof![3 => Just(600u32), 1 => Just(1_500u32)];
    let window = proptest::option::weighted(0.4, (60u32..4_000, 60u32..3_000));
    let window = window.prop_map(|window| window.map(|(from, lasts)| (from, from + lasts)));
    let spans = (grace(), early(), limit, min(), window);
    (overlap(), plan(), spans, any::<bool>(), counts()).prop_map(
        |((policy, allowed), plan, spans, manual_resume, (failed, missed, recover))| {
            let (grace, early, limit, min, window) = spans;
            Setup {
                policy,
                allowed,
                plan,
                grace,
                early,
                limit,
                min,
                window,
                manual_resume,
                failed,
                missed,
                recover,
            }
        },
    )
}

fn ping() -> impl Strategy<Value = What> {
    let sign = prop_oneof![4 => Just(Sign::Start), 4 => Just(Sign::Good), 2 => Just(Sign::Bad), 1 => Just(Sign::Log)];
    let rid = prop_oneof![1 => Just(None), 1 => (0u8..4).prop_map(Some)];
    let ago =
        prop_oneof![6 => Just(None), 1 => (-250i32..400).prop_map(Some), 1 => (400i32..4_000).prop_map(Some)];
    (sign, rid, proptest::option::of(0u8..3), ago).prop_map(|(sign, rid, host, ago)| What::Ping {
        sign,
        rid,
        host,
        ago,
    })
}

/// What happens to one monitor.
pub(crate) fn what() -> impl Strategy<Value = What> {
    let edit = prop_oneof![
        plan().prop_map(Edit::Plan),
        min().prop_map(Edit::Min),
        prop_oneof![Just(300u32), Just(600), Just(1_500)].prop_map(Edit::Limit),
        overlap().prop_map(|(policy, allowed)| Edit::Overlap(policy, allowed)),
        grace().prop_map(Edit::Grace),
        early().prop_map(Edit::Early),
        counts().prop_map(|(failed, missed, recover)| Edit::Counts(failed, missed, recover)),
    ];
    prop_oneof![
        40 => ping(),
        4 => Just(What::Look),
        1 => Just(What::Pause),
        1 => Just(What::Resume),
        1 => Just(What::Resolve),
        2 => edit.prop_map(What::Edit),
    ]
}

pub(crate) fn after() -> impl Strategy<Value = u32> {
    prop_oneof![2 => Just(0u32), 4 => 1u32..200, 1 => 200u32..1_500]
}

/// Sequences in which some steps are sent twice, and some change places; so many in sixty are downtimes, and so many set
/// the clock back.
pub(crate) fn steps(most: usize, breaks: u32) -> impl Strategy<Value = Vec<Step>> {
    let (downs, backs) = (down().prop_map(What::Down), back().prop_map(What::Back));
    let what = prop_oneof![60 => what(), breaks => downs, breaks => backs];
    let step = (after(), what).prop_map(|(after, what)| Step { after, what });
    let mangling = proptest::collection::vec((any::<proptest::sample::Index>(), any::<bool>()), 0..6);
    (proptest::collection::vec(step, 1..most), mangling).prop_map(|(mut steps, mangling)| {
        for (place, twice) in mangling {
            let at = place.index(steps.len());
            if twice {
                let again = Step { after: 1, ..steps[at].clone() };
                steps.insert(at + 1, again);
            } else if at + 1 < steps.len() {
                steps.swap(at, at + 1);
            }
        }
        steps
    })
}
