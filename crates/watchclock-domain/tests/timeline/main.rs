//! Random pings through the timeline, as the store would feed it, agree with a naive model of what runs are.

mod fed;
mod model;

use proptest::prelude::*;

use crate::{fed::Fed, model::Model};

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
        /// How many seconds ago it says that it happened.
        ago: Option<u32>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Start,
    Good,
    Bad,
    Log,
}

fn step() -> impl Strategy<Value = Step> {
    let sign = prop_oneof![4 => Just(Sign::Start), 4 => Just(Sign::Good), 2 => Just(Sign::Bad), 1 => Just(Sign::Log)];
    let rid = prop_oneof![1 => Just(None), 1 => (0u8..4).prop_map(Some)];
    let ago = prop_oneof![4 => Just(None), 1 => (0u32..400).prop_map(Some)];
    let ping = (sign, rid, proptest::option::of(0u8..3), ago).prop_map(|(sign, rid, host, ago)| What::Ping {
        sign,
        rid,
        host,
        ago,
    });
    let what = prop_oneof![8 => ping, 1 => Just(What::Look)];
    let after = prop_oneof![2 => Just(0u32), 4 => 1u32..200, 1 => 200u32..1_500];
    (after, what).prop_map(|(after, what)| Step { after, what })
}

/// Sequences in which some steps are sent twice, and some change places.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let mangling = proptest::collection::vec((any::<proptest::sample::Index>(), any::<bool>()), 0..6);
    (proptest::collection::vec(step(), 1..30), mangling).prop_map(|(mut steps, mangling)| {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_timeline_agrees_with_the_model(steps in steps(), allowed in 1u32..3) {
        let mut fed = Fed::new(allowed);
        let mut model = Model::new(allowed);
        for (at, step) in steps.iter().enumerate() {
            fed.take(step);
            model.take(step);
            prop_assert_eq!(fed.tape(), model.tape(), "after step {} of {:#?}", at + 1, &steps[..=at]);
            fed.check();
        }
    }

    #[test]
    fn looking_twice_changes_nothing(steps in steps()) {
        let mut fed = Fed::new(1);
        for step in &steps {
            fed.take(step);
            let look = Step { after: 0, what: What::Look };
            fed.take(&look);
            let before = fed.tape();
            prop_assert!(!fed.take(&look), "something changed again");
            prop_assert_eq!(before, fed.tape());
        }
    }
}
