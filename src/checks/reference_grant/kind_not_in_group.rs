//! `reference-grant/kind-not-in-group`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::reference::{GATEWAY_GROUP, is_spelled_as_resource, kind_of_resource};
use crate::kinds::{Kind, ReferenceGrant, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "reference-grant/kind-not-in-group",
    page: include_str!("kind_not_in_group.md"),
    run: Run::ReferenceGrant(check),
    ..Check::shape(Actions::WARN)
};

/// Groups of which every kind that a grant could name is known here.
const KNOWN_GROUPS: [&str; 2] = ["", GATEWAY_GROUP];

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, group, kind) in walk::reference_grant::kinds(grant).filter(|(_, _, kind)| names::is_kind(kind)) {
        if is_spelled_as_resource(kind) {
            match meant(kind) {
                Some(meant) => {
                    let sentence = "`{}` is the name of a resource; its kind is `{}`";
                    found.invalid(at.then("kind"), kind, sentence).shown([kind, meant])
                }
                None => {
                    let sentence = "`{}` looks like a resource: a kind begins with an upper-case letter";
                    found.invalid(at.then("kind"), kind, sentence)
                }
            };
        }
        let Some(group) = group else { continue };
        if is_version(group) || group == "core" {
            let sentence = r#"`{}` is no API group; the group of Service, Secret and ConfigMap is """#;
            found.invalid(at.then("group"), group, sentence);
        } else if let Some(own) = group_of(kind).filter(|own| *own != group && KNOWN_GROUPS.contains(&group)) {
            let sentence =
                if own.is_empty() { r#"{} is of the core group, which is """# } else { "{} is of the group {}" };
            found.invalid(at.then("group"), group, sentence).shown([kind, own]);
        }
    }
}

/// The kind that is meant by the name of a resource.
fn meant(resource: &str) -> Option<&'static str> {
    kind_of_resource(resource).or(match resource {
        "secret" | "secrets" => Some("Secret"),
        "configmap" | "configmaps" => Some("ConfigMap"),
        _ => None,
    })
}

/// The group of a kind that the core group or the Gateway API has.
fn group_of(kind: &str) -> Option<&'static str> {
    match kind {
        "Secret" | "ConfigMap" => Some(""),
        _ => Kind::ALL.into_iter().map(Kind::api).find(|api| api.kind == kind).map(|api| api.group),
    }
}

/// Whether `text` is written like the version of an API, such as `v1` or `v1beta1`.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or_default();
    number.starts_with(|first: char| first.is_ascii_digit()) && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
