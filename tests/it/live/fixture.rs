//! The stage of a live trial: a gate whose configuration can be changed, and the rest of the cluster as a trial wants it.
//!
//! Only Alice's writes go to the gate. The admin sets the scene unseen, by plain HTTP, which is much quicker than kubectl.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use portcullis::files::Manifest;
use portcullis_core::config::{API_VERSION, KIND};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use crate::cluster::gate;
use crate::harness::{
    ControlPlane, Http, Kubectl, PortcullisServer, Registration, Webhooks, eventually, process_guard,
};

/// The namespaces that manifests on the stage may name.
pub const NAMESPACES: [&str; 3] = ["web", "team-a", "team-b"];

/// The user whose writes are reviewed.
pub const ALICE: &str = "alice";

/// A gate before an API server, and who sets the scene for it.
pub struct ClusterFixture<'c> {
    pub cp: &'c ControlPlane,
    pub http: Http,
    pub gate: PortcullisServer,
    config: PathBuf,
    applied: RefCell<Vec<ObjectRef>>,
    _registered: Registration<'c>,
}

/// Which of the two webhooks are registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doors {
    /// `/validate` alone.
    Validate,
    /// Both.
    Both,
}

impl<'c> ClusterFixture<'c> {
    /// An empty stage, whose gate has the configuration `config` (what follows its first two lines).
    pub fn new(cp: &'c ControlPlane, doors: Doors, config: &str) -> Self {
        let http = cp.http();
        let file = process_guard().folder("stage").join("config.yaml");
        write(&file, &head(config));
        NAMESPACES.iter().for_each(|name| add_namespace(&http, name));
        let gate = gate(cp, &["--config", file.to_str().expect("the folder of the trials has a plain name")]);
        let registered = cp.register(&gate, webhooks(doors));
        Self { cp, http, gate, config: file, applied: RefCell::default(), _registered: registered }
    }

    /// Makes a namespace that manifests on the stage may name beside [`NAMESPACES`], if it is not there yet.
    pub fn add_namespace(&self, name: &str) {
        add_namespace(&self.http, name);
    }

    /// Puts a configuration into force and waits until it is.
    pub fn configure(&self, config: &str) {
        let config = head(config);
        if fs::read_to_string(&self.config).is_ok_and(|now| now == config) {
            return;
        }
        let in_force = || self.gate.log().matches("configuration reloaded").count();
        let before = in_force();
        write(&self.config, &config);
        eventually("the configuration is in force", || in_force() > before);
        self.settle();
    }

    /// Sets the scene with these objects and waits until the gate knows them; what the API server says of one that it
    /// does not take.
    pub fn set(&self, manifests: &[Manifest]) -> Result<(), Value> {
        for manifest in manifests {
            self.stands(&manifest.object_ref);
            self.store(manifest)?;
        }
        self.settle();
        Ok(())
    }

    /// The same from a text, all of which must be taken.
    pub fn set_text(&self, yaml: &str) {
        self.set(&manifests(yaml)).unwrap_or_else(|answer| panic!("refused: {answer}\n{yaml}"));
    }

    /// Notes an object to be taken off the stage, if it comes to stand there.
    pub fn stands(&self, object_ref: &ObjectRef) {
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

    /// Replaces an object by what a manifest says, whatever its version is by now; `query` is what follows the path.
    pub fn replace(&self, manifest: &Manifest, query: &str) -> (u16, Value) {
        let path = path_of(manifest);
        let (_, stored) = self.http.get(&path);
        let stored: Value = serde_json::from_str(&stored).unwrap_or_default();
        let mut object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
        object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
        self.http.put(&format!("{path}{query}"), object.to_string())
    }

    /// The API server compares the class annotation with the field at creation only; so two steps lead where one does
    /// not.
    fn stores_without_annotations(&self, manifest: &Manifest) -> bool {
        let mut object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
        let annotations = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("annotations"));
        annotations.is_some() && self.http.post(&list_of(manifest), object.to_string()).0 == 201
    }

    /// Replaces a Namespace, then makes another one: who has seen the second has seen the first.
    fn relabel(&self, object_ref: &ObjectRef, json: String) -> (u16, Value) {
        let answer = self.http.put(&path_in(object_ref, "v1"), json);
        self.http.post("/api/v1/namespaces", namespace(&self.cp.unique("later")).to_string());
        answer
    }

    /// Takes every object off the stage, and every label off the namespaces, and waits until the gate has seen them go.
    pub fn clear(&self) {
        let applied = self.applied.take();
        for object_ref in &applied {
            match object_ref.kind {
                Kind::Namespace => self.relabel(object_ref, namespace(&object_ref.name).to_string()),
                kind => match self.served(kind) {
                    Some((version, _)) => self.http.delete(&path_in(object_ref, version)),
                    None => continue,
                },
            };
        }
        if !applied.is_empty() {
            self.settle();
        }
    }

    /// Waits until the gate knows as many objects as there are, of each kind that it needs. Between two scenes lies
    /// [`ClusterFixture::clear`], so that equal numbers are equal objects.
    pub fn settle(&self) {
        let counts = Kind::ALL.map(|kind| (kind.resource(), self.count(kind)));
        let health = self.gate.health();
        let alive = std::net::TcpStream::connect(self.gate.health).is_ok();
        assert!(alive, "the gate has ended:\n{}", self.gate.log().lines().rev().take(8).collect::<Vec<_>>().join("\n"));
        eventually("the gate knows what is stored", || {
            let (_, said) = health.get("/readyz?verbose");
            counts.iter().all(|(plural, count)| {
                let about = said.lines().find(|line| line.split(' ').next().is_some_and(|name| &name[3..] == *plural));
                let known = count.map_or("CRD not installed".to_owned(), |count| format!("{count} known"));
                about.is_none_or(|line| line.split(", ").next() == Some(&format!("[+]{plural} ok: {known}")))
            })
        });
    }

    /// How many objects of the kind there are; none where the kind is not served.
    fn count(&self, kind: Kind) -> Option<usize> {
        let (_, list) = self.served(kind)?;
        let list: Value = serde_json::from_str(&list).expect("a list is JSON");
        list["items"].as_array().map(Vec::len)
    }

    /// Whether the kind is there, in whatever version.
    pub fn serves(&self, kind: Kind) -> bool {
        self.served(kind).is_some()
    }

    /// The newest version in which the kind is served, and all objects in it.
    fn served(&self, kind: Kind) -> Option<(&'static str, String)> {
        kind.api().versions.iter().find_map(|version| {
            let (status, list) = self.http.get(&all_of(kind, version));
            (status != 404).then_some((*version, list))
        })
    }

    /// kubectl as Alice, who may do everything, in the namespace `web` unless a manifest says otherwise.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        self.cp.kubectl(words).acting_as(ALICE).in_group("system:masters")
    }
}

/// The URL path of the object that a manifest holds, in the manifest's version.
pub fn path_of(manifest: &Manifest) -> String {
    path_in(&manifest.object_ref, &version_of(manifest))
}

/// An object as kubectl is asked for it, by a name that no other group has.
pub fn words_for(object_ref: &ObjectRef) -> String {
    let (api, ObjectRef { namespace, name, .. }) = (object_ref.kind.api(), object_ref);
    let dot = if api.group.is_empty() { "" } else { "." };
    let flag = if namespace.is_empty() { String::new() } else { format!(" --namespace={namespace}") };
    format!("{}{dot}{}/{name}{flag}", api.plural, api.group)
}

/// The URL path of the list that the object is in, in the manifest's version.
pub fn list_of(manifest: &Manifest) -> String {
    list_in(&manifest.object_ref, &version_of(manifest))
}

/// The version in which a manifest is written.
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

fn webhooks(doors: Doors) -> Webhooks {
    let shipped = match doors {
        Doors::Both => Webhooks::all(),
        Doors::Validate => Webhooks::validating(),
    };
    shipped.by_user(ALICE)
}

/// A configuration with its first two lines, unless it has them.
fn head(config: &str) -> String {
    match config.starts_with("apiVersion:") {
        true => config.to_owned(),
        false => format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}"),
    }
}

/// Writes a file in one step, as a mounted ConfigMap changes.
fn write(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).expect("our folder is writable");
    fs::rename(&new, file).expect("our folder is writable");
}
