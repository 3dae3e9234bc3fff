//! `grpc-route/method-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{GrpcRoute, walk};

/// The most characters of a service or a method.
const LONGEST: usize = 1024;

pub static CHECK: Check = Check {
    id: "grpc-route/method-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("method_malformed.md"),
    run: Run::GrpcRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &GrpcRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, matched) in walk::rule::grpc_methods(route) {
        let (service, method) = (matched.service.as_deref(), matched.method.as_deref());
        for (name, text) in [("service", service), ("method", method)] {
            if let Some(text) = text.filter(|text| text.chars().nth(LONGEST).is_some()) {
                found.too_long(at.then(name), text, "`{}` is longer than 1024 characters");
            }
        }
        if matched.kind() != "Exact" {
            continue;
        }
        if let Some(service) = service.filter(|service| !is_service(service)) {
            found.invalid(at.then("service"), service, "service `{}` must be a name such as `com.example.Users`");
        }
        if let Some(method) = method.filter(|method| !is_identifier(method)) {
            found.invalid(at.then("method"), method, "method `{}` must be a name such as `Login`");
        }
    }
}

/// Identifiers with a dot between each two; the schema lets one more dot stand in front.
fn is_service(text: &str) -> bool {
    text.strip_prefix('.').unwrap_or(text).split('.').all(is_identifier)
}

fn is_identifier(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
