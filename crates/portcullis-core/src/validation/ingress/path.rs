//! The rules for the paths of an Ingress.

use crate::config::Theme;
use crate::field::Child;
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::{Ingress, walk};
use crate::matching::{Host, Mark, path};
use crate::validation::{BEYOND_KEP, Rule, RuleFn, validators as must};

/// The rules for the paths of an Ingress.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress/no-paths",
        include_str!("../../checks/ingress/no_paths.md"),
        Actions::DENY,
        RuleFn::Ingress(no_paths),
    ),
    Rule::reported(
        "ingress/path-dot-segment",
        include_str!("../../checks/ingress/path_dot_segment.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| {
            let template = "`{}` must not contain a segment `.` or `..`";
            found.each(exact_or_prefix(ingress), must::be(has_no_dot_segment, template))
        }),
    ),
    Rule::reported(
        "ingress/path-empty-segment",
        include_str!("../../checks/ingress/path_empty_segment.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| {
            let has_none = |path: &str| !path.as_bytes().windows(2).any(|bytes| bytes == b"//");
            found.each(exact_or_prefix(ingress), must::be(has_none, "`{}` must not contain `//`"))
        }),
    ),
    Rule::reported(
        "ingress/path-encoded-dot",
        include_str!("../../checks/ingress/path_encoded_dot.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| {
            let template = "`{}` must not contain a segment that decodes to `.` or `..` (`%2E`)";
            found.each(written(ingress), must::be(has_no_encoded_dot_segment, template))
        }),
    ),
    Rule::reported(
        "ingress/path-encoded-slash",
        include_str!("../../checks/ingress/path_encoded_slash.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| {
            let has_none = |path: &str| !path.as_bytes().windows(3).any(|bytes| matches!(bytes, b"%2f" | b"%2F"));
            found.each(exact_or_prefix(ingress), must::be(has_none, "`{}` must not contain an encoded `/` (`%2F`)"))
        }),
    ),
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "ingress/path-implementation-specific",
            include_str!("../../checks/ingress/path_implementation_specific.md"),
            Actions::RESTRICTED,
            RuleFn::Ingress(path_implementation_specific),
        )
    },
    Rule::reported(
        "ingress/path-missing",
        include_str!("../../checks/ingress/path_missing.md"),
        BEYOND_KEP,
        RuleFn::Ingress(path_missing),
    ),
    Rule::reported(
        "ingress/path-not-absolute",
        include_str!("../../checks/ingress/path_not_absolute.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(exact_or_prefix(ingress), must::absolute_path)),
    ),
    Rule::reported(
        "ingress/path-type-missing",
        include_str!("../../checks/ingress/path_type_missing.md"),
        BEYOND_KEP,
        RuleFn::Ingress(path_type_missing),
    ),
    Rule::reported(
        "ingress/path-type-unknown",
        include_str!("../../checks/ingress/path_type_unknown.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| {
            let types = walk::http_paths(ingress)
                .filter_map(|(at, path, _)| Some((at.child("pathType"), path.path_type.as_deref()?)));
            let template = "`{}` is not supported: use Exact, Prefix or ImplementationSpecific";
            found.each(types, must::be_one_of(&["Exact", "Prefix", "ImplementationSpecific"], template))
        }),
    ),
    Rule::reported(
        "ingress/rule-without-paths",
        include_str!("../../checks/ingress/rule_without_paths.md"),
        Actions::WARN,
        RuleFn::Ingress(rule_without_paths),
    ),
    Rule::reported(
        "ingress/specific-path-not-absolute",
        include_str!("../../checks/ingress/specific_path_not_absolute.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| {
            let is_specific = |kind: Option<&str>| kind == Some("ImplementationSpecific");
            let specific = walk::http_paths(ingress).filter(|(_, path, _)| is_specific(path.path_type.as_deref()));
            let paths = specific.filter_map(|(at, path, _)| Some((at.child("path"), path.path.as_deref()?)));
            found.each(paths, must::absolute_path)
        }),
    ),
];

/// Each path of type `Exact` or `Prefix`; the empty text if the path is absent.
fn exact_or_prefix<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    walk::http_paths(ingress).filter_map(|(at, path, _)| Some((at.child("path"), path.exact_or_prefix()?)))
}

/// Each path that is present, of any type.
fn written<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    walk::http_paths(ingress).filter_map(|(at, path, _)| Some((at.child("path"), path.path.as_deref()?)))
}

fn no_paths(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::rules(ingress) {
        if rule.http.as_ref().is_some_and(|http| http.paths.is_empty()) {
            let host = rule.host.as_deref().unwrap_or_default();
            let template = "`http` must have at least one path: add a path, or remove `http`";
            found.add(Cause::Required, at.child("http.paths"), host, template);
        }
    }
}

/// Whether no segment after a `/` is `.` or `..`. The text before the first `/` is not a segment.
fn has_no_dot_segment(path: &str) -> bool {
    let dotted = path.as_bytes().windows(2).any(|bytes| bytes == b"/.");
    !dotted || !path.split('/').skip(1).any(|segment| matches!(segment, "." | ".."))
}

fn has_no_encoded_dot_segment(path: &str) -> bool {
    !path.contains('%') || !path.split('/').any(is_encoded_dot)
}

/// Whether `segment` is `.` or `..` only after percent-decoding.
fn is_encoded_dot(segment: &str) -> bool {
    segment.contains('%') && without_dot(segment).is_some_and(|rest| rest.is_empty() || without_dot(rest) == Some(""))
}

/// `text` without a leading dot, which may be percent-encoded; `None` if it does not start with one.
fn without_dot(text: &str) -> Option<&str> {
    [".", "%2e", "%2E"].into_iter().find_map(|dot| text.strip_prefix(dot))
}

fn path_implementation_specific(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    // An operator writes the Ingress of an ACME solver, and every controller matches its path literally.
    if Mark::of_ingress(ingress) == Mark::AcmeSolver {
        return;
    }
    for (at, path, rule) in walk::http_paths(ingress) {
        if path.path_type.as_deref() != Some("ImplementationSpecific") {
            continue;
        }
        let written = path.path.as_deref().unwrap_or_default();
        let identity = format!("{} {written}", Host::parse(rule.host.as_deref().unwrap_or_default()));
        let template = "`{}` must not have type ImplementationSpecific: use Exact or Prefix";
        found.forbidden(at.child("pathType"), &identity, template).args([written]);
    }
}

fn path_missing(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, path, rule) in walk::http_paths(ingress) {
        if path.exact_or_prefix() == Some("") {
            let route = walk::written_route(rule, path);
            let kind = path.path_type.as_deref().unwrap_or_default();
            found.invalid(at.child("path"), &route, "type {} requires a path: use `/` for all paths").args([kind]);
        }
    }
}

fn path_type_missing(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, path, rule) in walk::http_paths(ingress).filter(|(_, path, _)| path.path_type.is_none()) {
        let route = walk::written_route(rule, path);
        let written = path.path.as_deref().unwrap_or_default();
        let template = match (written, path::pattern_piece(written)) {
            ("", _) if route.is_empty() => "pathType is required: use Prefix with path `/` for all requests",
            ("", _) => "pathType is required for `{}`: use Prefix with path `/` for all requests",
            (_, Some(_)) => "pathType is required for `{}`: ImplementationSpecific keeps patterns",
            (_, None) => "pathType is required for `{}`: set it, for example to Prefix",
        };
        found.add(Cause::Required, at.child("pathType"), &route, template);
    }
}

/// Reports a rule with only a host beside one with only paths: a `-` too many makes two rules of one. With a default backend, the
/// first may be there for its sake.
fn rule_without_paths(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    let is_set = |host: Option<&str>| host.is_some_and(|host| !host.is_empty());
    let has_only_paths =
        ingress.spec.rules.iter().any(|rule| !rule.paths().is_empty() && !is_set(rule.host.as_deref()));
    if ingress.spec.default_backend.is_some() || !has_only_paths {
        return;
    }
    for (at, rule) in walk::rules(ingress).filter(|(_, rule)| rule.http.is_none()) {
        let Some(host) = rule.host.as_deref().filter(|host| is_set(Some(host))) else { continue };
        let template = "rule for {} has no `http`, and another rule has no host: remove the `-` between them";
        found.add(Cause::Required, at.child("http"), host, template);
    }
}
