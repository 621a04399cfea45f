//! Small models of what several threads do at once, which loom runs in the orders that they can take turns in.

use loom::model::Builder;

/// So many preemptions of running threads are enough for every fault that was put in to be found.
/// `LOOM_MAX_PREEMPTIONS` sets another number.
const PREEMPTIONS: usize = 3;

/// Runs models and says the name of each that holds.
///
/// # Panics
/// In the first order in which an assertion of a model fails.
pub fn check(models: &[(&str, fn())]) {
    for (name, model) in models {
        let mut builder = Builder::new();
        builder.preemption_bound = builder.preemption_bound.or(Some(PREEMPTIONS));
        builder.check(*model);
        println!("model {name} ... ok");
    }
}
