//! `ingress/default-class-ambiguous`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/default-class-ambiguous",
    // Off in the other profiles: the current API server uses the default class that was created last.
    needs: &[Kind::IngressClass],
    page: include_str!("default_class_ambiguous.md"),
    run: Run::Ingress(check),
    ..Check::conflict(Actions::new(Action::Off, Action::Off, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.operation == Operation::Update || ingress.names_class() {
        return;
    }
    if let Lookup::Found(classes) = cx.cluster.default_classes()
        && let [first, second, ..] = classes.as_slice()
    {
        let message = "{other} and IngressClass {} are both the default: name one of them";
        found
            .add(Cause::Required, At::field("spec.ingressClassName"), &second.name, message)
            .other(&first.object_ref());
    }
}
