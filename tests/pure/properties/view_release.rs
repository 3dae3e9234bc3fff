//! Releasing the view between two checks, because another task waits for it, does not change the outcome.

use std::cell::Cell;

use portcullis_core::checks::registry;
use portcullis_core::cluster::{Overlay, View};
use portcullis_testing::page::examples;
use portcullis_testing::pages::{Through, judge_by, judge_through, plan};

/// A view for which another task always waits, and the number of times that it was acquired.
struct ContendedView<'v> {
    view: &'v Overlay<'v>,
    looks: &'v Cell<usize>,
}

impl View for ContendedView<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        self.looks.set(self.looks.get() + 1);
        self.view.look(ask);
    }

    fn is_wanted(&self) -> bool {
        true
    }
}

#[test]
fn releasing_the_view_between_checks_keeps_the_outcome() {
    let mut released = 0;
    for check in registry::all() {
        for example in examples(check.page) {
            let (plan, looks) = (plan(check, &example), Cell::new(0));
            let through: Through<'_> = &|view, judge| judge(&ContendedView { view, looks: &looks });
            let judgement = judge_through(&plan, check, &example, &[], through);
            assert_eq!(judgement, judge_by(&plan, check, &example, &[]), "{}: {}", check.id, example.yaml);
            released += usize::from(looks.get() > 10);
        }
    }
    assert!(released > 1000, "only {released} examples are evaluated by more than ten checks");
}
