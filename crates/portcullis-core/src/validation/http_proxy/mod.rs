//! The rules for an HTTPProxy itself.
//!
//! How much of an object Contour drops because of an error depends on the location of the error: see [`Errors`].

pub mod conditions;
mod routes;
mod tls;

use std::collections::BTreeMap;

use super::{Rule, RuleFn, rule, validators as must};
use crate::field::{At, FieldPath, Segment};
use crate::finding::{Actions, Finding, Findings};
use crate::kinds::HttpProxy;

/// The rules for an HTTPProxy. [`errors`] reports the first violation in this order.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "http-proxy/fqdn-malformed",
        include_str!("../../checks/http_proxy/fqdn_malformed.md"),
        RuleFn::HttpProxy(fqdn_malformed),
    ),
    Rule::invalidates(
        "http-proxy/spec-empty",
        include_str!("../../checks/http_proxy/spec_empty.md"),
        RuleFn::HttpProxy(spec_empty),
    ),
    Rule::invalidates(
        "http-proxy/tls-passthrough-with-secret",
        include_str!("../../checks/http_proxy/tls_passthrough_with_secret.md"),
        RuleFn::HttpProxy(tls::passthrough),
    ),
    Rule::invalidates(
        "http-proxy/tls-secret-missing",
        include_str!("../../checks/http_proxy/tls_secret_missing.md"),
        RuleFn::HttpProxy(tls::secret_required),
    ),
    Rule {
        actions: Actions::WARN,
        ..Rule::invalidates(
            "http-proxy/tls-secret-malformed",
            include_str!("../../checks/http_proxy/tls_secret_malformed.md"),
            RuleFn::HttpProxy(|proxy, found| found.each(tls::secret(proxy), must::object_reference)),
        )
    },
    Rule::invalidates(
        "http-proxy/tls-versions-invalid",
        include_str!("../../checks/http_proxy/tls_versions_invalid.md"),
        RuleFn::HttpProxy(tls::versions),
    ),
    // Contour reports this as an error but serves the host nevertheless.
    Rule::reported(
        "http-proxy/tls-fallback-unused",
        include_str!("../../checks/http_proxy/tls_fallback_unused.md"),
        Actions::DENY,
        RuleFn::HttpProxy(tls::fallback_unused),
    ),
    Rule::invalidates(
        "http-proxy/tcpproxy-invalid",
        include_str!("../../checks/http_proxy/tcpproxy_invalid.md"),
        RuleFn::HttpProxy(routes::tcpproxy),
    ),
    Rule::invalidates(
        "http-proxy/route-action-invalid",
        include_str!("../../checks/http_proxy/route_action_invalid.md"),
        RuleFn::HttpProxy(routes::action),
    ),
    Rule::invalidates(
        "http-proxy/path-conditions-invalid",
        include_str!("../../checks/http_proxy/path_conditions_invalid.md"),
        RuleFn::HttpProxy(conditions::paths),
    ),
    Rule::invalidates(
        "http-proxy/include-conditions-invalid",
        include_str!("../../checks/http_proxy/include_conditions_invalid.md"),
        RuleFn::HttpProxy(conditions::of_includes),
    ),
    Rule::invalidates(
        "http-proxy/header-conditions-contradictory",
        include_str!("../../checks/http_proxy/header_conditions_contradictory.md"),
        RuleFn::HttpProxy(conditions::headers),
    ),
    Rule::invalidates(
        "http-proxy/query-conditions-invalid",
        include_str!("../../checks/http_proxy/query_conditions_invalid.md"),
        RuleFn::HttpProxy(conditions::query),
    ),
    Rule {
        actions: Actions::WARN,
        ..Rule::invalidates(
            "http-proxy/regex-malformed",
            include_str!("../../checks/http_proxy/regex_malformed.md"),
            RuleFn::HttpProxy(conditions::expressions),
        )
    },
    Rule::reported(
        "http-proxy/route-duplicate",
        include_str!("../../checks/http_proxy/route_duplicate.md"),
        Actions::WARN,
        RuleFn::HttpProxy(routes::duplicate),
    ),
    Rule::reported(
        "http-proxy/tls-passthrough-unanswered",
        include_str!("../../checks/http_proxy/tls_passthrough_unanswered.md"),
        Actions::WARN,
        RuleFn::HttpProxy(tls::passthrough_unanswered),
    ),
];

/// The first error in each part of an HTTPProxy. Each field says what Contour drops because of it.
#[derive(Debug, Default)]
pub struct Errors {
    /// An error of the object as a whole: a root serves nothing.
    pub object: Option<Finding>,
    /// An error of `spec.tcpproxy`: a root whose connections are delegated to this object serves nothing.
    pub tcpproxy: Option<Finding>,
    /// An error of a route: Contour drops all routes of the object, including those of its includes.
    pub routes: Option<Finding>,
    /// Errors of includes, by index: Contour drops the include.
    pub includes: BTreeMap<usize, Finding>,
}

/// Returns the errors that invalidate parts of `proxy`.
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

fn run(test: RuleFn, proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    if let RuleFn::HttpProxy(test) = test {
        test(proxy, found);
    }
}

fn fqdn_malformed(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let fqdn = || proxy.spec.virtualhost.iter().map(|host| (At::field("spec.virtualhost.fqdn"), &*host.fqdn));
    found.each(fqdn(), must::be_set("a hostname is required, such as shop.example.com"));
    found.each(fqdn().filter(|(_, fqdn)| !fqdn.trim().is_empty()), must::hostname_or_wildcard);
}

fn spec_empty(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let spec = &proxy.spec;
    let is_empty = spec.routes.is_empty() && spec.includes.is_empty() && spec.tcpproxy.is_none();
    if spec.virtualhost.is_some() && is_empty {
        let template = "a root requires routes, includes or tcpproxy: without them its host is not served";
        found.required(FieldPath::from(At::field("spec")), template);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_tcpproxy_drops_neither_routes_nor_the_object() {
        let json = r#"{"spec": {"virtualhost": {"fqdn": "a.example.com", "tls": {"secretName": "a"}}, "tcpproxy": {},
            "routes": [{"services": [{"name": "a", "port": 80}]}]}}"#;
        let errors = errors(&serde_json::from_str(json).expect("an HTTPProxy"));
        let rule = |error: Option<Finding>| error.map(|error| error.at.to_string());
        assert_eq!((rule(errors.object), rule(errors.routes)), (None, None));
        assert_eq!(rule(errors.tcpproxy), Some("spec.tcpproxy".to_owned()));
    }
}
