//! `ingress/class-annotation-deprecated`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/class-annotation-deprecated",
    page: include_str!("class_annotation_deprecated.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::WARN)
};

/// Values without an IngressClass: GKE, the OpenStack cloud provider and Voyager only read the annotation.
const WITHOUT_CLASS: [&str; 4] = ["gce", "gce-internal", "openstack", "voyager"];

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (Some(class), None) = (ingress.class_annotation(), &ingress.spec.ingress_class_name) else { return };
    if cx.operation == Operation::Update || WITHOUT_CLASS.contains(&class) || class.trim().is_empty() {
        return;
    }
    let message = match names::is_subdomain(class) {
        true => "the annotation is deprecated; set `ingressClassName: {}`",
        false => "deprecated; set `ingressClassName` to the class of `{}`",
    };
    found.invalid(At::field("metadata.annotations").key(CLASS_ANNOTATION), class, message);
}
