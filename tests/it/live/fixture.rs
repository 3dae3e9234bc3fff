//! The environment of a live trial: a server whose configuration can be changed, and the other objects that a trial
//! needs in the cluster.
//!
//! Only Alice's writes are reviewed. The admin creates the other objects by plain HTTP, which is much faster than
//! kubectl.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use portcullis::files::Manifest;
use portcullis_core::config::{API_VERSION, KIND};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use crate::cluster::server;
use crate::harness::{
    ControlPlane, Http, Kubectl, PortcullisServer, Registration, Webhooks, eventually, process_guard,
};

/// The namespaces that manifests may use.
pub const NAMESPACES: [&str; 3] = ["web", "team-a", "team-b"];

/// The user whose writes are reviewed.
pub const ALICE: &str = "alice";

/// A server with an API server, and helpers to create the other objects.
pub struct ClusterFixture<'c> {
    pub control_plane: &'c ControlPlane,
    pub http: Http,
    /// The client of [`ALICE`].
    pub alice: Http,
    pub server: PortcullisServer,
    config: PathBuf,
    applied: RefCell<Vec<ObjectRef>>,
    versions: RefCell<BTreeMap<Kind, &'static str>>,
    _registered: Registration<'c>,
}

/// The webhooks to register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisteredWebhooks {
    /// Only `/validate`.
    Validate,
    /// `/validate` and `/mutate`.
    Both,
}

impl<'c> ClusterFixture<'c> {
    /// An empty cluster, with a server whose configuration is `config`, given without its first two lines.
    pub fn new(control_plane: &'c ControlPlane, webhook_set: RegisteredWebhooks, config: &str) -> Self {
        Self::with_webhooks(control_plane, webhooks(webhook_set), config)
    }

    /// The same, but the API server waits only as long as the shipped webhooks say.
    pub fn with_shipped_timeout(control_plane: &'c ControlPlane, webhook_set: RegisteredWebhooks) -> Self {
        Self::with_webhooks(control_plane, webhooks(webhook_set).with_shipped_timeout(), "")
    }

    fn with_webhooks(control_plane: &'c ControlPlane, webhooks: Webhooks, config: &str) -> Self {
        let http = control_plane.http();
        let file = process_guard().folder("stage").join("config.yaml");
        write(&file, &head(config));
        NAMESPACES.iter().for_each(|name| add_namespace(&http, name));
        let server =
            server(control_plane, &["--config", file.to_str().expect("the folder of the trials has a plain name")]);
        let registered = control_plane.register(&server, webhooks);
        Self {
            control_plane,
            http,
            alice: control_plane.http_as(ALICE),
            server,
            config: file,
            applied: RefCell::default(),
            versions: RefCell::default(),
            _registered: registered,
        }
    }

    /// Creates a namespace in addition to [`NAMESPACES`], unless it exists.
    pub fn add_namespace(&self, name: &str) {
        add_namespace(&self.http, name);
    }

    /// Changes the configuration and waits until it is in use.
    pub fn configure(&self, config: &str) {
        let config = head(config);
        if fs::read_to_string(&self.config).is_ok_and(|now| now == config) {
            return;
        }
        let in_effect = || self.server.log().matches("configuration reloaded").count();
        let before = in_effect();
        write(&self.config, &config);
        eventually("the configuration is in force", || in_effect() > before);
        self.settle();
    }

    /// Creates these objects and waits until the server knows them. Fails with the response of the API server if it
    /// refuses one of them.
    pub fn set(&self, manifests: &[Manifest]) -> Result<(), Value> {
        for manifest in manifests {
            self.track(&manifest.object_ref);
            self.store(manifest)?;
        }
        self.settle_kinds(manifests.iter().map(|manifest| manifest.object_ref.kind));
        Ok(())
    }

    /// The same for a YAML text, none of which may be refused.
    pub fn set_text(&self, yaml: &str) {
        self.set(&manifests(yaml)).unwrap_or_else(|answer| panic!("refused: {answer}\n{yaml}"));
    }

    /// Records an object that may be created, so that [`ClusterFixture::clear`] deletes it.
    pub fn track(&self, object_ref: &ObjectRef) {
        self.applied.borrow_mut().push(object_ref.clone());
    }

    fn store(&self, manifest: &Manifest) -> Result<(), Value> {
        let (object_ref, json) = (&manifest.object_ref, manifest.json.to_string());
        let (status, answer) = match object_ref.kind {
            Kind::Namespace => self.relabel(object_ref, json),
            _ => match self.http.post(&list_of(manifest), json.clone()) {
                (422, _) if self.stores_without_annotations(manifest) => self.http.put(&path_of(manifest), json),
                answer => answer,
            },
        };
        if status < 300 { Ok(()) } else { Err(answer) }
    }

    /// The object of a manifest with the resource version of the stored object, so that it can replace it.
    pub fn replacement(&self, manifest: &Manifest) -> Value {
        let (_, stored) = self.http.get(&path_of(manifest));
        let stored: Value = serde_json::from_str(&stored).unwrap_or_default();
        let mut object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
        object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
        object
    }

    /// The API server compares the class annotation with the field only at creation. So an object that it refuses may
    /// still be stored in two steps, of which the second adds the annotations.
    fn stores_without_annotations(&self, manifest: &Manifest) -> bool {
        let mut object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
        let annotations = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("annotations"));
        annotations.is_some() && self.http.post(&list_of(manifest), object.to_string()).0 == 201
    }

    /// Replaces a Namespace and creates another one, since a watch that has delivered the second has also delivered the
    /// first.
    fn relabel(&self, object_ref: &ObjectRef, json: String) -> (u16, Value) {
        let answer = self.http.put(&path_in(object_ref, "v1"), json);
        self.http.post("/api/v1/namespaces", namespace(&self.control_plane.unique("later")).to_string());
        answer
    }

    /// Deletes all recorded objects and all labels of the namespaces, and waits until the server has seen this.
    pub fn clear(&self) {
        let applied = self.applied.take();
        for object_ref in &applied {
            match object_ref.kind {
                Kind::Namespace => self.relabel(object_ref, namespace(&object_ref.name).to_string()),
                kind => match self.version(kind) {
                    Some(version) => self.http.delete(&path_in(object_ref, version)),
                    None => continue,
                },
            };
        }
        self.settle_kinds(applied.iter().map(|object_ref| object_ref.kind));
    }

    /// Waits until the server knows as many objects as exist, for each kind that it needs. [`ClusterFixture::clear`]
    /// runs between two scenarios, so equal numbers mean equal objects.
    pub fn settle(&self) {
        self.settle_kinds(Kind::ALL.into_iter());
    }

    /// The same for these kinds, if no object of another one was written.
    fn settle_kinds(&self, kinds: impl Iterator<Item = Kind>) {
        let kinds: BTreeSet<Kind> = kinds.collect();
        if kinds.is_empty() {
            return;
        }
        let counts: Vec<_> = kinds.into_iter().map(|kind| (kind.resource(), self.count(kind))).collect();
        let health = self.server.health();
        let alive = std::net::TcpStream::connect(self.server.health).is_ok();
        assert!(
            alive,
            "Portcullis has ended:\n{}",
            self.server.log().lines().rev().take(8).collect::<Vec<_>>().join("\n")
        );
        eventually("Portcullis knows what is stored", || {
            let (_, output) = health.get("/readyz?verbose");
            counts.iter().all(|(plural, count)| {
                let about =
                    output.lines().find(|line| line.split(' ').next().is_some_and(|name| &name[3..] == *plural));
                let known = count
                    .map_or("CRD not installed in a supported version".to_owned(), |count| format!("{count} known"));
                about.is_none_or(|line| line.split(", ").next() == Some(&format!("[+]{plural} ok: {known}")))
            })
        });
    }

    /// The number of objects of the kind; `None` if the kind is not served.
    fn count(&self, kind: Kind) -> Option<usize> {
        let (_, list) = self.served(kind)?;
        let list: Value = serde_json::from_str(&list).expect("a list is JSON");
        let metadata = &list["metadata"];
        let is_cut = metadata["continue"].as_str().is_some_and(|token| !token.is_empty());
        let more = metadata["remainingItemCount"].as_u64();
        assert!(more.is_some() || !is_cut, "the API server does not count {}", kind.resource());
        let more = more.unwrap_or_default();
        list["items"].as_array().map(|items| items.len() + usize::try_from(more).expect("few objects"))
    }

    /// Whether the kind is served in any version.
    pub fn serves(&self, kind: Kind) -> bool {
        self.version(kind).is_some()
    }

    /// The newest version in which the kind is served, or was served before its CRD was deleted.
    fn version(&self, kind: Kind) -> Option<&'static str> {
        let known = self.versions.borrow().get(&kind).copied();
        known.or_else(|| self.served(kind).map(|(version, _)| version))
    }

    /// The newest version in which the kind is served, and the list of its objects, of which only the first is in it.
    fn served(&self, kind: Kind) -> Option<(&'static str, String)> {
        kind.api().versions.iter().find_map(|version| {
            let (status, list) = self.http.get(&format!("{}?limit=1", all_of(kind, version)));
            (status != 404).then(|| {
                self.versions.borrow_mut().insert(kind, version);
                (*version, list)
            })
        })
    }

    /// kubectl as Alice, who has all permissions.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        self.control_plane.kubectl(words).acting_as(ALICE).in_group("system:masters")
    }
}

/// The URL path of the object in a manifest, in the manifest's version.
pub fn path_of(manifest: &Manifest) -> String {
    path_in(&manifest.object_ref, &version_of(manifest))
}

/// The object as an argument of kubectl, with the group to make its kind unambiguous.
pub fn words_for(object_ref: &ObjectRef) -> String {
    let (api, ObjectRef { namespace, name, .. }) = (object_ref.kind.api(), object_ref);
    let dot = if api.group.is_empty() { "" } else { "." };
    let flag = if namespace.is_empty() { String::new() } else { format!(" --namespace={namespace}") };
    format!("{}{dot}{}/{name}{flag}", api.plural, api.group)
}

/// The URL path of the object's list, in the manifest's version.
pub fn list_of(manifest: &Manifest) -> String {
    list_in(&manifest.object_ref, &version_of(manifest))
}

/// The API version of a manifest.
pub fn version_of(manifest: &Manifest) -> String {
    let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
    let api_version = object["apiVersion"].as_str().expect("a manifest has an apiVersion");
    api_version.rsplit('/').next().unwrap_or_default().to_owned()
}

fn path_in(object_ref: &ObjectRef, version: &str) -> String {
    format!("{}/{}", list_in(object_ref, version), object_ref.name)
}

fn list_in(object_ref: &ObjectRef, version: &str) -> String {
    let api = object_ref.kind.api();
    match api.namespaced {
        true => format!("{}/namespaces/{}/{}", prefix(object_ref.kind, version), object_ref.namespace, api.plural),
        false => all_of(object_ref.kind, version),
    }
}

fn all_of(kind: Kind, version: &str) -> String {
    format!("{}/{}", prefix(kind, version), kind.api().plural)
}

fn prefix(kind: Kind, version: &str) -> String {
    match kind.api().group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    }
}

fn add_namespace(http: &Http, name: &str) {
    let (status, answer) = http.post("/api/v1/namespaces", namespace(name).to_string());
    assert!(matches!(status, 201 | 409), "{status} {answer}");
}

fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

fn webhooks(webhook_set: RegisteredWebhooks) -> Webhooks {
    let shipped = match webhook_set {
        RegisteredWebhooks::Both => Webhooks::all(),
        RegisteredWebhooks::Validate => Webhooks::validating(),
    };
    shipped.by_user(ALICE)
}

/// A configuration with its first two lines, unless it already has them.
fn head(config: &str) -> String {
    match config.starts_with("apiVersion:") {
        true => config.to_owned(),
        false => format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}"),
    }
}

/// Replaces a file atomically, as a mounted ConfigMap changes.
fn write(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).expect("our folder is writable");
    fs::rename(&new, file).expect("our folder is writable");
}
