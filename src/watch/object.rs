//! An object as a watch delivers it: its JSON, and the metadata that the watch itself needs.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::ClusterResourceScope;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{DecodeError, Kind, ObjectRef, Partial, null_is_default};

/// The API version in which a kind is watched, such as `v1beta1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServedVersion(pub &'static str);

/// A watched object. It does not contain its kind, since items of a list lack it and the reflector knows it.
#[derive(Debug, Clone)]
pub struct WatchedObject {
    /// The name, namespace and resource version.
    metadata: ObjectMeta,
    json: Box<RawValue>,
}

/// The reason why an object cannot be decoded.
#[derive(Debug, Clone)]
pub struct UndecodableObject {
    /// The error message, including the path of the field.
    pub message: String,
    /// The facts that the view keeps about the object nevertheless, if any.
    pub facts: Option<Box<Facts>>,
}

impl WatchedObject {
    /// The reference to the object, which is of this `kind`.
    pub fn object_ref(&self, kind: Kind) -> ObjectRef {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        ObjectRef::new(kind, &text(&self.metadata.namespace), &text(&self.metadata.name))
    }

    /// The whole object.
    pub(super) fn json(&self) -> &str {
        self.json.get()
    }

    /// The facts that the view keeps about the object, which is of this `kind`.
    pub fn facts(&self, kind: Kind) -> Result<Facts, UndecodableObject> {
        let decoded = Partial::read(kind, self.json.get()).decided(kind);
        decoded.map(|object| Facts::of(&object)).map_err(|decode_errors| UndecodableObject {
            message: decode_errors.first().map(DecodeError::to_string).unwrap_or_default(),
            facts: Facts::of_unreadable(&self.object_ref(kind), self.json.get()).map(Box::new),
        })
    }
}

/// The path of the object at `object_ref` on an API server that serves its kind in this version.
pub fn url_path(object_ref: &ObjectRef, served: ServedVersion) -> String {
    let namespace = Some(&*object_ref.namespace).filter(|namespace| !namespace.is_empty());
    format!("{}/{}", WatchedObject::url_path(&(object_ref.kind, served), namespace), object_ref.name)
}

/// The metadata that the watch itself needs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Versioned {
    #[serde(deserialize_with = "null_is_default")]
    metadata: Version,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    name: Option<String>,
    namespace: Option<String>,
    resource_version: Option<String>,
}

impl<'de> Deserialize<'de> for WatchedObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let versioned = serde_json::from_str::<Versioned>(json.get()).map_err(D::Error::custom)?;
        let Version { name, namespace, resource_version } = versioned.metadata;
        Ok(Self { metadata: ObjectMeta { name, namespace, resource_version, ..ObjectMeta::default() }, json })
    }
}

impl Resource for WatchedObject {
    type DynamicType = (Kind, ServedVersion);
    // All namespaces are watched at once, so URLs are built as for a cluster-scoped kind.
    type Scope = ClusterResourceScope;

    fn kind((kind, _): &(Kind, ServedVersion)) -> Cow<'_, str> {
        kind.api().kind.into()
    }

    fn group((kind, _): &(Kind, ServedVersion)) -> Cow<'_, str> {
        kind.api().group.into()
    }

    fn version((_, served): &(Kind, ServedVersion)) -> Cow<'_, str> {
        served.0.into()
    }

    fn plural((kind, _): &(Kind, ServedVersion)) -> Cow<'_, str> {
        kind.api().plural.into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use kube::core::{ObjectList, WatchEvent};

    use super::*;

    /// An Ingress with `class`, given as JSON, which makes it malformed unless it is a string or null.
    fn ingress(name: &str, class: &str) -> String {
        format!(
            r#"{{"metadata":{{"namespace":"web","name":"{name}","resourceVersion":"7"}},"spec":{{"ingressClassName":{class}}}}}"#
        )
    }

    #[test]
    fn malformed_item_leaves_the_rest_of_the_list() {
        let items = [ingress("a", r#""nginx""#), ingress("b", "7"), ingress("c", "null")].join(",");
        let list = format!(
            r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","metadata":{{"resourceVersion":"9"}},"items":[{items}]}}"#
        );
        let list: ObjectList<WatchedObject> = serde_json::from_str(&list).expect("a list");
        let decoded =
            |object: &WatchedObject| (object.object_ref(Kind::Ingress).name, object.facts(Kind::Ingress).is_ok());
        let decoded: Vec<_> = list.items.iter().map(decoded).collect();
        assert_eq!(decoded, [("a".into(), true), ("b".into(), false), ("c".into(), true)]);
        let error = list.items[1].facts(Kind::Ingress).expect_err("7 is not a class");
        assert!(error.message.ends_with("invalid type: integer `7`, expected a string"), "{error:?}");
    }

    #[test]
    fn watch_continues_after_a_malformed_object() {
        let event = |object: String| format!(r#"{{"type":"MODIFIED","object":{object}}}"#);
        for (class, decodes) in [("7", false), (r#""nginx""#, true)] {
            let event = serde_json::from_str(&event(ingress("a", class))).expect("an event");
            let WatchEvent::<WatchedObject>::Modified(object) = event else { panic!("{event:?}") };
            let decoded = (object.object_ref(Kind::Ingress).to_string(), object.facts(Kind::Ingress).is_ok());
            assert_eq!(decoded, ("Ingress web/a".into(), decodes));
            assert_eq!(object.meta().resource_version.as_deref(), Some("7"), "the watch continues from here");
        }
    }
}
