//! `grpc-route/method-empty`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::{GrpcRoute, walk};

pub static CHECK: Check = Check {
    id: "grpc-route/method-empty",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("method_empty.md"),
    run: Run::GrpcRoute(check),
};

fn check(route: &GrpcRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, matched) in walk::rule::grpc_methods(route) {
        if matched.service.is_none() && matched.method.is_none() {
            found.required(FieldPath::from(at), "a method match must name a service, a method or both");
        }
    }
}
