//! Random sequences through the real service on a real database agree with the naive model that the domain is judged by.
//!
//! Many monitors live at once, each with its own sequence of pings, edits and pauses. They share the clock and its steps, also
//! backwards, the evaluator's looks, and two servers: one or the other takes each part, and they start anew at times.
//! `WATCHCLOCK_TEST_SEQUENCES` sets how many sequences are tried, `WATCHCLOCK_TEST_SEED` which.

#[path = "../../../watchclock-domain/tests/timeline/model.rs"]
mod model;
#[path = "../../../watchclock-domain/tests/timeline/model_run.rs"]
mod model_run;
mod served;
#[path = "../../../watchclock-domain/tests/timeline/steps.rs"]
mod steps;

use std::fmt::Debug;

use futures_util::{StreamExt as _, future::join_all, stream};
use proptest::{
    bool::weighted,
    strategy::{Strategy, ValueTree as _},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use watchclock_tests::World;

use crate::{
    model::Model,
    served::{Served, Servers},
    steps::{Setup, Step, What, after, back, down, setup, steps},
};

/// Monitors that live in one database at once.
const TOGETHER: usize = 400;
/// Monitors made at a time: nobody waits for a connection, so the test may be stopped for a while and go on.
const MADE_AT_ONCE: usize = 4;
/// Longest sequence, before some of its steps are sent twice.
const STEPS: usize = 24;
/// Most steps of one monitor at one moment; its pings among them arrive together.
const AT_ONCE: usize = 4;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Draws from the strategies of the domain's own test.
struct Chance(TestRunner);

impl Chance {
    fn from_seed(seed: usize) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&u64::try_from(seed).expect("a number of 64 bits").to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    fn draw<T: Debug>(&mut self, strategy: &impl Strategy<Value = T>) -> T {
        strategy.new_tree(&mut self.0).expect("the strategies refuse nothing").current()
    }

    fn is(&mut self, probability: f64) -> bool {
        self.draw(&weighted(probability))
    }
}

/// One monitor, what it is to live through, and what the model says of it.
struct Life {
    setup: Setup,
    served: Served,
    model: Model,
    /// The next step last.
    ahead: Vec<Step>,
    /// As the model took them.
    lived: Vec<Step>,
    /// Seconds from the beginning to the last of them.
    moment: u32,
}

impl Life {
    fn new(setup: Setup, served: Served, mut ahead: Vec<Step>) -> Self {
        ahead.reverse();
        Self { model: Model::new(&setup), setup, served, ahead, lived: Vec::new(), moment: 0 }
    }

    /// Takes the next steps out of what is ahead.
    fn next(&mut self, most: usize) -> Vec<What> {
        let at = self.ahead.len().saturating_sub(most);
        self.ahead.split_off(at).into_iter().rev().map(|step| step.what).collect()
    }

    /// Tells the model of something at a moment.
    fn tell(&mut self, moment: u32, what: What) {
        let step = Step { after: moment - self.moment, what };
        self.moment = moment;
        self.model.take(&step);
        self.lived.push(step);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_agrees_with_the_model() {
    let (sequences, seed) = (setting("WATCHCLOCK_TEST_SEQUENCES", 100), setting("WATCHCLOCK_TEST_SEED", 1));
    let mut chance = Chance::from_seed(seed);
    let mut steps = 0;
    for done in (0..sequences).step_by(TOGETHER) {
        steps += live_together(&mut chance, TOGETHER.min(sequences - done)).await;
    }
    println!("{sequences} sequences with {steps} steps agree");
}

/// Lets so many monitors live in one database; tells how many steps they took.
async fn live_together(chance: &mut Chance, count: usize) -> usize {
    let world = World::without_channels().await;
    let mut servers = Servers::new(&world);
    let setups: Vec<Setup> = (0..count).map(|_| chance.draw(&setup())).collect();
    servers.set(0);
    let made = setups.iter().enumerate().map(|(number, setup)| Served::create(&world, number, setup));
    let made: Vec<Served> = stream::iter(made).buffered(MADE_AT_ONCE).collect().await;
    let lives = setups.into_iter().zip(made);
    let mut lives: Vec<Life> =
        lives.map(|(setup, served)| Life::new(setup, served, chance.draw(&steps(STEPS, 0)))).collect();
    let (mut moment, mut moments) = (0, 0);
    while lives.iter().any(|life| !life.ahead.is_empty()) {
        moment += chance.draw(&after());
        servers.set(moment);
        if chance.is(0.04) {
            // What is due is looked at, and then nobody watches for a while.
            servers.pick(true).evaluate().await.expect("the evaluator ticks");
            let silent = chance.draw(&down());
            for life in &mut lives {
                life.tell(moment, What::Look);
                life.tell(moment, What::Down(silent));
                life.moment += silent;
            }
            moment += silent;
            servers.set_after_silence(moment);
            servers.pick(chance.is(0.5)).evaluate().await.expect("the evaluator ticks");
        }
        let by = chance.draw(&back());
        if by < moment && chance.is(0.03) {
            // Both servers saw the clock as it was, and both see it set back.
            for first in [true, false] {
                servers.pick(first).evaluate().await.expect("the evaluator ticks");
            }
            for life in &mut lives {
                life.tell(moment, What::Look);
                life.tell(moment, What::Back(by));
                life.moment -= by;
            }
            moment -= by;
            servers.set_back(moment);
            for first in [true, false] {
                servers.pick(first).evaluate().await.expect("the evaluator ticks");
            }
        }
        let due: Vec<Vec<What>> =
            lives.iter_mut().map(|life| life.next(chance.draw(&(0..AT_ONCE)))).collect();
        // The evaluator has looked whenever something is edited: an edit forgets what nobody has seen.
        let is_edit = |what: &What| matches!(what, What::Pause | What::Resume | What::Edit(_));
        let looks = chance.is(0.3) || due.iter().flatten().any(is_edit);
        if looks {
            servers.pick(chance.is(0.5)).evaluate().await.expect("the evaluator ticks");
            for life in &mut lives {
                life.tell(moment, What::Look);
            }
        }
        let server = servers.pick(chance.is(0.5));
        join_all(lives.iter().zip(&due).map(|(life, due)| life.served.take(server, due))).await;
        for (life, due) in lives.iter_mut().zip(due) {
            let others = due.into_iter().filter(|what| !matches!(what, What::Look));
            others.for_each(|what| life.tell(moment, what));
        }
        if chance.is(0.1) {
            servers.restart(chance.is(0.5));
        }
        moments += 1;
        if moments % 10 == 0 {
            compare(&servers, &lives).await;
        }
    }
    compare(&servers, &lives).await;
    world.facts_agree().await;
    lives.iter().map(|life| life.lived.len()).sum()
}

async fn compare(servers: &Servers<'_>, lives: &[Life]) {
    let monitors: Vec<_> = lives.iter().map(|life| life.served.monitor).collect();
    for (life, tape) in lives.iter().zip(servers.tapes(&monitors).await) {
        assert_eq!(tape, life.model.tape(), "of {:#?} after {:#?}", life.setup, life.lived);
    }
}
