//! `ingress/default-class-ambiguous`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, Kind};

pub static CHECK: Check = Check {
    id: "ingress/default-class-ambiguous",
    needs: &[Kind::IngressClass],
    page: include_str!("default_class_ambiguous.md"),
    run: Run::Ingress(check),
    ..Check::conflict(Actions::new(Action::Warn, Action::Warn, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // A class is filled in at creation only. An object in a file has no creation time.
    let is_created = match cx.operation {
        Operation::Create => true,
        Operation::Stored => cx.created.is_none(),
        _ => false,
    };
    if !is_created || ingress.names_class() {
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
