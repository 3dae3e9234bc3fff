//! Evaluates the examples on the pages of the statuses: objects as YAML, and a part of the status that each gets.

use std::collections::BTreeMap;
use std::path::Path;

use portcullis::files;
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::cluster::{Cluster, Event, Facts, OfflineObjects, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::report::status::StatusEntry;
use portcullis_core::status::merge::preview;
use portcullis_core::status::{KINDS, of_all};
use serde_json::Value;

use crate::config;
use crate::page::{Block, blocks};
use crate::pages::today;

/// A section of a page: the heading, and its examples.
#[derive(Debug)]
pub struct StatusSection {
    /// The text of the heading.
    pub title: String,
    /// The first paragraph.
    pub summary: String,
    /// The examples.
    pub examples: Vec<StatusExample>,
}

/// One example.
#[derive(Debug, Default, Clone)]
pub struct StatusExample {
    /// From `yaml`: all objects of the cluster.
    pub yaml: String,
    /// From `yaml config`: the configuration without its first two lines. It applies to the whole section.
    pub config: String,
    /// From `bundle`: version and channel of the installed CRDs of the Gateway API, such as `v1.6.3 standard`.
    pub bundle: Option<String>,
    /// From `unknown`: the kinds of which further objects may exist. It applies to the whole section.
    pub unknown: Vec<Kind>,
    /// From `status`: the expected statuses by reference, each a subset of the actual one; `null` if none is written.
    pub expected: BTreeMap<String, Value>,
}

/// The sections of a page, which begin with `## `.
pub fn sections(page: &str) -> Vec<StatusSection> {
    let sections = page.split("\n## ").skip(1).map(|section| {
        let (title, body) = section.split_once('\n').expect("a heading is followed by text");
        let summary = body.trim().split("\n\n").next().unwrap_or_default().replace('\n', " ");
        StatusSection { title: title.to_owned(), summary, examples: examples(body) }
    });
    sections.collect()
}

fn examples(body: &str) -> Vec<StatusExample> {
    let mut examples: Vec<StatusExample> = Vec::new();
    let (mut config, mut bundle, mut unknown) = (String::new(), None, Vec::new());
    for Block { words, text } in blocks(body) {
        match words.as_str() {
            "yaml config" => config = text,
            "bundle" => bundle = Some(text.trim().to_owned()),
            "unknown" => unknown = text.lines().map(kind).collect(),
            "yaml" => {
                let (config, bundle, unknown) = (config.clone(), bundle.clone(), unknown.clone());
                examples.push(StatusExample { yaml: text, config, bundle, unknown, expected: BTreeMap::new() });
            }
            "status" => {
                let example = examples.last_mut().expect("a status block follows the yaml that it is about");
                example.expected = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            }
            other => panic!("a page of a status knows no block `{other}`"),
        }
    }
    examples
}

/// The kind with this name.
fn kind(name: &str) -> Kind {
    Kind::ALL.into_iter().find(|kind| kind.api().kind == name).unwrap_or_else(|| panic!("`{name}` is not a kind"))
}

/// The statuses of all objects in the example, by reference.
pub fn statuses(example: &StatusExample) -> BTreeMap<String, Value> {
    let contents = files::parse(Path::new("page.md"), &example.yaml);
    assert_eq!(contents.unread, [], "{}", example.yaml);
    let mut cluster = Cluster::with(SyncState::Complete);
    for kind in &example.unknown {
        cluster.apply(Event::SyncState(*kind, SyncState::Partial));
    }
    for manifest in &contents.manifests {
        cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("an object of an example can be read"))));
    }
    // An example without Secrets or ConfigMaps is a live cluster, where they are never read.
    if !contents.secrets.is_empty() {
        cluster.apply(Event::Secrets(OfflineObjects::all(contents.secrets)));
    }
    if !contents.config_maps.is_empty() {
        cluster.apply(Event::ConfigMaps(OfflineObjects::all(contents.config_maps)));
    }
    if let Some((version, channel)) = example.bundle.as_deref().map(|text| text.split_once(' ').unwrap_or((text, ""))) {
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api());
        let schema = InstalledSchema::of_crd(version, channel);
        kinds.for_each(|kind| cluster.apply(Event::Schema(kind, Some(schema))));
    }
    let plan = config::plan(&example.config);
    let manifests = contents.manifests.iter().filter(|manifest| KINDS.contains(manifest.object_ref.kind));
    let objects = manifests.map(|manifest| (manifest.object_ref.clone(), (*manifest.json).into()));
    let all = of_all(objects, &mut cluster, plan.graph_rules(today()));
    let stored = |object_ref: &ObjectRef| {
        let manifest = contents.manifests.iter().find(|manifest| manifest.object_ref == *object_ref)?;
        let object: Value = serde_json::from_str(&manifest.json).expect("an object of an example can be read");
        object.get("status").cloned()
    };
    let entries = all.iter().map(|(object_ref, desired)| {
        StatusEntry::new(object_ref, preview(desired, &stored(object_ref).unwrap_or_default()).status)
    });
    entries.map(|entry| (entry.reference, entry.status)).collect()
}

/// The lists whose elements an example names completely, or not at all.
const WHOLE: [&str; 4] = ["parents", "ancestors", "listeners", "supportedKinds"];

/// How many elements of a list that must be whole are not expected; `None` if there are none.
fn surplus(name: &str, expected: &Value, actual: &Value) -> Option<String> {
    let (expected, actual) = (expected.as_array()?.len(), actual.as_array()?.len());
    (WHOLE.contains(&name) && actual > expected).then(|| format!(": expected {expected} elements, found {actual}"))
}

/// Where `actual` lacks something of `expected`, as a path; `None` if it contains everything. A list of maps contains
/// another if each of its maps is a subset of some element; any other list must be equal.
pub fn missing(expected: &Value, actual: &Value) -> Option<String> {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => expected.iter().find_map(|(name, value)| {
            let actual = actual.get(name).unwrap_or(&Value::Null);
            let inner = missing(value, actual).or_else(|| surplus(name, value, actual))?;
            Some(format!(".{name}{inner}"))
        }),
        (Value::Array(expected), Value::Array(actual)) if expected.iter().any(Value::is_object) => {
            let is_absent = |wanted: &Value| !actual.iter().any(|own| missing(wanted, own).is_none());
            expected.iter().find(|wanted| is_absent(wanted)).map(|wanted| format!(": no element contains {wanted}"))
        }
        (expected, actual) if expected == actual => None,
        (expected, actual) => Some(format!(": expected {expected}, found {actual}")),
    }
}
