//! Extracts the objects of the supported kinds from a document and from the items of a list.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::assertion::is_assertion;
use super::cause::UnreadCause;
use super::config_map::config_map_facts;
use super::contents::FileContents;
use super::crd;
use super::creators::created;
use super::document::Document;
use super::kustomization::Kustomization;
use super::manifest::{Manifest, Origin};
use super::resemblance::{Resemblance, resemblance};
use super::secret::secret_facts;
use super::unevaluated::{of_kustomization, unevaluated};
use super::unread::Unread;
use portcullis_core::cluster::Name;
use portcullis_core::kinds::retired::Retired;
use portcullis_core::kinds::{Kind, ObjectRef};

/// Where a value is written, and what it gets if it does not say so itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentLocation<'s> {
    /// The file.
    pub file: &'s Arc<Path>,
    /// The document, and the item if it is a list.
    pub origin: &'s Origin,
    /// The namespace of objects that name none.
    pub namespace: &'s str,
}

/// Extracts the objects from a document and, if it is a list, from its items.
pub(super) fn open_document(location: DocumentLocation<'_>, mut document: Document, contents: &mut FileContents) {
    let (api_version, kind) = (text(&document.value, "apiVersion"), text(&document.value, "kind"));
    if let Some(of) = kind.strip_suffix("List")
        && let Some(items) = document.take_items()
    {
        return open_items(location, items, (&api_version, of), contents);
    }
    open(location, document.into_value(), contents);
}

fn open_items(
    location: DocumentLocation<'_>,
    items: impl Iterator<Item = Value>,
    (api_version, kind): (&str, &str),
    contents: &mut FileContents,
) {
    for (index, mut item) in items.enumerate() {
        if !item.is_object() {
            let message = format!("an item of a `{kind}List` is not an object");
            contents.unread.push(Unread::of_file(location.file, UnreadCause::NoObject, message));
            continue;
        }
        inherit(&mut item, api_version, kind);
        open(DocumentLocation { origin: &location.origin.item(index), ..location }, item, contents);
    }
}

fn text(document: &Value, field: &str) -> String {
    document.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Extracts the object from a value, or the objects of a nested list.
fn open(location: DocumentLocation<'_>, mut document: Value, contents: &mut FileContents) {
    let (api_version, kind) = (text(&document, "apiVersion"), text(&document, "kind"));
    if let (Some(of), Some(Value::Array(items))) = (kind.strip_suffix("List"), document.get_mut("items")) {
        return open_items(location, std::mem::take(items).into_iter(), (&api_version, of), contents);
    }
    if is_assertion(location.file, &document) {
        contents.no_objects += 1;
        return;
    }
    if let Some(Retired { kind, current, since }) = Retired::of(&api_version, &kind) {
        let (named, _) = object_ref(kind, location.namespace, &mut document);
        let words = format!("{named} of {api_version} is not served since {since}: use {current}");
        let unread = Unread::of_object(location.file, UnreadCause::RetiredVersion, words, &named, &document);
        let unstored = Some(Box::new(manifest(location, named, &document)));
        return contents.unread.push(Unread { unstored, ..unread });
    }
    match (&*api_version, &*kind) {
        ("v1", "Secret") => {
            return contents
                .secrets
                .extend(name(location.namespace, &document).map(|name| (name, secret_facts(&document))));
        }
        ("v1", "ConfigMap") => {
            contents.others += 1;
            contents.unevaluated.extend(unevaluated(&document, location.namespace));
            return contents
                .config_maps
                .extend(name(location.namespace, &document).map(|name| (name, config_map_facts(&document))));
        }
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => {
            contents.others += 1;
            return contents.schemas.extend(crd::schema(&document));
        }
        _ => {}
    }
    let Some(kind) = Kind::of_manifest(&api_version, &kind) else { return pass_over(location, &document, contents) };
    // Secrets that cert-manager creates are not in files.
    if kind == Kind::Certificate {
        contents.created.extend(created(&document));
    }
    let lacks_namespace = kind.api().namespaced && lacks_namespace(&document);
    let (object_ref, prefix) = object_ref(kind, location.namespace, &mut document);
    if object_ref.name.is_empty() {
        let words = format!("{kind} without metadata.name, or with one that is not text");
        let unread = Unread::of_object(location.file, UnreadCause::Nameless, words, &object_ref, &document);
        let namespace = if kind.api().namespaced && object_ref.namespace.is_empty() {
            location.namespace
        } else {
            &*object_ref.namespace
        };
        let unnamed = ObjectRef::new(kind, namespace, NO_NAME);
        let unstored = Some(Box::new(manifest(location, unnamed, &document)));
        return contents.unread.push(Unread { unstored, ..unread });
    }
    contents.manifests.push(Manifest { prefix, lacks_namespace, ..manifest(location, object_ref, &document) });
}

/// Stands for the name of an object that has none. No object can have it.
const NO_NAME: &str = "<no name>";

fn manifest(location: DocumentLocation<'_>, object_ref: ObjectRef, document: &Value) -> Manifest {
    let (file, json, origin) = (Arc::clone(location.file), document.to_string().into(), location.origin.clone());
    Manifest { file, object_ref, prefix: None, lacks_namespace: false, json, origin }
}

/// Counts a document that contains no object of a supported kind, or records it as unread if it may contain one.
fn pass_over(
    DocumentLocation { file, namespace, .. }: DocumentLocation<'_>,
    document: &Value,
    contents: &mut FileContents,
) {
    match resemblance(file, document) {
        Resemblance::OtherKind => {
            contents.others += 1;
            contents.created.extend(created(document));
            contents.unevaluated.extend(unevaluated(document, namespace));
        }
        Resemblance::NoObject => {
            contents.no_objects += usize::from(!document.is_null());
            // Neither `apiVersion` nor `kind` is required in the file of a kustomization.
            let is_kustomization = Kustomization::is_named(Path::new(&**file)) && document.is_object();
            contents.unevaluated.extend(is_kustomization.then(|| of_kustomization(document)));
        }
        Resemblance::Ours(doubt) => contents.unread.push(Unread::of_doubt(file, doubt, document)),
    }
}

/// The namespace and the name of an object; `None` if it has no name.
fn name(namespace: &str, document: &Value) -> Option<Name> {
    let text = |field: &str| document["metadata"][field].as_str().filter(|text| !text.is_empty());
    Some((text("namespace").unwrap_or(namespace).into(), text("name")?.into()))
}

/// Gives an item of a typed list, such as an `IngressList`, the kind and API version of the list if it names no kind.
fn inherit(item: &mut Value, api_version: &str, kind: &str) {
    let Value::Object(fields) = item else { return };
    if !kind.is_empty() && !fields.contains_key("kind") {
        fields.insert("kind".into(), kind.into());
        fields.insert("apiVersion".into(), api_version.into());
    }
}

fn lacks_namespace(document: &Value) -> bool {
    document["metadata"]["namespace"].as_str().is_none_or(str::is_empty)
}

/// The reference to an object, and its `generateName` if it has no name. Adds `namespace` to an object that
/// lacks its namespace.
fn object_ref(kind: Kind, namespace: &str, document: &mut Value) -> (ObjectRef, Option<Box<str>>) {
    let metadata = document.get_mut("metadata").and_then(Value::as_object_mut);
    let Some(metadata) = metadata else { return (ObjectRef::new(kind, "", ""), None) };
    let is_left_out = |namespace: &Value| namespace.is_null() || namespace.as_str().is_some_and(str::is_empty);
    if kind.api().namespaced && metadata.get("namespace").is_none_or(is_left_out) {
        metadata.insert("namespace".into(), namespace.into());
    }
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default();
    let prefix = Some(text("generateName")).filter(|prefix| text("name").is_empty() && !prefix.is_empty());
    (ObjectRef::new(kind, text("namespace"), prefix.unwrap_or(text("name"))), prefix.map(Box::from))
}
