//! The rules for a BackendTLSPolicy itself.

use std::iter;

use hashbrown::HashSet;

use super::{Rule, RuleFn, object_reference, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::backend_tls_policy::SubjectAltName;
use crate::kinds::reference::TargetRef;
use crate::kinds::walk::backend_tls_policy as walk;
use crate::kinds::walk::reference::Reference;
use crate::kinds::{BackendTlsPolicy, extension};
use crate::names;

/// The rules for a BackendTLSPolicy.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/incomplete",
            include_str!("../checks/backend_tls_policy/incomplete.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(incomplete),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/reference-malformed",
            include_str!("../checks/backend_tls_policy/reference_malformed.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(reference_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/hostname-malformed",
            include_str!("../checks/backend_tls_policy/hostname_malformed.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(hostname_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/too-many",
            include_str!("../checks/backend_tls_policy/too_many.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(too_many),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/option-too-long",
            include_str!("../checks/backend_tls_policy/option_too_long.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(|policy, found| {
                let options = At::field("spec").child("options");
                let values = policy.spec.options.iter().map(|(key, value)| (options.entry(key), value));
                found.each(values, must::have_characters(OPTION))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/trust-missing",
            include_str!("../checks/backend_tls_policy/trust_missing.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(trust_missing),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/trust-ambiguous",
            include_str!("../checks/backend_tls_policy/trust_ambiguous.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(trust_ambiguous),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/subject-alt-name-type-unknown",
            include_str!("../checks/backend_tls_policy/subject_alt_name_type_unknown.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(subject_alt_name_type_unknown),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/subject-alt-name-mismatch",
            include_str!("../checks/backend_tls_policy/subject_alt_name_mismatch.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(subject_alt_name_mismatch),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/subject-alt-name-malformed",
            include_str!("../checks/backend_tls_policy/subject_alt_name_malformed.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(subject_alt_name_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/target-repeated",
            include_str!("../checks/backend_tls_policy/target_repeated.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(target_repeated),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "backend-tls-policy/target-section-missing",
            include_str!("../checks/backend_tls_policy/target_section_missing.md"),
            Actions::DENY,
            RuleFn::BackendTlsPolicy(target_section_missing),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "backend-tls-policy/target-kind-unknown",
            include_str!("../checks/backend_tls_policy/target_kind_unknown.md"),
            Actions::WARN,
            RuleFn::BackendTlsPolicy(target_kind_unknown),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "backend-tls-policy/authority-kind-unknown",
            include_str!("../checks/backend_tls_policy/authority_kind_unknown.md"),
            Actions::WARN,
            RuleFn::BackendTlsPolicy(authority_kind_unknown),
        )
    },
];

/// The field with the name that the backend's certificate must have.
const HOSTNAME: &str = "spec.validation.hostname";
/// The maximum number of characters in the value of an option.
const OPTION: usize = 4096;
/// The maximum number of characters in a URI.
const URI: usize = 253;

fn incomplete(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    if policy.spec.target_refs.is_empty() {
        found.required(At::field("spec.targetRefs"), "at least one Service is required");
    }
    for (at, target) in walk::references(policy) {
        let reference = Reference::target(at, target);
        let kind = reference.kind.filter(|kind| !kind.is_empty());
        object_reference::group_and_kind(&Reference { kind, ..reference }, found);
        let name = Some(reference.name).filter(|name| name.is_empty());
        found.each(name.map(|name| (at.child("name"), name)), must::reference_name);
    }
    if policy.spec.validation.hostname.is_empty() {
        found.required(At::field(HOSTNAME), "the hostname on the certificate of the backend is required");
    }
}

fn reference_malformed(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::references(policy) {
        let Reference { group, kind, name, .. } = Reference::target(at, target);
        found.each(group.map(|group| (at.child("group"), group)), must::api_group);
        let kind = kind.filter(|kind| !kind.is_empty());
        found.each(kind.map(|kind| (at.child("kind"), kind)), must::kind);
        let name = Some(name).filter(|name| !name.is_empty());
        found.each(name.map(|name| (at.child("name"), name)), must::reference_name);
        let section = target.section_name.as_deref();
        found.each(section.map(|section| (at.child("sectionName"), section)), must::section_name);
    }
}

fn hostname_malformed(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    match &*policy.spec.validation.hostname {
        "" => {}
        wildcard if names::is_wildcard(wildcard) => {
            found.invalid(At::field(HOSTNAME), wildcard, "`{}` is a wildcard; use exactly one hostname");
        }
        hostname => found.each([(At::field(HOSTNAME), hostname)], must::exact_hostname),
    }
}

fn too_many(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let (spec, validation) = (&policy.spec, &policy.spec.validation);
    let lists = [
        ("spec.targetRefs", spec.target_refs.len(), 16),
        ("spec.options", spec.options.iter().count(), 16),
        ("spec.validation.caCertificateRefs", validation.ca_certificate_refs.len(), 8),
        ("spec.validation.subjectAltNames", validation.subject_alt_names.len(), 5),
    ];
    for (list, count, most) in lists {
        found.each(iter::once((At::field(list), count)), must::have_entries(most));
    }
}

fn trust_missing(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let validation = &policy.spec.validation;
    if validation.ca_certificate_refs.is_empty() && validation.well_known().is_none() {
        let template = "no certificate authority is trusted: set caCertificateRefs, or wellKnownCACertificates: System";
        found.required(At::field("spec.validation"), template);
    }
}

fn trust_ambiguous(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let validation = &policy.spec.validation;
    if let (false, Some(well_known)) = (validation.ca_certificate_refs.is_empty(), validation.well_known()) {
        let at = At::field("spec.validation.wellKnownCACertificates");
        found.forbidden(at, well_known, "{} and caCertificateRefs must not both be set: remove one of them");
    }
}

/// The hostname and the URI of a name, each `None` if it is empty.
fn hostname_and_uri<'n>(name: &'n SubjectAltName<'_>) -> [Option<&'n str>; 2] {
    [&name.hostname, &name.uri].map(|text| text.as_deref().filter(|text| !text.is_empty()))
}

fn subject_alt_name_type_unknown(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let types = || walk::subject_alt_names(policy).map(|(at, name)| (at.child("type"), &*name.kind));
    for (at, _) in types().filter(|(_, kind)| kind.is_empty()) {
        found.required(at, "the type is required: Hostname or URI");
    }
    found.each(types(), must::one_of(&["Hostname", "URI"], "`{}` is not supported: use Hostname or URI"));
}

fn subject_alt_name_mismatch(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    for (at, name) in walk::subject_alt_names(policy) {
        let [hostname, uri] = hostname_and_uri(name);
        let (own, field, other) = match &*name.kind {
            "Hostname" => (hostname, "hostname", uri.map(|uri| ("uri", uri))),
            "URI" => (uri, "uri", hostname.map(|hostname| ("hostname", hostname))),
            // Another rule reports an unknown type.
            _ => continue,
        };
        if own.is_none() {
            found.required(at.child(field), "the field is required with type {}").args([&*name.kind]);
        }
        if let Some((field, value)) = other {
            let template = "`{}` must not be set with type {}";
            found.forbidden(at.child(field), value, template).args([value, &*name.kind]);
        }
    }
}

fn subject_alt_name_malformed(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    for (at, name) in walk::subject_alt_names(policy) {
        let [hostname, uri] = hostname_and_uri(name);
        found.each(hostname.map(|hostname| (at.child("hostname"), hostname)), must::exact_or_wildcard_hostname);
        let uri = uri.map(|uri| (at.child("uri"), uri));
        found.each(uri, must::have_characters(URI));
        found.each(uri.filter(|(_, uri)| !names::is_too_long(uri)), must::absolute_uri);
    }
}

fn target_repeated(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, target) in walk::targets(policy) {
        let section = target.section_name.as_deref().unwrap_or_default();
        if !seen.insert((target.object_key(), section)) && !target.name.is_empty() {
            let named =
                if section.is_empty() { target.name.to_string() } else { format!("{}, port {section}", target.name) };
            found.duplicate(at, &named, "{} is already a target of this policy");
        }
    }
}

fn target_section_missing(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    let section = |target: &TargetRef<'_>| target.section_name.as_deref().is_some_and(|section| !section.is_empty());
    let targets = walk::targets(policy);
    let with_section: HashSet<_> =
        targets.clone().filter(|(_, target)| section(target)).map(|(_, target)| target.object_key()).collect();
    for (at, target) in targets.filter(|(_, target)| !section(target)) {
        if with_section.contains(&target.object_key()) {
            let template = "a sectionName is required: another entry for {} has one";
            found.required(at.child("sectionName"), template).args([&*target.name]);
        }
    }
}

fn target_kind_unknown(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::targets(policy) {
        let (group, kind) = (target.group(), target.kind_or(""));
        // Another rule reports a malformed group or kind, and only an implementation knows its own kinds.
        if group.contains('.') || !names::is_group(group) || !names::is_kind(kind) || target.is_service() {
            continue;
        }
        match kind {
            "Service" if group.is_empty() => {}
            "Service" => {
                found.invalid(at.child("group"), group, "group `{}` has no kind Service: use group \"\"");
            }
            _ => {
                let template = "a policy must not target a {}: use the Service of the backend";
                found.not_supported(at.child("kind"), kind, template);
            }
        }
    }
}

fn authority_kind_unknown(policy: &BackendTlsPolicy<'_>, found: &mut Findings<'_>) {
    for (at, reference) in walk::authorities(policy) {
        let (group, kind) = (reference.group(), reference.kind_or("ConfigMap"));
        // Another rule reports a malformed kind, and only an implementation knows the content of its own kinds.
        if !names::is_kind(kind) || group.contains('.') {
            continue;
        }
        match (group, kind, extension::group_of(kind)) {
            ("", "ConfigMap" | "Secret", _) => {}
            (_, "ConfigMap" | "Secret", _) => {
                let template = "group `{}` has no kind {}: use group \"\"";
                found.invalid(at.child("group"), group, template).args([group, kind]);
            }
            ("", _, Some(own)) => {
                let template = "group \"\" has no kind {}: use group {}";
                found.invalid(at.child("group"), group, template).args([kind, own]);
            }
            (_, _, Some(own)) => {
                let template = "group `{}` has no kind {}: use group {}";
                found.invalid(at.child("group"), group, template).args([group, kind, own]);
            }
            // In the core group, no other kind contains certificates that may be public.
            _ => {
                let template = "a {} does not hold CA certificates: use a ConfigMap with the key ca.crt";
                found.not_supported(at.child("kind"), kind, template);
            }
        }
    }
}
