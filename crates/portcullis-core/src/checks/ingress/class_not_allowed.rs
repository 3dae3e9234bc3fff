//! `ingress/class-not-allowed`

use crate::checks::class_rules::{self, class_error};
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::Mark;
use crate::routing::default_class;

pub static CHECK: Check = Check {
    id: "ingress/class-not-allowed",
    needs: &[Kind::IngressClass],
    options: class_rules::OPTIONS,
    page: include_str!("class_not_allowed.md"),
    run: Run::Ingress(check),
    is_exported: true,
    ..Check::tenancy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let annotations = ingress.class_annotations();
    let annotations = annotations.map(|(key, class)| (At::field("metadata.annotations").key(key), class));
    // Controllers disagree on which of these they read, so each is checked.
    for (at, class) in annotations {
        class_rules::check(at, class, cx, found);
    }
    if let Some(class) = ingress.spec.ingress_class_name.as_deref() {
        check_field(class, cx, found);
    }
    match ingress.default_class.as_deref() {
        Some(class) => check_default(class, cx, found),
        None if ingress.class().is_none() => check_without_class(ingress, cx, found),
        None => {}
    }
}

/// Reports the class of the field. If it is the default, the API server may have filled it in.
fn check_field(class: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec.ingressClassName");
    if class_error(class, cx).is_some() && is_default(class, cx) {
        let message = "class {}, which is the default, is not allowed in namespace {}: name another class";
        found.forbidden(at, class, message).args([class, cx.namespace()]);
    } else {
        class_rules::check(at, class, cx, found);
    }
}

fn is_default(class: &str, cx: &Context<'_>) -> bool {
    matches!(cx.cluster.default_classes(), Lookup::Found(defaults) if defaults.iter().any(|default| *default.name == *class))
}

fn check_default(class: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    if class_error(class, cx).is_some() {
        let message = "no class is named, and the default class {} is not allowed in namespace {}: name another class";
        found.forbidden(At::field("spec.ingressClassName"), class, message).args([class, cx.namespace()]);
    }
}

/// Reports an Ingress without a class where only listed classes are allowed. One that is created gets the default class. ACME solvers
/// without a class are meant for every controller, and certificates depend on them.
fn check_without_class(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_allowed = class_rules::may_have_no_class(cx) || Mark::of_ingress(ingress) == Mark::AcmeSolver;
    if is_allowed || !cx.cluster.is_complete(Kind::IngressClass) {
        return;
    }
    let is_created = cx.operation == Operation::Create;
    match default_class::on_creation(ingress, cx.cluster).filter(|_| is_created) {
        Some(class) => check_default(&class.name, cx, found),
        None => {
            let message =
                "no class is named, and only classes that the platform lists are allowed in namespace {}: name one";
            found.forbidden(At::field("spec.ingressClassName"), "", message).args([cx.namespace()]);
        }
    }
}
