//! Releasing the view between two checks, because another task waits for it, does not change the outcome.

use std::cell::Cell;

use portcullis_core::checks::registry;
use portcullis_core::cluster::{Overlay, View};
use portcullis_testing::page::examples;
use portcullis_testing::pages::{Through, judge_by, judge_through, plan};

/// A view for which another task always waits, and the number of times that it was acquired.
struct Sought<'v> {
    view: &'v Overlay<'v>,
    looks: &'v Cell<usize>,
}

impl View for Sought<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        self.looks.set(self.looks.get() + 1);
        self.view.look(ask);
    }

    fn is_wanted(&self) -> bool {
        true
    }
}

#[test]
fn a_view_given_back_between_checks_changes_no_judgement() {
    let mut given_back = 0;
    for check in registry::all() {
        for example in examples(check.page) {
            let (plan, looks) = (plan(check, &example), Cell::new(0));
            let through: Through<'_> = &|view, judge| judge(&Sought { view, looks: &looks });
            let judgement = judge_through(&plan, check, &example, &[], through);
            assert_eq!(judgement, judge_by(&plan, check, &example, &[]), "{}: {}", check.id, example.yaml);
            given_back += usize::from(looks.get() > 10);
        }
    }
    assert!(given_back > 1000, "only {given_back} examples are judged by more than ten checks");
}
