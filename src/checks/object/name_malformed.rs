//! `object/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::kinds::schema::ManifestFaults;
use crate::names;
use serde_json::Value;

pub static CHECK: Check = Check {
    id: "object/name-malformed",
    page: include_str!("name_malformed.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

fn check(manifest: &ManifestFaults, cx: &Context<'_>, found: &mut Findings<'_>) {
    let text = |field: &str| manifest.metadata.get(field).and_then(Value::as_str).unwrap_or_default();
    let (name, prefix, namespace) = (text("name"), text("generateName"), text("namespace"));
    // Ingresses and IngressClasses have checks of their own, which webhooks run too.
    let has_own = matches!(cx.this.kind, Kind::Ingress | Kind::IngressClass);
    if !has_own && !name.is_empty() && !names::is_subdomain(name) {
        let sentence = "`{}` is not a valid name: use lower-case letters, digits, `-` and `.`";
        found.invalid(At::field("metadata.name"), name, sentence);
    }
    if cx.this.kind != Kind::Ingress && !prefix.is_empty() && !names::is_subdomain_prefix(prefix) {
        let sentence = "`{}` cannot begin a name: use lower-case letters, digits, `-` and `.`";
        found.invalid(At::field("metadata.generateName"), prefix, sentence);
    }
    if cx.this.kind.api().namespaced && !namespace.is_empty() && !names::is_label(namespace) {
        let sentence = "`{}` is not a valid namespace: use at most 63 lower-case letters, digits and `-`";
        found.invalid(At::field("metadata.namespace"), namespace, sentence);
    }
}
