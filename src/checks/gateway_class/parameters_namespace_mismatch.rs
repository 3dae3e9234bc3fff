//! `gateway-class/parameters-namespace-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::reference::TargetRef;
use crate::kinds::{GatewayClass, Kind};

pub static CHECK: Check = Check {
    id: "gateway-class/parameters-namespace-mismatch",
    page: include_str!("parameters_namespace_mismatch.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(parameters) = &class.spec.parameters_ref else { return };
    let at = At::field("spec.parametersRef.namespace");
    match (is_namespaced(parameters), parameters.namespace.as_deref()) {
        (Some(true), None) => {
            found
                .required(at, "{} `{}` lives in a namespace, which must be named")
                .shown([parameters.kind_or(""), &parameters.name]);
        }
        (Some(false), Some(namespace)) => {
            found
                .forbidden(at, namespace, "`{}` must be absent: a {} has no namespace")
                .shown([namespace, parameters.kind_or("")]);
        }
        _ => {}
    }
}

/// Whether objects of the kind live in a namespace; `None` for kinds that are not known here.
fn is_namespaced(parameters: &TargetRef<'_>) -> Option<bool> {
    match (parameters.group(), parameters.kind_or("")) {
        ("", "ConfigMap" | "Secret") => Some(true),
        (group, kind) => {
            let apis = Kind::ALL.into_iter().map(Kind::api);
            apis.filter(|api| api.group == group && api.kind == kind).map(|api| api.namespaced).next()
        }
    }
}
