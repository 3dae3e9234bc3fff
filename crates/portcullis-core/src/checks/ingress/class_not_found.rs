//! `ingress/class-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::{At, FieldPath};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, Kind, ObjectRef};
use crate::matching::class_names::meant;

pub static CHECK: Check = Check {
    id: "ingress/class-not-found",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("class_not_found.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::new(Action::Warn, Action::Warn, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let field = ingress.spec.ingress_class_name.as_deref().unwrap_or_default();
    let at = At::field("spec.ingressClassName");
    match cx.cluster.ingress_class(field) {
        Lookup::Absent if !field.is_empty() => {
            found.not_found(at, field, "IngressClass `{}` not found").suggest(cx.cluster.similar(&ObjectRef::new(
                Kind::IngressClass,
                "",
                field,
            )));
        }
        Lookup::Unknown => report_slip(at, field, cx, found),
        Lookup::Absent | Lookup::Found(_) => {}
    }
    // The annotation is opaque (KEP-758): a controller may support a value without an IngressClass of that name.
    for (key, class) in ingress.class_annotations().filter(|(_, class)| *class != field) {
        if !matches!(cx.cluster.ingress_class(class), Lookup::Found(_)) {
            report_slip(At::field("metadata.annotations").key(key), class, cx, found);
        }
    }
}

/// Reports the misspelled name of a well-known class, unless another Ingress names it, too, and none names the well-known one.
fn report_slip(at: impl Into<FieldPath>, class: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(meant) = meant(class) else { return };
    let is_used =
        |class: &str| cx.cluster.ingresses_of_class(class).any(|facts| facts.object_ref != *cx.cluster.this());
    if !is_used(class) || is_used(meant) {
        found.not_found(at, class, "unknown class `{}`; did you mean `{}`?").also(meant).only_warns();
    }
}
