//! The rules for a GRPCRoute itself.

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::field::FieldPath;
use crate::finding::{Actions, Findings};
use crate::kinds::{GrpcRoute, walk};

/// The rules for a GRPCRoute.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "grpc-route/method-empty",
            include_str!("../checks/grpc_route/method_empty.md"),
            Actions::DENY,
            RuleFn::GrpcRoute(method_empty),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "grpc-route/method-malformed",
            include_str!("../checks/grpc_route/method_malformed.md"),
            Actions::DENY,
            RuleFn::GrpcRoute(method_malformed),
        )
    },
];

fn method_empty(route: &GrpcRoute<'_>, found: &mut Findings<'_>) {
    for (at, matched) in walk::rule::grpc_methods(route) {
        if matched.service.is_none() && matched.method.is_none() {
            found.required(FieldPath::from(at), "a service, a method or both are required");
        }
    }
}

/// The maximum number of characters in the name of a service or a method.
const MAX_CHARACTERS: usize = 1024;

fn method_malformed(route: &GrpcRoute<'_>, found: &mut Findings<'_>) {
    for (at, matched) in walk::rule::grpc_methods(route) {
        let service = matched.service.as_deref().map(|service| (at.child("service"), service));
        let method = matched.method.as_deref().map(|method| (at.child("method"), method));
        let template = "`{}` is too long: at most 1024 characters are allowed";
        found.each(service.into_iter().chain(method), must::have_at_most_characters(MAX_CHARACTERS, template));
        if matched.kind() == "Exact" {
            let template = "`{}` is not a valid service: use a name such as com.example.Users";
            found.each(service, must::be(is_service, template));
            found.each(method, must::be(is_identifier, "`{}` is not a valid method: use a name such as Login"));
        }
    }
}

/// Whether the text consists of identifiers separated by dots. The schema also allows a leading dot.
fn is_service(text: &str) -> bool {
    text.strip_prefix('.').unwrap_or(text).split('.').all(is_identifier)
}

fn is_identifier(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
