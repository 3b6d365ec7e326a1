//! Random sequences through the timeline, as the store would feed it, agree with a naive model of what runs are.
//!
//! The same model judges the whole service on a real database in `watchclock-tests/tests/model`.

mod fed;
mod model;
mod model_run;
mod steps;

use proptest::prelude::*;

use crate::{
    fed::Fed,
    model::Model,
    steps::{Step, What, setup, steps},
};

/// `WATCHCLOCK_TEST_CASES` for a long run.
fn cases(default: u32) -> u32 {
    std::env::var("WATCHCLOCK_TEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(700)) })]

    #[test]
    fn the_timeline_agrees_with_the_model(setup in setup(), steps in steps(30, 2)) {
        let mut fed = Fed::new(&setup);
        let mut model = Model::new(&setup);
        for (at, step) in steps.iter().enumerate() {
            fed.take(step);
            model.take(step);
            prop_assert_eq!(fed.tape(), model.tape(), "after step {} of {:#?}", at + 1, &steps[..=at]);
            fed.check();
        }
    }

    #[test]
    fn looking_twice_changes_nothing(setup in setup(), steps in steps(30, 2)) {
        let mut fed = Fed::new(&setup);
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
