//! `ingress/class-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, Kind, ObjectRef};

pub static CHECK: Check = Check {
    id: "ingress/class-not-found",
    needs: &[Kind::IngressClass],
    page: include_str!("class_not_found.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::new(Action::Warn, Action::Warn, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // The annotation is opaque (KEP-758): a controller may support a value without an IngressClass of that name.
    let Some(name) = ingress.spec.ingress_class_name.as_deref().filter(|name| !name.is_empty()) else { return };
    if let Lookup::Absent = cx.cluster.ingress_class(name) {
        found
            .not_found(At::field("spec.ingressClassName"), name, "IngressClass `{}` not found")
            .suggest(cx.cluster.similar(&ObjectRef::new(Kind::IngressClass, "", name)));
    }
}
