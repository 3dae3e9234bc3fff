//! The rules for a ReferenceGrant itself.

use std::iter;

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::{At, Child};
use crate::finding::{Actions, Findings};
use crate::kinds::reference::{GATEWAY_GROUP, is_spelled_as_resource, kind_of_resource};
use crate::kinds::reference_grant::{GrantFrom, GrantTo, is_grant_needed};
use crate::kinds::walk::reference_grant as walk;
use crate::kinds::{Kind, ReferenceGrant};
use crate::names;

/// The rules for a ReferenceGrant.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "reference-grant/incomplete",
            include_str!("../checks/reference_grant/incomplete.md"),
            Actions::DENY,
            RuleFn::ReferenceGrant(incomplete),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "reference-grant/reference-malformed",
            include_str!("../checks/reference_grant/reference_malformed.md"),
            Actions::DENY,
            RuleFn::ReferenceGrant(reference_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "reference-grant/namespace-malformed",
            include_str!("../checks/reference_grant/namespace_malformed.md"),
            Actions::DENY,
            RuleFn::ReferenceGrant(namespace_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "reference-grant/too-many-entries",
            include_str!("../checks/reference_grant/too_many_entries.md"),
            Actions::DENY,
            RuleFn::ReferenceGrant(|grant, found| {
                let lists = [("spec.from", grant.spec.from.len()), ("spec.to", grant.spec.to.len())];
                found.each(lists.map(|(list, count)| (At::field(list), count)), must::have_entries(ENTRIES))
            }),
        )
    },
    Rule::reported(
        "reference-grant/kind-not-in-group",
        include_str!("../checks/reference_grant/kind_not_in_group.md"),
        Actions::WARN,
        RuleFn::ReferenceGrant(kind_not_in_group),
    ),
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "reference-grant/without-effect",
            include_str!("../checks/reference_grant/without_effect.md"),
            Actions::WARN,
            RuleFn::ReferenceGrant(without_effect),
        )
    },
];

/// The maximum number of entries in `from`, and in `to`.
const ENTRIES: usize = 16;

/// The groups of which Portcullis knows all kinds that a grant can name.
const KNOWN_GROUPS: [&str; 2] = ["", GATEWAY_GROUP];

fn incomplete(grant: &ReferenceGrant<'_>, found: &mut Findings<'_>) {
    if grant.spec.from.is_empty() {
        found.required(
            At::field("spec.from"),
            "at least one entry is required: list who may refer to objects of this namespace",
        );
    }
    if grant.spec.to.is_empty() {
        found.required(At::field("spec.to"), "at least one entry is required: list what may be referred to");
    }
    let kinds = || walk::kinds(grant);
    let template = "the group is required; \"\" is the core group";
    found.each(kinds().map(|(at, group, _)| (at.child("group"), group)), must::be_given(template));
    let named_kinds = kinds().map(|(at, _, kind)| (at.child("kind"), Some(kind).filter(|kind| !kind.is_empty())));
    found.each(named_kinds, must::be_given("the kind is required"));
    let template = "the namespace is required; a grant cannot name all namespaces";
    for (at, _) in namespaces(grant).filter(|(_, namespace)| namespace.is_empty()) {
        found.required(at, template);
    }
}

/// The namespace of each entry in `from`.
fn namespaces<'g>(grant: &'g ReferenceGrant<'_>) -> impl Iterator<Item = (Child, &'g str)> {
    walk::from(grant).map(|(at, from)| (at.child("namespace"), &*from.namespace))
}

fn reference_malformed(grant: &ReferenceGrant<'_>, found: &mut Findings<'_>) {
    let kinds = || walk::kinds(grant);
    found.each(kinds().filter_map(|(at, group, _)| Some((at.child("group"), group?))), must::api_group);
    let named_kinds = kinds().filter(|(_, _, kind)| !kind.is_empty());
    found.each(named_kinds.map(|(at, _, kind)| (at.child("kind"), kind)), must::kind);
    for (at, name) in walk::to(grant).filter_map(|(at, to)| Some((at.child("name"), to.name.as_deref()?))) {
        match name {
            "" => {
                found.required(at, "the name must not be empty; remove the field to allow all objects of the kind");
            }
            _ => found.each(iter::once((at, name)), must::reference_name),
        }
    }
}

fn namespace_malformed(grant: &ReferenceGrant<'_>, found: &mut Findings<'_>) {
    for (at, namespace) in namespaces(grant).filter(|(_, namespace)| !namespace.is_empty()) {
        match namespace.contains('*') {
            true => {
                let template = "`{}` is not a valid namespace: wildcards are not supported, add an entry for each";
                found.invalid(at, namespace, template);
            }
            false => found.each(iter::once((at, namespace)), must::namespace),
        }
    }
}

fn kind_not_in_group(grant: &ReferenceGrant<'_>, found: &mut Findings<'_>) {
    for (at, group, kind) in walk::kinds(grant).filter(|(_, _, kind)| names::is_kind(kind)) {
        if is_spelled_as_resource(kind) {
            match kind_of(kind) {
                Some(meant) => {
                    let template = "`{}` is the name of a resource; use the kind `{}`";
                    found.invalid(at.child("kind"), kind, template).args([kind, meant])
                }
                None => {
                    let template = "`{}` looks like the name of a resource; a kind starts with an upper-case letter";
                    found.invalid(at.child("kind"), kind, template)
                }
            };
        }
        let Some(group) = group else { continue };
        if !is_spelled_as_resource(kind)
            && let Some(meant) = misspelled(group, kind)
        {
            let template = "`{}` is not a kind of this group; use `{}`";
            found.invalid(at.child("kind"), kind, template).args([kind, meant]);
        }
        if is_version(group) || group == "core" {
            let template = r#"`{}` is not a valid API group; the group of Service, Secret and ConfigMap is """#;
            found.invalid(at.child("group"), group, template);
        } else if let Some(own) = group_of(kind).filter(|own| *own != group && KNOWN_GROUPS.contains(&group)) {
            let template =
                if own.is_empty() { r#"{} is in the core group; use """# } else { "{} is in group {}; use that" };
            found.invalid(at.child("group"), group, template).args([kind, own]);
        }
    }
}

/// The kind of `group` that is meant by a text that is not a kind, but has other capital letters or is a plural, such as `HttpRoute` or
/// `services`.
fn misspelled(group: &str, kind: &str) -> Option<&'static str> {
    let meant = kind_of(&kind.to_ascii_lowercase())?;
    (meant != kind && group_of(meant) == Some(group)).then_some(meant)
}

/// The kind for the name of a resource.
fn kind_of(resource: &str) -> Option<&'static str> {
    kind_of_resource(resource).or(match resource {
        "secret" | "secrets" => Some("Secret"),
        "configmap" | "configmaps" => Some("ConfigMap"),
        _ => None,
    })
}

/// The group of a kind in the core group or the Gateway API.
fn group_of(kind: &str) -> Option<&'static str> {
    match kind {
        "Secret" | "ConfigMap" => Some(""),
        _ => Kind::ALL.into_iter().map(Kind::api).find(|api| api.kind == kind).map(|api| api.group),
    }
}

/// Whether `text` has the form of an API version, such as `v1` or `v1beta1`.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or_default();
    number.starts_with(|first: char| first.is_ascii_digit()) && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn without_effect(grant: &ReferenceGrant<'_>, found: &mut Findings<'_>) {
    let (from, to) = (walk::from(grant), walk::to(grant));
    // An entry that is misspelled says nothing about the others.
    let is_unneeded = |from: &GrantFrom<'_>, to: &GrantTo<'_>| {
        let referrer = (from.group.as_deref().unwrap_or_default(), &*from.kind);
        let referent = (to.group.as_deref().unwrap_or_default(), &*to.kind);
        let is_misspelled = [referrer, referent].into_iter().any(|(group, kind)| misspelled(group, kind).is_some());
        !is_misspelled && is_grant_needed(referrer, referent) == Some(false)
    };
    if grant.spec.from.is_empty() || grant.spec.to.is_empty() {
        return;
    }
    for (at, from) in from.clone() {
        if to.clone().all(|(_, to)| is_unneeded(from, to)) {
            let template = "{} needs no grant for any kind in `to`; remove the entry";
            found.invalid(at.child("kind"), &from.kind, template);
        }
    }
    for (at, to) in to {
        if from.clone().all(|(_, from)| is_unneeded(from, to)) {
            let template = "no kind in `from` needs a grant for {}; remove the entry";
            found.invalid(at.child("kind"), &to.kind, template);
        }
    }
}
