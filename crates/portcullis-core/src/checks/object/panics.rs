//! `object/panics`: not a real check, but a stand-in for a check that panics, for tests. Only built with the feature
//! `panic-check`.

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check =
    Check { id: "object/panics", page: "", run: Run::Ingress(check), ..Check::shape(Actions::DENY) };

/// The check panics for an Ingress on which this annotation is `true`.
const ANNOTATION: &str = "portcullis.dev/panic";

fn check(ingress: &Ingress<'_>, _: &Context<'_>, _: &mut Findings<'_>) {
    let wished = ingress.metadata.annotations.get(ANNOTATION);
    assert!(wished.is_none_or(|value| &**value != "true"), "as the annotation {ANNOTATION} wishes\nin two lines");
}
