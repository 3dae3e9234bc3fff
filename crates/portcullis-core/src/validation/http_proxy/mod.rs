//! The rules of an HTTPProxy by itself.
//!
//! How much of an object an error takes away depends on where it is, as Contour processes it: see [`Errors`].

pub mod conditions;
mod routes;
mod tls;

use std::collections::BTreeMap;

use super::{Rule, Test, rule, validators as must};
use crate::field::{At, FieldPath, Segment};
use crate::finding::{Actions, Finding, Findings};
use crate::kinds::HttpProxy;

/// The rules of an HTTPProxy, in the order in which [`errors`] reports the first that is broken.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "httpproxy/fqdn-malformed",
        include_str!("../../checks/httpproxy/fqdn_malformed.md"),
        Test::HttpProxy(fqdn_malformed),
    ),
    Rule::invalidates(
        "httpproxy/spec-empty",
        include_str!("../../checks/httpproxy/spec_empty.md"),
        Test::HttpProxy(spec_empty),
    ),
    Rule::invalidates(
        "httpproxy/tls-passthrough",
        include_str!("../../checks/httpproxy/tls_passthrough.md"),
        Test::HttpProxy(tls::passthrough),
    ),
    Rule::invalidates(
        "httpproxy/tls-secret-required",
        include_str!("../../checks/httpproxy/tls_secret_required.md"),
        Test::HttpProxy(tls::secret_required),
    ),
    Rule {
        actions: Actions::WARN,
        ..Rule::invalidates(
            "httpproxy/tls-secret-malformed",
            include_str!("../../checks/httpproxy/tls_secret_malformed.md"),
            Test::HttpProxy(|proxy, found| found.each(tls::secret(proxy), must::object_reference)),
        )
    },
    Rule::invalidates(
        "httpproxy/tls-versions",
        include_str!("../../checks/httpproxy/tls_versions.md"),
        Test::HttpProxy(tls::versions),
    ),
    // Contour reports this as an error and serves the host nevertheless.
    Rule::reported(
        "httpproxy/tls-fallback-unused",
        include_str!("../../checks/httpproxy/tls_fallback_unused.md"),
        Actions::DENY,
        Test::HttpProxy(tls::fallback_unused),
    ),
    Rule::invalidates(
        "httpproxy/tcpproxy",
        include_str!("../../checks/httpproxy/tcpproxy.md"),
        Test::HttpProxy(routes::tcpproxy),
    ),
    Rule::invalidates(
        "httpproxy/route-action",
        include_str!("../../checks/httpproxy/route_action.md"),
        Test::HttpProxy(routes::action),
    ),
    Rule::invalidates(
        "httpproxy/path-conditions",
        include_str!("../../checks/httpproxy/path_conditions.md"),
        Test::HttpProxy(conditions::paths),
    ),
    Rule::invalidates(
        "httpproxy/include-conditions",
        include_str!("../../checks/httpproxy/include_conditions.md"),
        Test::HttpProxy(conditions::of_includes),
    ),
    Rule::invalidates(
        "httpproxy/header-conditions",
        include_str!("../../checks/httpproxy/header_conditions.md"),
        Test::HttpProxy(conditions::headers),
    ),
    Rule::invalidates(
        "httpproxy/query-conditions",
        include_str!("../../checks/httpproxy/query_conditions.md"),
        Test::HttpProxy(conditions::query),
    ),
    Rule {
        actions: Actions::WARN,
        ..Rule::invalidates(
            "httpproxy/regex-malformed",
            include_str!("../../checks/httpproxy/regex_malformed.md"),
            Test::HttpProxy(conditions::expressions),
        )
    },
    Rule::reported(
        "httpproxy/route-duplicate",
        include_str!("../../checks/httpproxy/route_duplicate.md"),
        Actions::WARN,
        Test::HttpProxy(routes::duplicate),
    ),
    Rule::reported(
        "httpproxy/tls-passthrough-unanswered",
        include_str!("../../checks/httpproxy/tls_passthrough_unanswered.md"),
        Actions::WARN,
        Test::HttpProxy(tls::passthrough_unanswered),
    ),
];

/// The first error in each part of an HTTPProxy, with what Contour drops for it.
#[derive(Debug, Default)]
pub struct Errors {
    /// Of the object as a whole: a root serves nothing.
    pub object: Option<Finding>,
    /// Of `spec.tcpproxy`: a root whose connections lead here serves nothing.
    pub tcpproxy: Option<Finding>,
    /// Of one of the routes: Contour drops every route of the object, those that it includes too.
    pub routes: Option<Finding>,
    /// Of includes, by position: Contour drops the include.
    pub includes: BTreeMap<usize, Finding>,
}

/// What invalidates parts of `proxy`.
pub fn errors(proxy: &HttpProxy<'_>) -> Errors {
    let mut errors = Errors::default();
    for error in rule::errors(RULES, |test, found| run(test, proxy, found)) {
        match error.at.segments() {
            [_, Segment::Field(list), Segment::Index(include), ..] if list == "includes" => {
                errors.includes.entry(*include).or_insert(error);
            }
            [_, Segment::Field(list), Segment::Index(_), ..] if list == "routes" => {
                errors.routes.get_or_insert(error);
            }
            [_, Segment::Field(field), ..] if field == "tcpproxy" => {
                errors.tcpproxy.get_or_insert(error);
            }
            _ => {
                errors.object.get_or_insert(error);
            }
        }
    }
    errors
}

fn run(test: Test, proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    if let Test::HttpProxy(test) = test {
        test(proxy, found);
    }
}

fn fqdn_malformed(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let fqdn = || proxy.spec.virtualhost.iter().map(|host| (At::field("spec.virtualhost.fqdn"), &*host.fqdn));
    found.each(fqdn(), must::be_set("a root needs a hostname, such as shop.example.com"));
    found.each(fqdn().filter(|(_, fqdn)| !fqdn.trim().is_empty()), must::hostname_or_wildcard);
}

fn spec_empty(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let spec = &proxy.spec;
    let is_empty = spec.routes.is_empty() && spec.includes.is_empty() && spec.tcpproxy.is_none();
    if spec.virtualhost.is_some() && is_empty {
        let template = "a root needs routes, includes or tcpproxy; without them its host is not served";
        found.required(FieldPath::from(At::field("spec")), template);
    }
}
