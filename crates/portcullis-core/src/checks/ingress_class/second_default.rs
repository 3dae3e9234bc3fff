//! `ingress-class/second-default`

use crate::checks::host::{is_later, is_of_unknown_age};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{IngressClass, Kind, ingress_class::DEFAULT_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress-class/second-default",
    // Off in `kep-758`: the KEP admits a second default class, and rejects an Ingress that would need a single one
    // (`ingress/default-class-ambiguous`).
    needs: &[Kind::IngressClass],
    page: include_str!("second_default.md"),
    run: Run::IngressClass(check),
    ..Check::conflict(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(class: &IngressClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if !class.is_default() {
        return;
    }
    if let Lookup::Found(others) = cx.cluster.default_classes()
        && let Some(first) = others.into_iter().find(|other| is_later(&other.object_ref(), other.created, cx))
    {
        let at = At::field("metadata.annotations").key(DEFAULT_ANNOTATION);
        let template = match is_of_unknown_age(first.created, cx) {
            true => "{other} is also marked as the default: unmark one of the two",
            false => "{other} is already the default: unmark it first",
        };
        found.duplicate(at, "true", template).other(&first.object_ref());
    }
}
