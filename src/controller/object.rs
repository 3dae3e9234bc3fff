//! An object reduced to what its status depends on, and what a write of its status must know.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::request::FIELD_MANAGER;
use portcullis_core::kinds::{Kind, null_is_default};

/// An object without what no status depends on, such as `managedFields`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducedObject {
    /// The object as JSON, with its status.
    pub json: Box<str>,
    /// Which version of the object it is.
    pub version: Version,
}

/// The version of an object, and what its metadata says about who wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Version {
    /// `metadata.uid`.
    pub uid: Box<str>,
    /// `metadata.resourceVersion`.
    pub resource_version: Box<str>,
    /// Another manager that owns fields of the status.
    pub other_manager: Option<Box<str>>,
    /// Whether Portcullis owns fields of the status.
    pub is_own: bool,
}

impl Version {
    /// The manager for which Portcullis leaves the status alone: an IngressRoute's status is written by one manager only.
    pub fn exclusive_manager(&self, kind: Kind) -> Option<&str> {
        self.other_manager.as_deref().filter(|_| kind == Kind::IngressRoute)
    }

    /// Whether this version is not newer than `known` of the same object. Resource versions that are not numbers are only compared
    /// for equality.
    pub fn is_known(&self, known: &Self) -> bool {
        let number = |version: &Self| version.resource_version.parse::<u128>().ok();
        self.uid == known.uid
            && match (number(self), number(known)) {
                (Some(own), Some(known)) => own <= known,
                _ => self.resource_version == known.resource_version,
            }
    }
}

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The fields of the metadata that are kept.
const KEPT: [&str; 10] = [
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "labels",
    "name",
    "namespace",
    "resourceVersion",
    "uid",
];

/// An annotation of kubectl with a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What is kept of `metadata.managedFields` of an Ingress whose status Portcullis has written, so that the core can tell this.
const OWN_STATUS: &str = r#"[{"manager":"portcullis","fieldsV1":{"f:status":{"f:loadBalancer":{}}}}]"#;

/// What the names of all annotations that name a class end with.
const CLASS_SUFFIX: &str = "ingress.class";

#[derive(Deserialize, Serialize, Default)]
#[serde(default)]
struct Whole<'a> {
    #[serde(borrow, deserialize_with = "null_is_default")]
    metadata: Fields<'a>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    spec: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    status: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ManagedFields<'a> {
    #[serde(borrow, deserialize_with = "null_is_default")]
    manager: Cow<'a, str>,
    #[serde(deserialize_with = "null_is_default")]
    fields_v1: OwnedFields,
}

/// The fields of a manager, as far as they say whether the status is among them.
#[derive(Deserialize, Default)]
#[serde(default)]
struct OwnedFields {
    #[serde(rename = "f:status")]
    status: Option<IgnoredAny>,
}

/// Reduces an object of `kind`. Of an Ingress only the class and the status are kept, with a note if it is an own one, and of an
/// IngressRoute, whose verdict is computed elsewhere, only the status.
pub fn reduce(kind: Kind, json: &str) -> serde_json::Result<ReducedObject> {
    let mut whole: Whole<'_> = serde_json::from_str(json)?;
    let version = version(&whole.metadata)?;
    whole.metadata.retain(|name, _| KEPT.contains(&&**name));
    let (is_brief, spec) = match kind {
        Kind::Ingress => (true, whole.spec.map(class_only).transpose()?),
        Kind::IngressRoute => (true, None),
        _ => (false, whole.spec.map(ToOwned::to_owned)),
    };
    whole.spec = spec.as_deref();
    if is_brief {
        whole.metadata.remove("labels");
    }
    let annotations = whole.metadata.get("annotations").map(|all| kept_annotations(all, is_brief)).transpose()?;
    if let Some(annotations) = &annotations {
        whole.metadata.insert("annotations".into(), annotations);
    }
    let own_status: &RawValue = serde_json::from_str(OWN_STATUS)?;
    if kind == Kind::Ingress && version.is_own {
        whole.metadata.insert("managedFields".into(), own_status);
    }
    Ok(ReducedObject { json: serde_json::to_string(&whole)?.into(), version })
}

/// The other manager because of which the status of an object, given as JSON, is not written.
pub fn other_manager(kind: Kind, json: &str) -> Option<Box<str>> {
    reduce(kind, json).ok()?.version.exclusive_manager(kind).map(Into::into)
}

fn version(metadata: &Fields<'_>) -> serde_json::Result<Version> {
    let text = |name: &str| -> serde_json::Result<Box<str>> {
        metadata.get(name).map_or_else(|| Ok(Box::default()), |text| serde_json::from_str(text.get()))
    };
    let managers: Vec<ManagedFields<'_>> = match metadata.get("managedFields") {
        Some(managers) => serde_json::from_str(managers.get())?,
        None => Vec::new(),
    };
    let of_status = || managers.iter().filter(|manager| manager.fields_v1.status.is_some());
    let other = of_status().find(|manager| manager.manager != FIELD_MANAGER).map(|other| (*other.manager).into());
    let is_own = of_status().any(|manager| manager.manager == FIELD_MANAGER);
    Ok(Version { uid: text("uid")?, resource_version: text("resourceVersion")?, other_manager: other, is_own })
}

fn kept_annotations(all: &RawValue, is_brief: bool) -> serde_json::Result<Box<RawValue>> {
    let mut all: Option<Fields<'_>> = serde_json::from_str(all.get())?;
    if let Some(all) = &mut all {
        all.retain(|name, _| if is_brief { name.ends_with(CLASS_SUFFIX) } else { name != LAST_APPLIED });
    }
    serde_json::value::to_raw_value(&all)
}

/// The part of the `spec` of an Ingress that names its class.
fn class_only(spec: &RawValue) -> serde_json::Result<Box<RawValue>> {
    let mut spec: Fields<'_> = serde_json::from_str(spec.get())?;
    spec.retain(|name, _| name == "ingressClassName");
    serde_json::value::to_raw_value(&spec)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object(manager: &str) -> String {
        json!({
            "metadata": {
                "name": "shop", "namespace": "web", "uid": "u", "resourceVersion": "7", "generation": 2, "labels": {"a": "b"},
                "annotations": {"kubernetes.io/ingress.class": "edge", LAST_APPLIED: "{}", "team": "x"},
                "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}, {"manager": manager, "fieldsV1": {"f:status": {}}}],
            },
            "spec": {"ingressClassName": "edge", "rules": []}, "status": {"a": 1},
        })
        .to_string()
    }

    #[test]
    fn each_kind_keeps_what_its_status_needs() {
        let reduced = |kind: Kind| -> Value {
            let reduced = reduce(kind, &object(FIELD_MANAGER)).expect("an object");
            serde_json::from_str(&reduced.json).expect("JSON")
        };
        let metadata = json!({"name": "shop", "namespace": "web", "uid": "u", "resourceVersion": "7", "generation": 2});
        let with = |more: Value| -> Value {
            let mut metadata = metadata.clone();
            metadata.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
            metadata
        };
        let class = json!({"annotations": {"kubernetes.io/ingress.class": "edge"}});
        assert_eq!(reduced(Kind::IngressRoute), json!({"metadata": with(class.clone()), "status": {"a": 1}}));
        let spec = json!({"ingressClassName": "edge"});
        let mut own = with(class);
        own["managedFields"] = json!([{"manager": FIELD_MANAGER, "fieldsV1": {"f:status": {"f:loadBalancer": {}}}}]);
        assert_eq!(reduced(Kind::Ingress), json!({"metadata": own, "spec": spec, "status": {"a": 1}}));
        let all = json!({"labels": {"a": "b"}, "annotations": {"kubernetes.io/ingress.class": "edge", "team": "x"}});
        let spec = json!({"ingressClassName": "edge", "rules": []});
        assert_eq!(reduced(Kind::Gateway), json!({"metadata": with(all), "spec": spec, "status": {"a": 1}}));
    }

    #[test]
    fn managers_of_the_status_are_known() {
        let version = |manager: &str| reduce(Kind::IngressRoute, &object(manager)).expect("an object").version;
        let (own, other) = (version(FIELD_MANAGER), version("contour"));
        assert_eq!((own.is_own, own.other_manager.as_deref()), (true, None));
        assert_eq!((other.is_own, other.other_manager.as_deref()), (false, Some("contour")));
    }

    #[test]
    fn an_older_version_of_the_same_object_is_known() {
        let version = |uid: &str, resource_version: &str| Version {
            uid: uid.into(),
            resource_version: resource_version.into(),
            ..Version::default()
        };
        assert!(version("u", "9").is_known(&version("u", "10")) && version("u", "x").is_known(&version("u", "x")));
        for newer in [version("u", "11"), version("v", "9"), version("u", "x")] {
            assert!(!newer.is_known(&version("u", "10")), "{newer:?}");
        }
    }
}
