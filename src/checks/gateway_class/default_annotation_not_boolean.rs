//! `gateway-class/default-annotation-not-boolean`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;
use crate::kinds::gateway_class::{DEFAULT_ANNOTATION, IN_CLUSTER_ANNOTATION};

pub static CHECK: Check = Check {
    id: "gateway-class/default-annotation-not-boolean",
    page: include_str!("default_annotation_not_boolean.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::WARN)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for key in [DEFAULT_ANNOTATION, IN_CLUSTER_ANNOTATION] {
        let Some(value) = class.metadata.annotations.get(key) else { continue };
        if !matches!(&**value, "true" | "false") {
            let at = At::field("metadata.annotations").key(key);
            found.invalid(at, value, "`{}` counts as `false`; write `true` or `false`");
        }
    }
}
