//! One file: its documents, and the objects of our kinds in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::lookalike::Lookalike;
use crate::cluster::{Name, SecretFacts};
use crate::kinds::{Kind, Object, ObjectRef, Secret, decode};

/// The namespace of a manifest that names none, as kubectl has it.
const DEFAULT_NAMESPACE: &str = "default";

/// An object of one of our kinds, as a file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    pub file: Arc<Path>,
    /// The object's place; for one whose name is still to be made its prefix, which a folder makes unique.
    pub place: ObjectRef,
    /// The prefix of a name that the API server is to make.
    pub prefix: Option<Box<str>>,
    /// The object as JSON, with a namespace where its kind has one.
    pub json: Arc<str>,
}

impl Manifest {
    /// The object, or the words of the reader if it is of another shape.
    pub fn object(&self) -> serde_json::Result<Object<'_>> {
        decode(self.place.kind, &self.json)
    }
}

/// Why a file gives no objects.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is neither YAML nor JSON.
    #[error("{}: {message}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The reader's words, with line and column.
        message: String,
    },
    /// One of its objects is written for API servers of old.
    #[error("{}: {kind} of {api_version} is served by no API server since 1.22: use {current}", file.display())]
    Outdated {
        /// The file.
        file: PathBuf,
        /// The object's kind.
        kind: String,
        /// The version that it names.
        api_version: String,
        /// The version that is served.
        current: &'static str,
    },
    /// One of its objects lacks a name.
    #[error("{}: {kind} without metadata.name, or one that is no text", file.display())]
    Nameless {
        /// The file.
        file: PathBuf,
        /// The object's kind.
        kind: Kind,
    },
}

/// The versions of our kinds that API servers no longer know, and the one that took their place.
const OUTDATED: [&str; 2] = ["extensions/v1beta1", "networking.k8s.io/v1beta1"];
const CURRENT: &str = "networking.k8s.io/v1";

/// What a file holds.
#[derive(Debug, Default)]
pub struct Contents {
    /// The objects of our kinds.
    pub manifests: Vec<Manifest>,
    /// Documents that look as if one of our kinds was meant.
    pub lookalikes: Vec<Lookalike>,
    /// What is kept of its Secrets; what is secret in them is not.
    pub secrets: Vec<(Name, SecretFacts)>,
    /// How many documents are of other kinds, those included.
    pub others: usize,
}

/// Reads one file.
pub fn read(file: &Path) -> Result<Contents, FileError> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|source| FileError::Unreadable { file: file.to_owned(), source })?;
    parse(file, &text)
}

/// Reads a text that stands in `file`. Other kinds are counted and skipped; they are other tools' business.
pub fn parse(file: &Path, text: &str) -> Result<Contents, FileError> {
    let malformed = |message: String| FileError::Malformed { file: file.to_owned(), message };
    let documents: Vec<Value> = match text.trim_start().starts_with('{') {
        // JSON first, where it is JSON: the YAML reader is an order of magnitude slower on large lists.
        true => match serde_json::from_str(text) {
            Ok(document) => vec![document],
            Err(_) => yaml(text).map_err(malformed)?,
        },
        false => yaml(text).map_err(malformed)?,
    };
    let shared: Arc<Path> = Arc::from(file);
    let mut contents = Contents::default();
    for document in documents.into_iter().filter(|document| !document.is_null()) {
        open(&shared, document, &mut contents)?;
    }
    Ok(contents)
}

fn yaml(text: &str) -> Result<Vec<Value>, String> {
    serde_saphyr::from_multiple(text).map_err(|error| {
        let place = error.location().map(|place| format!("line {}, column {}: ", place.line(), place.column()));
        let words = error.without_snippet().to_string();
        let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
        format!("{}{words}", place.unwrap_or_default())
    })
}

/// Takes the objects out of a document, and out of the items of a list.
fn open(file: &Arc<Path>, mut document: Value, contents: &mut Contents) -> Result<(), FileError> {
    let text =
        |document: &Value, field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&document, "apiVersion"), text(&document, "kind"));
    if let (Some(_), Some(Value::Array(items))) = (kind.strip_suffix("List"), document.get_mut("items")) {
        let (group, of) = (api_version, kind.trim_end_matches("List"));
        for mut item in std::mem::take(items) {
            inherit(&mut item, &group, of);
            open(file, item, contents)?;
        }
        return Ok(());
    }
    if OUTDATED.contains(&&*api_version) && Kind::of_manifest(CURRENT, &kind).is_some() {
        return Err(FileError::Outdated { file: file.to_path_buf(), kind, api_version, current: CURRENT });
    }
    if (&*api_version, &*kind) == ("v1", "Secret") {
        contents.secrets.extend(secret(&document));
        return Ok(());
    }
    let Some(kind) = Kind::of_manifest(&api_version, &kind) else {
        contents.others += 1;
        contents.lookalikes.extend(Lookalike::of(file, &api_version, &kind));
        return Ok(());
    };
    let (place, prefix) = place(kind, &mut document);
    if place.name.is_empty() {
        return Err(FileError::Nameless { file: file.to_path_buf(), kind });
    }
    contents.manifests.push(Manifest { file: Arc::clone(file), place, prefix, json: document.to_string().into() });
    Ok(())
}

/// What is kept of a Secret; nothing of one without a name.
fn secret(document: &Value) -> Option<(Name, SecretFacts)> {
    let text = |field: &str| document["metadata"][field].as_str().filter(|text| !text.is_empty());
    let place = (text("namespace").unwrap_or(DEFAULT_NAMESPACE).into(), text("name")?.into());
    let facts = match <Secret<'_> as Deserialize>::deserialize(document) {
        Ok(secret) => SecretFacts::of(&secret),
        Err(_) => SecretFacts::of_unreadable(document["type"].as_str()),
    };
    Some((place, facts))
}

/// The items of an `IngressList` need not repeat what they are.
fn inherit(item: &mut Value, api_version: &str, kind: &str) {
    let Value::Object(fields) = item else { return };
    if !kind.is_empty() && !fields.contains_key("kind") {
        fields.insert("kind".into(), kind.into());
        fields.insert("apiVersion".into(), api_version.into());
    }
}

/// The place of an object, whose namespace is written into it where it was left out, and the prefix of its name if that is all there is.
fn place(kind: Kind, document: &mut Value) -> (ObjectRef, Option<Box<str>>) {
    let metadata = document.get_mut("metadata").and_then(Value::as_object_mut);
    let Some(metadata) = metadata else { return (ObjectRef::new(kind, "", ""), None) };
    let is_left_out = |namespace: &Value| namespace.is_null() || namespace.as_str().is_some_and(str::is_empty);
    if kind.api().namespaced && metadata.get("namespace").is_none_or(is_left_out) {
        metadata.insert("namespace".into(), DEFAULT_NAMESPACE.into());
    }
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default();
    let prefix = Some(text("generateName")).filter(|prefix| text("name").is_empty() && !prefix.is_empty());
    (ObjectRef::new(kind, text("namespace"), prefix.unwrap_or(text("name"))), prefix.map(Box::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let contents = parse(Path::new("a.yaml"), text).map_err(|error| error.to_string())?;
        Ok(contents.manifests.iter().map(|manifest| manifest.place.to_string()).collect())
    }

    #[test]
    fn a_version_of_old_is_named_with_the_one_to_use() {
        for (kind, version) in [("Ingress", "extensions/v1beta1"), ("IngressClass", "networking.k8s.io/v1beta1")] {
            let expected =
                format!("a.yaml: {kind} of {version} is served by no API server since 1.22: use networking.k8s.io/v1");
            let one = format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: a}}}}");
            assert_eq!(read(&one), Err(expected.clone()));
            let list = format!("{{apiVersion: {version}, kind: {kind}List, items: [{{metadata: {{name: a}}}}]}}");
            assert_eq!(read(&list), Err(expected));
        }
        assert_eq!(read("{apiVersion: extensions/v1beta1, kind: Deployment}"), Ok(vec![]));
    }

    #[test]
    fn a_name_that_is_still_to_be_made_will_do() {
        for name in ["generateName: a-", "name: '', generateName: a-", "name: null, generateName: a-"] {
            let text = format!("{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{{name}}}}}");
            assert_eq!(read(&text), Ok(vec!["Ingress default/a-".to_owned()]));
        }
    }
}
