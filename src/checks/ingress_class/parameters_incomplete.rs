//! `ingress-class/parameters-incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressClass;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-class/parameters-incomplete",
    page: include_str!("parameters_incomplete.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(parameters) = &class.spec.parameters else { return };
    let at = At::field("spec.parameters");
    let fields = [
        ("kind", &*parameters.kind, "the kind of the parameters must be named"),
        ("name", &*parameters.name, "the name of the parameters must be given"),
    ];
    for (field, written, missing) in fields {
        if written.is_empty() {
            found.required(at.then(field), missing);
        } else if !names::is_path_segment(written) {
            found.invalid(at.then(field), written, "`{}` must hold no `/` and no `%`, and be neither `.` nor `..`");
        }
    }
}
