//! The rules for objects of any kind: their metadata, and the parts of a manifest that the schema of its kind rejects.

use serde_json::Value;

use super::{Rule, RuleFn, validators as must};
use crate::field::{At, FieldPath, Segment};
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::decisive::decides;
use crate::kinds::retired::Retired;
use crate::kinds::schema::{ManifestErrors, SchemaError, UnknownField, Violation};
use crate::kinds::size::{MAX_ENTRIES, MAX_INCLUDES};
use crate::kinds::{DecodeError, Kind, KindSet, Object, Size};
use crate::names;

/// The rules for an object of any kind.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "object/field-experimental",
        include_str!("../checks/object/field_experimental.md"),
        Actions::WARN,
        RuleFn::Manifest(field_experimental),
    ),
    Rule::reported(
        "object/field-missing",
        include_str!("../checks/object/field_missing.md"),
        Actions::DENY,
        RuleFn::Manifest(field_missing),
    ),
    Rule::reported(
        "object/label-malformed",
        include_str!("../checks/object/label_malformed.md"),
        Actions::DENY,
        RuleFn::Manifest(label_malformed),
    ),
    Rule::reported(
        "object/name-malformed",
        include_str!("../checks/object/name_malformed.md"),
        Actions::DENY,
        RuleFn::Manifest(name_malformed),
    ),
    Rule::reported(
        "object/owner-incomplete",
        include_str!("../checks/object/owner_incomplete.md"),
        Actions::DENY,
        RuleFn::Manifest(owner_incomplete),
    ),
    Rule::reported(
        "object/too-large",
        include_str!("../checks/object/too_large.md"),
        Actions::DENY,
        RuleFn::Object(too_large),
    ),
    Rule::reported(
        "object/type-mismatch",
        include_str!("../checks/object/type_mismatch.md"),
        Actions::DENY,
        RuleFn::Manifest(type_mismatch),
    ),
    Rule::reported(
        "object/unknown-field",
        include_str!("../checks/object/unknown_field.md"),
        Actions::WARN,
        RuleFn::Manifest(unknown_field),
    ),
    Rule::reported(
        "object/unreadable",
        include_str!("../checks/object/unreadable.md"),
        Actions::DENY,
        RuleFn::Unreadable(UNREADABLE, unreadable),
    ),
    Rule::reported(
        "object/value-not-allowed",
        include_str!("../checks/object/value_not_allowed.md"),
        Actions::DENY,
        RuleFn::Manifest(value_not_allowed),
    ),
    Rule::reported(
        "object/version-retired",
        include_str!("../checks/object/version_retired.md"),
        Actions::DENY,
        RuleFn::Manifest(version_retired),
    ),
];

fn field_experimental(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    let Some((bundle, missing)) = &manifest.missing else { return };
    for (at, name) in missing {
        let template = "`{}` is not in Gateway API {}: the API server drops or rejects it";
        found.not_supported(at.clone(), name, template).args([*name, &**bundle]);
    }
}

fn field_missing(manifest: &ManifestErrors, kind: Kind, found: &mut Findings<'_>) {
    let kind = kind.api().kind;
    for Violation { at, fault } in &manifest.violations {
        if let SchemaError::Missing(name) = fault {
            let template = "`{}` is required: the API server rejects this {} without it";
            found.add(Cause::Required, at.clone(), name, template).args([name, kind]);
        }
    }
}

fn label_malformed(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    let metadata = At::field("metadata");
    let (labels, annotations) = (metadata.child("labels"), metadata.child("annotations"));
    found.each(entries(manifest, "labels").map(|(key, _)| (labels.entry(key), key)), must::label_key);
    let values = entries(manifest, "labels").filter(|(key, _)| names::is_label_key(key));
    found.each(values.map(|(key, value)| (labels.entry(key), value)), must::label_value);
    found.each(entries(manifest, "annotations").map(|(key, _)| (annotations.entry(key), key)), must::annotation_key);
    let bytes: usize = entries(manifest, "annotations").map(|(key, value)| key.len() + value.len()).sum();
    if bytes > ANNOTATIONS {
        let template = "the annotations have {} bytes; at most 262144 are allowed";
        found.too_long(annotations, &bytes.to_string(), template);
    }
}

/// The maximum total size of an object's annotations in bytes, including keys and values.
const ANNOTATIONS: usize = 256 * 1024;

/// The entries of a map in the metadata. A value that is not a string appears as the empty text.
fn entries<'m>(manifest: &'m ManifestErrors, field: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let map = manifest.metadata.get(field).and_then(Value::as_object);
    map.into_iter().flatten().map(|(key, value)| (&**key, value.as_str().unwrap_or_default()))
}

fn name_malformed(manifest: &ManifestErrors, kind: Kind, found: &mut Findings<'_>) {
    let text = |field: &str| manifest.metadata.get(field).and_then(Value::as_str).unwrap_or_default();
    // Ingresses and IngressClasses have their own rules, which also run in webhooks.
    if !matches!(kind, Kind::Ingress | Kind::IngressClass) {
        found.each([(At::field("metadata.name"), text("name"))], must::dns_subdomain);
    }
    if kind != Kind::Ingress {
        found.each([(At::field("metadata.generateName"), text("generateName"))], must::name_prefix);
    }
    // An Ingress without a name has a rule of its own, and a stored object always has one.
    if kind != Kind::Ingress && manifest.metadata.is_object() && text("generateName").is_empty() {
        found.each([(At::field("metadata.name"), text("name"))], must::not_be_empty("a name is required"));
    }
    let namespace = Some(text("namespace")).filter(|namespace| kind.api().namespaced && !namespace.is_empty());
    found.each(namespace.map(|namespace| (At::field("metadata.namespace"), namespace)), must::namespace);
}

fn owner_incomplete(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    let owners = manifest.metadata.get("ownerReferences").and_then(Value::as_array).into_iter().flatten();
    let mut controller = None;
    for (index, owner) in owners.enumerate() {
        let at = At::element("metadata.ownerReferences[]", [index]);
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        for field in ["apiVersion", "kind", "name", "uid"].into_iter().filter(|field| text(field).is_empty()) {
            let template = "owner `{}` has no `{}`: the API server rejects the object without it";
            found.add(Cause::Required, at.child(field), field, template).args([text("name"), field]);
        }
        let is_version = |version: &str| version.matches('/').count() <= 1;
        let template = "`{}` is not a valid apiVersion: use `version` or `group/version`";
        found.each([(at.child("apiVersion"), text("apiVersion"))], must::be(is_version, template));
        if owner.get("controller").and_then(Value::as_bool).unwrap_or_default()
            && let Some(first) = controller.replace(text("name"))
        {
            let template = "owner `{}` must not be the controller: owner `{}` already is";
            found.duplicate(at.child("controller"), text("name"), template).args([text("name"), first]);
        }
    }
}

fn too_large(object: &Object<'_>, found: &mut Findings<'_>) {
    let Some(size) = Size::of(object) else { return };
    if size.includes > MAX_INCLUDES {
        let args = [size.includes, MAX_INCLUDES].map(|count| count.to_string());
        let template = "{} includes; at most {} are allowed: split them over several objects";
        found.too_long(At::field("spec.includes"), "includes", template).args(args);
    }
    if size.entries > MAX_ENTRIES {
        let args = [size.entries, MAX_ENTRIES].map(|count| count.to_string());
        let template = "{} entries; at most {} are allowed: split them over several objects";
        found.too_long(At::field("spec"), "entries", template).args(args);
    }
}

fn type_mismatch(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    for Violation { at, fault } in &manifest.violations {
        if let SchemaError::Mistyped { expected, written } = fault {
            found.invalid(at.clone(), written, "must be {}, not {}").args([expected, written]);
        }
    }
}

/// The current place of a field that an older version or a design document had, or that is often written one level too high.
fn moved(kind: Kind, at: &FieldPath, name: &str) -> Option<&'static str> {
    let parent = at.segments().iter().rev().nth(1);
    let is_in = |field: &str| parent.is_some_and(|parent| matches!(parent, Segment::Field(own) if own == field));
    match name {
        "selector" if is_in("allowedRoutes") => Some("namespaces.selector"),
        "apiVersion" if is_in("parametersRef") => Some("group"),
        _ if kind != Kind::Ingress => None,
        // KEP-758 has `class`, and v1beta1 `backend`.
        "class" if is_in("spec") => Some("ingressClassName"),
        "backend" if is_in("spec") => Some("defaultBackend"),
        "serviceName" => Some("service.name"),
        "servicePort" => Some("service.port.number"),
        "number" if is_in("service") => Some("port.number"),
        "paths" if !is_in("http") => Some("http.paths"),
        _ => None,
    }
}

/// Whether one of the segments of `at` is the field `name`.
fn is_below(at: &FieldPath, name: &str) -> bool {
    at.segments().iter().any(|segment| matches!(segment, Segment::Field(own) if own == name))
}

fn unknown_field(manifest: &ManifestErrors, kind: Kind, found: &mut Findings<'_>) {
    for UnknownField { at, name, like } in &manifest.unknown {
        if let Some(current) = moved(kind, at, name) {
            let group = kind.api().group;
            let template = "unknown field `{}`: in {}/v1 it is `{}`";
            found.invalid(at.clone(), name, template).args([name, group, current]);
            continue;
        }
        match like {
            _ if name == "namespace" => {
                let template = "unknown field `{}`: the reference is to an object in the same namespace";
                found.invalid(at.clone(), name, template);
            }
            Some(like) => {
                found.invalid(at.clone(), name, "unknown field `{}`; did you mean `{}`?").args([name, like]);
            }
            None if kind == Kind::IngressRoute && is_below(at, "service") => {
                found.invalid(at.clone(), name, "unknown field `{}` is stored and ignored: remove it");
            }
            None => {
                found.invalid(at.clone(), name, "unknown field `{}`: the API server drops or rejects it");
            }
        }
    }
}

/// All kinds except IngressRoute, which has its own rule because no API server rejects one before it calls webhooks.
const UNREADABLE: KindSet = KindSet::EVERY.without(KindSet::of(&[Kind::IngressRoute]));

fn unreadable(error: &DecodeError, kind: Kind, found: &mut Findings<'_>) {
    let (name, message) = (kind.api().kind, &error.message);
    let finding = found.invalid(error.at.clone(), message, "cannot be read as {}: {}").args([name, message]);
    if !decides(kind, &error.at) {
        finding.only_warns();
    }
}

fn value_not_allowed(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    for Violation { at, fault } in &manifest.violations {
        match fault {
            SchemaError::Empty => {
                found.invalid(at.clone(), "", "must not be empty");
            }
            SchemaError::NotAllowed { value, allowed } => {
                let template = "`{}` is not supported: use {}";
                found.not_supported(at.clone(), value, template).args([value, allowed]);
            }
            SchemaError::Missing(_) | SchemaError::Mistyped { .. } => {}
        }
    }
}

fn version_retired(manifest: &ManifestErrors, _: Kind, found: &mut Findings<'_>) {
    if let Some((written, Retired { current, since, .. })) = &manifest.retired {
        let template = "{} is not served since {}: use {}";
        // Of one group, the versions alone say it.
        let versions = match (written.split_once('/'), current.split_once('/')) {
            (Some((own, written)), Some((group, current))) if own == group => [written, *since, current],
            _ => [written.as_str(), *since, *current],
        };
        found.not_supported(At::field("apiVersion"), written, template).args(versions);
    }
}
