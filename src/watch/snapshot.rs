//! The lists of a cluster as a compressed JSON document, for checks where no cluster can be reached. It contains what
//! checks read of the kinds that they look up: no Secrets, and no `managedFields`.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use super::api_versions::ApiVersions;
use super::list::manifest;
use super::lists::{KindList, Lists};
use crate::files::{Unread, UnreadCause};
use portcullis_core::bundle::{Bundle, InstalledSchema};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::report::Position;

/// The `apiVersion` and the `kind` of a snapshot.
const API_VERSION: &str = "snapshot.portcullis.dev/v1";
const KIND: &str = "ClusterSnapshot";
/// The maximum size of a snapshot once it is unpacked: 100,000 objects of 10 KiB, which is several times what an Ingress or a route
/// has. A file of a megabyte can unpack to a thousand times its size.
const MAX_UNPACKED: u64 = 1 << 30;
/// The annotation in which kubectl repeats the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Why a file cannot be used as a snapshot.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file is not compressed, or it ends early.
    #[error("not a snapshot, or an incomplete one")]
    Compression(#[from] io::Error),
    /// The content is longer than this.
    #[error("is larger than {0} MiB unpacked")]
    TooLarge(u64),
    /// The content is not that of a snapshot.
    #[error("not a snapshot")]
    Content(#[from] serde_json::Error),
    /// Another program or another release wrote it.
    #[error("not a snapshot that this version reads: it is {0} {1}, and {API_VERSION} {KIND} is required")]
    Version(String, String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'d> {
    api_version: String,
    kind: String,
    created: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    api_versions: Option<ApiVersions>,
    #[serde(borrow)]
    lists: Vec<ListDocument<'d>>,
    /// The documents that were not read. A release that did not write them read clusters, or forgot them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unread: Vec<UnreadEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListDocument<'d> {
    group: String,
    kind: String,
    state: State,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bundle: Option<BundleDocument>,
    /// The namespaces of which all objects are listed, if not all objects are.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    namespaces: BTreeSet<Box<str>>,
    #[serde(borrow, default)]
    objects: Vec<std::borrow::Cow<'d, RawValue>>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum State {
    Listed,
    Partial,
    NotServed,
    Forbidden,
}

#[derive(Serialize, Deserialize)]
struct BundleDocument {
    version: String,
    channel: String,
    supported: bool,
    /// Whether an API server has validated the objects. A release that did not write it took snapshots of clusters only.
    #[serde(default = "is_enforced")]
    enforced: bool,
}

const fn is_enforced() -> bool {
    true
}

/// A document that was not read.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnreadEntry {
    file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The label of the cause.
    cause: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<ObjectEntry>,
    /// The kinds of which it may contain objects.
    kinds: Vec<KindEntry>,
}

#[derive(Serialize, Deserialize)]
struct KindEntry {
    group: String,
    kind: String,
}

#[derive(Serialize, Deserialize)]
struct ObjectEntry {
    #[serde(flatten)]
    kind: KindEntry,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
}

impl KindEntry {
    fn of(kind: Kind) -> Self {
        let api = kind.api();
        Self { group: api.group.to_owned(), kind: api.kind.to_owned() }
    }

    /// The kind; `None` if this release does not know it.
    fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| (kind.api().group, kind.api().kind) == (&*self.group, &*self.kind))
    }
}

impl UnreadEntry {
    fn of(unread: &Unread) -> Self {
        let object = unread.object.as_ref().map(|object| {
            let (namespace, name) = (object.namespace.clone(), object.name.clone());
            ObjectEntry { kind: KindEntry::of(object.kind), namespace, name }
        });
        Self {
            file: unread.file.display().to_string(),
            document: unread.document,
            line: unread.position.map(|position| position.line),
            column: unread.position.map(|position| position.column),
            cause: unread.cause.label().to_owned(),
            message: unread.message.clone(),
            object,
            kinds: unread.kinds.iter().map(KindEntry::of).collect(),
        }
    }

    fn unread(self) -> Unread {
        let object =
            self.object.and_then(|object| Some(ObjectRef::new(object.kind.kind()?, &object.namespace, &object.name)));
        let position = self.line.zip(self.column).map(|(line, column)| Position { line, column });
        let kinds = self.kinds.iter().filter_map(KindEntry::kind).collect();
        let (file, cause) = (Arc::from(Path::new(&self.file)), UnreadCause::of_label(&self.cause));
        Unread { object, kinds, document: self.document, position, ..Unread::elsewhere(file, cause, self.message) }
    }
}

impl Lists {
    /// Writes a snapshot that was taken at `created`.
    pub fn save(&self, created: Timestamp, to: impl Write) -> io::Result<()> {
        let lists = self.kinds.iter().map(|(kind, list)| self.document(*kind, list)).collect::<Result<_, _>>()?;
        let (api_version, kind) = (API_VERSION.to_owned(), KIND.to_owned());
        let (api_versions, unread) = (self.api_versions.clone(), self.unread.iter().map(UnreadEntry::of).collect());
        let document = Document { api_version, kind, created, api_versions, lists, unread };
        let mut encoder = GzEncoder::new(to, Compression::default());
        serde_json::to_writer(&mut encoder, &document)?;
        encoder.finish()?.flush()
    }

    fn document(&self, kind: Kind, list: &KindList) -> serde_json::Result<ListDocument<'static>> {
        let (state, objects, namespaces) = match list {
            KindList::NotServed => (State::NotServed, &[][..], BTreeSet::new()),
            KindList::Forbidden => (State::Forbidden, &[][..], BTreeSet::new()),
            KindList::Objects(objects) => (State::Listed, &**objects, BTreeSet::new()),
            KindList::Partial { objects, namespaces } => (State::Partial, &**objects, namespaces.clone()),
        };
        let objects = objects.iter().map(|object| reduced(kind, &object.json)).collect::<Result<_, _>>()?;
        let schema = self.schemas.iter().find(|(of, _)| *of == kind).map(|(_, schema)| schema);
        let bundle = schema.map(|schema| {
            let named = schema.bundle.to_string();
            let (version, channel) = named.split_once(' ').unwrap_or((&named, ""));
            let InstalledSchema { supported, enforced, .. } = *schema;
            BundleDocument { version: version.to_owned(), channel: channel.to_owned(), supported, enforced }
        });
        let api = kind.api();
        let (group, kind) = (api.group.to_owned(), api.kind.to_owned());
        Ok(ListDocument { group, kind, state, bundle, namespaces, objects })
    }

    /// Reads a snapshot, and the time at which it was taken. Kinds that this version does not know are left out.
    pub fn load(from: impl Read) -> Result<(Self, Timestamp), SnapshotError> {
        Self::load_at_most(from, MAX_UNPACKED)
    }

    fn load_at_most(from: impl Read, max: u64) -> Result<(Self, Timestamp), SnapshotError> {
        let text = unpacked(from, max)?;
        let document: Document<'_> = serde_json::from_slice(&text)?;
        if (&*document.api_version, &*document.kind) != (API_VERSION, KIND) {
            return Err(SnapshotError::Version(document.api_version, document.kind));
        }
        let unread = document.unread.into_iter().map(UnreadEntry::unread).collect();
        let mut lists = Self { api_versions: document.api_versions, unread, ..Self::default() };
        for list in document.lists {
            let is_it = |kind: &Kind| (kind.api().group, kind.api().kind) == (&*list.group, &*list.kind);
            let Some(kind) = Kind::ALL.into_iter().find(is_it) else { continue };
            let schema = list.bundle.and_then(|bundle| {
                let BundleDocument { version, channel, supported, enforced } = bundle;
                Some(InstalledSchema { bundle: Bundle::parse(&version, &channel)?, enforced, supported })
            });
            lists.schemas.extend(schema.map(|schema| (kind, schema)));
            let objects = list.objects.iter().filter_map(|item| manifest(kind, item)).collect();
            let read = match list.state {
                State::NotServed => KindList::NotServed,
                State::Forbidden => KindList::Forbidden,
                State::Listed => KindList::Objects(objects),
                State::Partial => KindList::Partial { objects, namespaces: list.namespaces },
            };
            lists.kinds.push((kind, read));
        }
        Ok((lists, document.created))
    }
}

/// The content of a compressed file, of which at most one byte more than `max` is unpacked.
fn unpacked(from: impl Read, max: u64) -> Result<Vec<u8>, SnapshotError> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(from).take(max + 1).read_to_end(&mut bytes)?;
    if read as u64 > max { Err(SnapshotError::TooLarge(max >> 20)) } else { Ok(bytes) }
}

/// The object without what no check reads. The status of a Service names its load balancer.
fn reduced(kind: Kind, json: &str) -> serde_json::Result<std::borrow::Cow<'static, RawValue>> {
    let mut object: Value = serde_json::from_str(json)?;
    if let Some(fields) = object.as_object_mut().filter(|_| kind != Kind::Service) {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
        }
    }
    Ok(std::borrow::Cow::Owned(serde_json::value::to_raw_value(&object)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_core::kinds::KindSet;

    fn lists() -> Lists {
        let object = |name: &str| {
            let json = format!(
                r#"{{"metadata":{{"namespace":"web","name":"{name}","managedFields":[{{"a":1}}],"annotations":{{"{LAST_APPLIED}":"x","a":"b"}}}},"spec":{{}},"status":{{"a":1}}}}"#
            );
            let raw = RawValue::from_string(json).expect("JSON");
            manifest(Kind::Ingress, &raw).expect("it has a name")
        };
        let kinds = vec![
            (Kind::Ingress, KindList::Objects(vec![object("a"), object("b")])),
            (Kind::HttpRoute, KindList::NotServed),
            (Kind::Gateway, KindList::Forbidden),
            (Kind::Service, KindList::Partial { objects: vec![object("c")], namespaces: [Box::from("web")].into() }),
        ];
        let schema = InstalledSchema::of_crd("v1.6.3", "experimental");
        let unapplied = InstalledSchema { enforced: false, ..schema };
        let schemas = vec![(Kind::HttpRoute, unapplied), (Kind::Gateway, schema)];
        let api_versions = ApiVersions { kubernetes: "v1.37.0".to_owned(), apis: vec!["a/v1".to_owned()] };
        let file = Arc::from(Path::new("a.yaml"));
        let unread = Unread {
            object: Some(ObjectRef::new(Kind::Ingress, "web", "a")),
            kinds: KindSet::of(&[Kind::Ingress]),
            document: Some(2),
            position: Some(Position { line: 3, column: 4 }),
            ..Unread::elsewhere(file, UnreadCause::Malformed, "line 3".to_owned())
        };
        Lists { kinds, schemas, api_versions: Some(api_versions), unread: vec![unread] }
    }

    #[test]
    fn a_snapshot_is_read_as_it_was_written() {
        let (mut bytes, now) = (Vec::new(), Timestamp::UNIX_EPOCH);
        lists().save(now, &mut bytes).expect("memory");
        let (read, created) = Lists::load(&*bytes).expect("a snapshot");
        let written = lists();
        assert_eq!((created, read.schemas, read.api_versions), (now, written.schemas, written.api_versions));
        assert_eq!(read.unread, written.unread);
        let states: Vec<&str> = read
            .kinds
            .iter()
            .map(|(_, list)| match list {
                KindList::Objects(objects) => {
                    let expected = r#"{"metadata":{"annotations":{"a":"b"},"name":"a","namespace":"web"},"spec":{}}"#;
                    assert_eq!((objects.len(), &*objects[0].json), (2, expected));
                    "objects"
                }
                KindList::NotServed => "not served",
                KindList::Forbidden => "forbidden",
                KindList::Partial { objects, namespaces } => {
                    assert_eq!((objects.len(), namespaces), (1, &BTreeSet::from([Box::from("web")])));
                    "partial"
                }
            })
            .collect();
        assert_eq!(states, ["objects", "not served", "forbidden", "partial"]);
    }

    #[test]
    fn a_snapshot_of_an_earlier_release_is_read() {
        let text = r#"{"apiVersion": "snapshot.portcullis.dev/v1", "kind": "ClusterSnapshot", "created": "2026-01-01T00:00:00Z", "lists": [
            {"group": "gateway.networking.k8s.io", "kind": "Gateway", "state": "listed",
             "bundle": {"version": "v1.6", "channel": "standard", "supported": true}}]}"#;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("memory");
        let (read, _) = Lists::load(&*encoder.finish().expect("memory")).expect("a snapshot");
        assert_eq!(read.schemas, [(Kind::Gateway, InstalledSchema::of_crd("v1.6.0", "standard"))]);
        assert_eq!(read.unread, []);
    }

    /// Zeros that are compressed a thousandfold. What is behind the limit is not even decompressed: it is damaged here.
    #[test]
    fn a_bomb_is_not_unpacked() {
        const LIMIT: u64 = 2 << 20;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; 64 << 20]).expect("memory");
        let mut bomb = encoder.finish().expect("memory");
        let half = bomb.len() / 2;
        bomb[half..].fill(0xff);
        let error = Lists::load_at_most(&*bomb, LIMIT).expect_err("it is too large");
        assert!(matches!(error, SnapshotError::TooLarge(2)), "{error:?}");
        assert_eq!(error.to_string(), "is larger than 2 MiB unpacked");

        let mut bytes = Vec::new();
        lists().save(Timestamp::UNIX_EPOCH, &mut bytes).expect("memory");
        let mut text = String::new();
        let length = GzDecoder::new(&*bytes).read_to_string(&mut text).expect("memory") as u64;
        assert!(Lists::load_at_most(&*bytes, length).is_ok(), "the limit itself is allowed");
        assert!(matches!(Lists::load_at_most(&*bytes, length - 1), Err(SnapshotError::TooLarge(0))));
    }

    #[test]
    fn another_file_is_not_a_snapshot() {
        let mut bytes = Vec::new();
        lists().save(Timestamp::UNIX_EPOCH, &mut bytes).expect("memory");
        assert!(matches!(Lists::load(&bytes[..bytes.len() / 2]), Err(SnapshotError::Compression(_))));
        assert!(matches!(Lists::load(&b"apiVersion: v1"[..]), Err(SnapshotError::Compression(_))));
        let packed = |text: &str| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).expect("memory");
            encoder.finish().expect("memory")
        };
        assert!(matches!(Lists::load(&*packed("{}")), Err(SnapshotError::Content(_))));
        let other = r#"{"apiVersion": "snapshot.portcullis.dev/v2", "kind": "ClusterSnapshot", "created": "2026-01-01T00:00:00Z", "lists": []}"#;
        assert!(matches!(Lists::load(&*packed(other)), Err(SnapshotError::Version(..))));
    }
}
