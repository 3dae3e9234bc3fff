//! Each fuzz target for a moment, on the same inputs in every run: whether the targets still hold is known before anybody fuzzes for long.

use std::panic::{AssertUnwindSafe, catch_unwind};

use libtest_mimic::Trial;
use portcullis_fuzz::{Mutator, Target, targets};

const INPUTS: usize = 1_500;

pub fn trials() -> Vec<Trial> {
    let trial = |target: &Target| {
        let target = *target;
        Trial::test(format!("fuzz::{}", target.name), move || {
            holds(target);
            Ok(())
        })
    };
    targets::ALL.iter().map(trial).collect()
}

fn holds(target: Target) {
    (target.seeds)().iter().for_each(|seed| (target.run)(seed));
    let mut mutator = Mutator::new((target.seeds)(), 1);
    for _ in 0..INPUTS {
        let input = mutator.next_input();
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        assert!(result.is_ok(), "{} fails on {:?}", target.name, String::from_utf8_lossy(&input));
    }
}
