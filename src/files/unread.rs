//! Documents that are not read, why, and which objects they may contain.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde_json::Value;

use super::cause::UnreadCause;
use super::lookalike::meant;
use super::manifest::Manifest;
use super::resemblance::{Doubt, is_of_tool};
use portcullis_core::kinds::{DecodeError, Kind, KindSet, ObjectRef};
use portcullis_core::report::Position;

/// A document, or a whole file, that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The path of the file or folder.
    pub file: Arc<Path>,
    /// The cause, by which a report groups its counts.
    pub cause: UnreadCause,
    /// The error message, with line and column if the parser reports them.
    pub message: String,
    /// The reference to the object, if it is known.
    pub object: Option<ObjectRef>,
    /// The kinds of which the document may contain objects.
    pub kinds: KindSet,
    /// Whether the document may contain a Secret or a ConfigMap.
    pub offline: OfflineDoubt,
    /// The hosts of the object; `None` if the object may have any host.
    pub hosts: Option<Vec<String>>,
    /// The number of the document in its file, counted from 1.
    pub document: Option<usize>,
    /// The object, if it can be checked, but no API server stores it so that others can refer to it: it has no name, or a version that is
    /// no longer served.
    pub unstored: Option<Box<Manifest>>,
    /// The position of the error, or of the document.
    pub position: Option<Position>,
}

/// Whether a document may contain objects of the kinds that are known from files only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OfflineDoubt {
    /// Whether it may contain a Secret.
    pub secret: bool,
    /// Whether it may contain a ConfigMap.
    pub config_map: bool,
}

impl OfflineDoubt {
    /// The same answer for each of the kinds.
    const fn each(may_contain: bool) -> Self {
        Self { secret: may_contain, config_map: may_contain }
    }
}

impl Unread {
    /// For a text that cannot be parsed: it may contain objects of each kind that it names.
    pub(super) fn of_text(file: &Arc<Path>, cause: UnreadCause, message: String, text: &str) -> Self {
        let (kinds, offline) = kinds(file, text);
        Self { kinds, offline, ..Self::of_file(file, cause, message) }
    }

    /// For a file or folder of which nothing is known.
    pub(super) fn of_file(file: &Arc<Path>, cause: UnreadCause, message: String) -> Self {
        let kinds = KindSet::EVERY;
        let (file, offline) = (Arc::clone(file), OfflineDoubt::each(true));
        Self {
            file,
            cause,
            message,
            object: None,
            kinds,
            offline,
            hosts: None,
            document: None,
            unstored: None,
            position: None,
        }
    }

    /// For a document that was not read at another time, of which nothing else is known.
    pub fn elsewhere(file: Arc<Path>, cause: UnreadCause, message: String) -> Self {
        let (kinds, offline) = (KindSet::EMPTY, OfflineDoubt::default());
        Self { kinds, offline, ..Self::of_file(&file, cause, message) }
    }

    /// For a document that may be meant as an object of a supported kind.
    pub(super) fn of_doubt(file: &Arc<Path>, doubt: Doubt, value: &Value) -> Self {
        let (kinds, offline) = (doubt.kinds(), OfflineDoubt::each(doubt.meant.is_none()));
        let hosts = doubt.meant.and_then(|kind| hosts(kind, value));
        let Doubt { cause, message, .. } = doubt;
        Self { kinds, offline, hosts, ..Self::of_file(file, cause, message) }
    }

    /// For an object that cannot be decoded as its kind.
    pub fn of_manifest(manifest: &Manifest) -> Self {
        let Manifest { file, object_ref, json, .. } = manifest;
        let message = format!("{object_ref} cannot be read: {}", DecodeError::of(object_ref.kind, json));
        let value = serde_json::from_str(json).unwrap_or_default();
        let unread = Self::of_object(file, UnreadCause::WrongType, message, object_ref, &value);
        Self { document: manifest.is_in_file().then_some(manifest.origin.document), ..unread }
    }

    /// For another definition of an object than the one that counts, which is in the file `first`.
    pub(super) fn of_definition(manifest: &Manifest, first: &Path) -> Self {
        let Manifest { file, object_ref, origin, .. } = manifest;
        let message = format!("{object_ref} is already defined in {}, with other content", first.display());
        let unread = Self::of_object(file, UnreadCause::OtherDefinition, message, object_ref, &Value::Null);
        // The object itself is known.
        Self { kinds: KindSet::EMPTY, document: Some(origin.document), ..unread }
    }

    /// For an object in a version that its CRD does not serve.
    pub fn of_unserved(manifest: &Manifest, message: String) -> Self {
        let value = serde_json::from_str(&manifest.json).unwrap_or_default();
        let cause = UnreadCause::UnservedVersion;
        let unread = Self::of_object(&manifest.file, cause, message, &manifest.object_ref, &value);
        Self { document: Some(manifest.origin.document), ..unread }
    }

    /// For an object whose reference is known; its hosts are taken from `value`.
    pub(super) fn of_object(
        file: &Arc<Path>,
        cause: UnreadCause,
        message: String,
        object: &ObjectRef,
        value: &Value,
    ) -> Self {
        let (kinds, hosts) = (KindSet::of(&[object.kind]), hosts(object.kind, value));
        let object = Some(object.clone());
        Self { object, kinds, offline: OfflineDoubt::default(), hosts, ..Self::of_file(file, cause, message) }
    }

    /// Whether it may contain an object of one of `kinds` that affects requests for `host`.
    pub fn may_concern(&self, kinds: KindSet, host: &str) -> bool {
        let is_of_kinds = self.kinds.iter().any(|kind| kinds.contains(kind));
        is_of_kinds && self.hosts.as_ref().is_none_or(|hosts| hosts.iter().any(|named| covers(named, host)))
    }
}

/// Matches a field `kind` and its value, in YAML and JSON, in any letter case.
static KIND: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r#"\b[kK](?i:ind)["']?[ \t]*:[ \t]*["']?([A-Za-z]+)"#));

/// Words of which every part of an object of a supported kind contains at least one.
static WORDS: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(api_?version|kind|metadata|spec|items|rules|defaultBackend|ingressClassName|hostnames|listeners|parentRefs|virtualhost)\b",
    )
});

/// The kinds that a text names, and whether it may contain a Secret or a ConfigMap. If the text names no kind but may be part of an
/// object, or names a list kind, it may contain objects of all kinds.
fn kinds(file: &Path, text: &str) -> (KindSet, OfflineDoubt) {
    let named: Vec<&str> = match &*KIND {
        Ok(field) => field.captures_iter(text).filter_map(|found| found.get(1)).map(|kind| kind.as_str()).collect(),
        Err(_) => Vec::new(),
    };
    let is_part = || !is_of_tool(file) && WORDS.as_ref().is_ok_and(|words| words.is_match(text));
    let is_list = |name: &&str| name.to_lowercase().ends_with("list");
    let may_be_any = named.iter().any(is_list) || named.is_empty() && is_part();
    let is_named =
        |kind: &Kind| may_be_any || named.iter().any(|name| meant("", name) == Some(*kind) || *name == kind.api().kind);
    let kinds = Kind::ALL.into_iter().filter(is_named);
    let may_contain = |kind: &str| may_be_any || named.contains(&kind);
    let offline = OfflineDoubt { secret: may_contain("Secret"), config_map: may_contain("ConfigMap") };
    (kinds.collect(), offline)
}

/// The hosts that an object names. `None` if it may affect other hosts too; an annotation about aliases may add hosts.
fn hosts(kind: Kind, object: &Value) -> Option<Vec<String>> {
    let spec = &object["spec"];
    let annotations = object["metadata"]["annotations"].as_object();
    if annotations.is_some_and(|annotations| annotations.keys().any(|key| key.contains("alias"))) {
        return None;
    }
    let named: Vec<&Value> = match kind {
        Kind::Ingress if spec["defaultBackend"].is_null() && spec["backend"].is_null() => {
            spec["rules"].as_array()?.iter().map(|rule| &rule["host"]).collect()
        }
        Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute => spec["hostnames"].as_array()?.iter().collect(),
        Kind::Gateway | Kind::ListenerSet => {
            spec["listeners"].as_array()?.iter().map(|listener| &listener["hostname"]).collect()
        }
        Kind::IngressRoute | Kind::HttpProxy => vec![&spec["virtualhost"]["fqdn"]],
        _ => return None,
    };
    let hosts: Option<Vec<String>> = named.into_iter().map(|host| host.as_str().map(str::to_owned)).collect();
    hosts.filter(|hosts| !hosts.is_empty())
}

/// Whether `named`, a host or a wildcard in any spelling, may match `host`.
fn covers(named: &str, host: &str) -> bool {
    match named.rsplit_once('*') {
        Some((_, suffix)) => host.to_ascii_lowercase().ends_with(&suffix.to_ascii_lowercase()),
        None => named.is_empty() || named.eq_ignore_ascii_case(host),
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_concerns_the_kinds_that_it_names() {
        let file = Arc::from(Path::new("a.yaml"));
        let unread = |text: &str| Unread::of_text(&file, UnreadCause::Malformed, String::new(), text);
        let kinds = KindSet::of(&[Kind::Ingress, Kind::Service]);
        assert!(unread("kind: Ingress\nspec: [").may_concern(kinds, "a.example.com"));
        for (text, expected) in [
            ("kind: Deployment\nspec: [", false),
            ("docs: !!python [", false),
            ("kind: [", true),
            ("{{ $kind }}: a", true),
            ("apiVersion: networking.k8s.io/v1\nmetadata: [", true),
            ("spec: {rules: [", true),
            ("    rules:\n  - host: [", true),
            ("Kind: ingress\nspec: [", true),
            ("services: {web: [", false),
            (r#"{"kind" :"Ingress", "#, true),
            ("kind: List\nitems: [", true),
            ("kind: Deployment\nspec: {sidecar: {kind: 'Service", true),
        ] {
            assert_eq!(unread(text).may_concern(kinds, "a.example.com"), expected, "{text}");
        }
        let of_host = |host: &str| Unread { hosts: Some(vec![host.to_owned()]), ..unread("kind: Ingress") };
        for (named, expected) in [("A.example.com", true), ("b.example.com", false), ("*.example.com", true)] {
            assert_eq!(of_host(named).may_concern(kinds, "a.example.com"), expected, "{named}");
        }
    }

    #[test]
    fn an_object_concerns_the_hosts_that_it_names() {
        let cases = [
            (Kind::Ingress, r#"{"rules": [{"host": "b.example.com"}]}"#, false),
            (Kind::Ingress, r#"{"rules": [{"host": "b.example.com"}, {"http": {}}]}"#, true),
            (Kind::Ingress, r#"{"rules": [{"host": "b.example.com"}], "defaultBackend": {}}"#, true),
            (Kind::Ingress, r#"{"rules": []}"#, true),
            (Kind::HttpRoute, r#"{"hostnames": ["b.example.com"]}"#, false),
            (Kind::HttpRoute, "{}", true),
            (Kind::Gateway, r#"{"listeners": [{"hostname": "*.example.com"}]}"#, true),
            (Kind::HttpProxy, r#"{"virtualhost": {"fqdn": "b.example.com"}}"#, false),
            (Kind::HttpProxy, "{}", true),
            (Kind::Service, "{}", true),
        ];
        for (kind, spec, expected) in cases {
            let object: Value = serde_json::from_str(&format!(r#"{{"spec": {spec}}}"#)).expect("JSON");
            let (file, object_ref) = (Arc::from(Path::new("a")), ObjectRef::new(kind, "web", "a"));
            let unread = Unread::of_object(&file, UnreadCause::WrongType, String::new(), &object_ref, &object);
            assert_eq!(unread.may_concern(KindSet::EVERY, "a.example.com"), expected, "{kind} {spec}");
        }
    }
}
