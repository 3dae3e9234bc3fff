//! Creates a snapshot from manifests, and explains requests in process.

use std::path::Path;

use portcullis::files::{FileContents, Manifest, parse};
use portcullis_core::cluster::{Cluster, Event, Facts, OfflineObjects, SyncState};
use portcullis_core::compare::Written;
use portcullis_core::config::Config;
use portcullis_core::explain::{Explanation, Request, Scope, Snapshot, Stored};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::pages::manifests;
use serde_json::Value;

/// Manifests and the view of them.
pub struct Objects {
    manifests: Vec<Manifest>,
    cluster: Cluster,
    config: Config,
}

impl Objects {
    pub fn of(yaml: &str) -> Self {
        let (manifests, mut cluster) = (manifests(yaml), Cluster::with(SyncState::Complete));
        for manifest in &manifests {
            cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("an object can be read"))));
        }
        Self { manifests, cluster, config: Config::default() }
    }

    /// These objects, Secrets and ConfigMaps, and no others.
    pub fn whole(values: &[Value]) -> Self {
        let text: Vec<String> = values.iter().map(Value::to_string).collect();
        let text = text.join("\n---\n");
        let mut objects = Self::of(&text);
        let FileContents { secrets, config_maps, .. } = parse(Path::new("objects.yaml"), &text);
        objects.cluster.apply(Event::Secrets(OfflineObjects::all(secrets)));
        objects.cluster.apply(Event::ConfigMaps(OfflineObjects::all(config_maps)));
        objects
    }

    /// The same objects under another configuration.
    pub fn under(self, config: Config) -> Self {
        Self { config, ..self }
    }

    pub fn of_values(values: &[Value]) -> Self {
        let text: Vec<String> = values.iter().map(Value::to_string).collect();
        Self::of(&text.join("\n---\n"))
    }

    /// Passes a snapshot of the objects to `use_it`.
    pub fn with<T>(&self, use_it: impl FnOnce(&Snapshot<'_>) -> T) -> T {
        self.with_config(&self.config, use_it)
    }

    /// The same under another configuration, which another snapshot may have, too.
    pub fn with_config<T>(&self, config: &Config, use_it: impl FnOnce(&Snapshot<'_>) -> T) -> T {
        let read = |manifest: &Manifest| manifest.object_ref.clone();
        let objects: Vec<Stored<'_>> = self
            .manifests
            .iter()
            .map(|manifest| Stored {
                object_ref: read(manifest),
                object: manifest.object().expect("it was read before"),
            })
            .collect();
        use_it(&Snapshot::new(&objects, &self.cluster, config))
    }

    /// The objects as they are written.
    pub fn written(&self) -> Written<'_> {
        let evaluated = self.manifests.iter().map(|manifest| (&manifest.object_ref, &*manifest.json)).collect();
        Written { evaluated, is_complete: true, ..Written::default() }
    }

    pub fn ask(&self, words: &str) -> Explanation {
        let (request, scope) = request(words);
        self.with(|world| world.ask(&request, &scope))
    }
}

/// Parses a request from command line arguments: `POST http://a/ --header k=v --class c --gateway ns/name --sni s
/// --port 1`.
pub fn request(words: &str) -> (Request, Scope) {
    let (mut plain, mut headers, mut scope) = (Vec::new(), Vec::new(), Scope::default());
    let (mut sni, mut port) = (None, None);
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value follows").to_owned();
        match word {
            "--header" => headers.push(value()),
            "--sni" => sni = Some(value()),
            "--port" => port = Some(value().parse().expect("a port")),
            "--class" => scope.class = Some(value()),
            "--gateway" => {
                let written = value();
                let (namespace, name) = written.split_once('/').expect("namespace/name");
                scope.gateway = Some(ObjectRef::new(Kind::Gateway, namespace, name));
            }
            plain_word => plain.push(plain_word),
        }
    }
    let (method, url) = match plain[..] {
        [url] => ("GET", url),
        [method, url] => (method, url),
        _ => panic!("a request is METHOD URL"),
    };
    (Request::parse(method, url, &headers, sni.as_deref(), port).expect("a request"), scope)
}

/// The winner as `Kind namespace/name field`, if there is one.
pub fn who(answer: &Explanation) -> Option<String> {
    answer.winner.as_ref().map(|(_, winner)| format!("{} {}", winner.object, winner.field))
}
