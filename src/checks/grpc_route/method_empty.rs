//! `grpc-route/method-empty`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::{GrpcRoute, walk};

pub static CHECK: Check = Check {
    id: "grpc-route/method-empty",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("method_empty.md"),
    run: Run::GrpcRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &GrpcRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, matched) in walk::rule::grpc_methods(route) {
        if matched.service.is_none() && matched.method.is_none() {
            found.required(FieldPath::from(at), "a method match must name a service, a method or both");
        }
    }
}
