//! Runs each fuzz target for a moment, on the same inputs each time, to show that the targets work before they run for
//! longer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use portcullis_fuzz::{Mutator, Target, targets};
use portcullis_testing::each;

const INPUTS: usize = 1_500;

#[test]
fn each_fuzz_target_passes() {
    each(targets::ALL, |target| target.name.to_owned(), |target| holds(*target));
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
