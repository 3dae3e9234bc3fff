//! `object/too-complex`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Exhausted;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Object;

pub static CHECK: Check = Check {
    id: "object/too-complex",
    page: include_str!("too_complex.md"),
    run: Run::Object(check),
    ..Check::conflict(Actions::DENY)
};

// The checks that compare objects run before this one, since checks run in the order of their ids.
fn check(_: &Object<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec");
    match cx.cluster.steps().exhausted() {
        None => {}
        Some(Exhausted::ByOwn) => {
            let message =
                "too many comparisons with objects of this namespace: split the object or delete its duplicates";
            found.invalid(at, "", message);
        }
        Some(Exhausted::ByOthers) => {
            let message = "too many objects of other namespaces to compare with: some conflicts were not checked";
            found.invalid(at, "", message).only_warns();
        }
    }
}
