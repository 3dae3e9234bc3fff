//! Rendered objects by kind and name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Helm, KubectlOutput, kustomize, process_guard};
use crate::manifests::installation::documents;

/// The labels that only Helm sets, or that name a version.
const LABELS: [&str; 4] =
    ["helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/instance", "app.kubernetes.io/version"];

/// Objects by `KIND/NAME`, without the labels that may differ.
#[derive(Debug, PartialEq)]
pub struct Objects(pub BTreeMap<String, Value>);

impl Objects {
    /// The objects that a command has printed.
    pub fn of(output: KubectlOutput) -> Self {
        let output = output.accepted();
        assert_eq!(output.stderr, "", "it warns");
        let mut objects = BTreeMap::new();
        for mut object in documents(&output.stdout).into_iter().filter(|document| !document.is_null()) {
            if let Some(labels) = object["metadata"]["labels"].as_object_mut() {
                labels.retain(|label, _| !LABELS.contains(&label.as_str()));
            }
            let text = |value: &Value| value.as_str().expect("an object has a kind and a name").to_owned();
            let key = format!("{}/{}", text(&object["kind"]), text(&object["metadata"]["name"]));
            assert!(objects.insert(key.clone(), object).is_none(), "{key} is there twice");
        }
        Self(objects)
    }

    /// The base with some components.
    pub fn base(components: &[&str]) -> Self {
        let output = match components {
            [] => kustomize(&root().join("manifests")),
            _ => kustomize(&overlay(components)),
        };
        Self::of(output)
    }

    /// The chart with some values, such as `replicas=3`, in the namespace `portcullis`.
    pub fn chart(helm: Helm, values: &[&str]) -> Self {
        Self::chart_in("portcullis", helm, values)
    }

    /// The same in another namespace.
    pub fn chart_in(namespace: &str, helm: Helm, values: &[&str]) -> Self {
        let mut objects = Self::of(rendered(helm, namespace, values));
        objects.0.retain(|_, object| !is_of_hook(object));
        objects
    }

    /// The objects of hooks, which exist only while one of them runs.
    pub fn hooks(helm: Helm, values: &[&str]) -> Self {
        let mut objects = Self::of(rendered(helm, "portcullis", values));
        objects.0.retain(|_, object| is_of_hook(object));
        objects
    }

    /// The object of this kind and name.
    #[track_caller]
    pub fn get(&self, key: &str) -> &Value {
        self.0.get(key).unwrap_or_else(|| panic!("no {key} among {:?}", self.0.keys()))
    }

    /// Panics with the first object that differs.
    #[track_caller]
    pub fn assert_equal(&self, other: &Self, what: &str) {
        assert_eq!(self.0.keys().collect::<Vec<_>>(), other.0.keys().collect::<Vec<_>>(), "{what}");
        for (key, object) in &self.0 {
            assert_eq!(object, other.get(key), "{what}: {key}");
        }
    }
}

fn is_of_hook(object: &Value) -> bool {
    object["metadata"]["annotations"]["helm.sh/hook"].is_string()
}

/// What Helm prints for the chart with values in JSON, such as `tolerations=[]`.
pub fn rendered(helm: Helm, namespace: &str, values: &[&str]) -> KubectlOutput {
    let arguments: Vec<&str> = values.iter().flat_map(|value| ["--set-json", value]).collect();
    helm.template(namespace, &arguments)
}

/// A folder with a kustomization of the base and some components.
pub fn overlay(components: &[&str]) -> PathBuf {
    overlay_of_image("portcullis", components)
}

/// The same with an image of this name. Kustomize wants paths that are relative.
pub fn overlay_of_image(image: &str, components: &[&str]) -> PathBuf {
    let folder = process_guard().folder("overlay").canonicalize().expect("it was created");
    let up = "../".repeat(folder.components().count() - 1);
    let manifests = root().join("manifests").canonicalize().expect("it is in the repository");
    let manifests = format!("{up}{}", manifests.display().to_string().trim_start_matches('/'));
    let components: Vec<String> = components.iter().map(|name| format!("{manifests}/components/{name}")).collect();
    let (order, images) = (json!({"order": "fifo"}), json!([{"name": "portcullis", "newName": image}]));
    let kustomization =
        json!({"sortOptions": order, "resources": [manifests], "components": components, "images": images});
    fs::write(folder.join("kustomization.yaml"), kustomization.to_string()).expect("our folder is writable");
    folder
}

/// The root of the repository.
pub fn root() -> &'static Path {
    portcullis_testing::repository::root()
}
