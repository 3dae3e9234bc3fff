//! An object as a watch delivers it: decoded into facts at once, and kept by name where it cannot be.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::ClusterResourceScope;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

use crate::cluster::Facts;
use crate::kinds::{Kind, Misfit, ObjectRef, Partial, null_is_default};

/// The version in which a kind is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Served(pub &'static str);

/// An object of the kind at position `KIND` of [`Kind::ALL`]. The kind is part of the type because list items do not say theirs.
#[derive(Debug, Clone)]
pub struct Seen<const KIND: usize> {
    /// Name, namespace and resource version.
    metadata: ObjectMeta,
    /// What is worth keeping of it, or why it cannot be read.
    pub facts: Result<Facts, Unreadable>,
}

/// An object of another shape.
#[derive(Debug, Clone)]
pub struct Unreadable {
    /// The reader's words.
    pub words: String,
    /// What is worth keeping all the same.
    pub facts: Option<Facts>,
}

impl<const KIND: usize> Seen<KIND> {
    /// The kind.
    pub const KIND: Kind = Kind::ALL[KIND];

    /// The object's place.
    pub fn place(&self) -> ObjectRef {
        place::<KIND>(&self.metadata)
    }
}

fn place<const KIND: usize>(metadata: &ObjectMeta) -> ObjectRef {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    ObjectRef::new(Kind::ALL[KIND], &text(&metadata.namespace), &text(&metadata.name))
}

/// The metadata that the watch itself asks for.
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

impl<'de, const KIND: usize> Deserialize<'de> for Seen<KIND> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let metadata = metadata(text.get()).map_err(D::Error::custom)?;
        let facts = Partial::read(Self::KIND, text.get()).decided(Self::KIND).map(|object| Facts::of(&object));
        let unreadable = |misfits: Vec<Misfit>| Unreadable {
            words: misfits.first().map(Misfit::to_string).unwrap_or_default(),
            facts: Facts::of_unreadable(&place::<KIND>(&metadata), text.get()),
        };
        Ok(Self { facts: facts.map_err(unreadable), metadata })
    }
}

fn metadata(text: &str) -> serde_json::Result<ObjectMeta> {
    let Version { name, namespace, resource_version } = serde_json::from_str::<Versioned>(text)?.metadata;
    Ok(ObjectMeta { name, namespace, resource_version, ..ObjectMeta::default() })
}

impl<const KIND: usize> Resource for Seen<KIND> {
    type DynamicType = Served;
    // All namespaces are watched at once, so for URLs every kind is like a cluster-scoped one.
    type Scope = ClusterResourceScope;

    fn kind(_: &Served) -> Cow<'_, str> {
        Self::KIND.api().kind.into()
    }

    fn group(_: &Served) -> Cow<'_, str> {
        Self::KIND.api().group.into()
    }

    fn version(served: &Served) -> Cow<'_, str> {
        served.0.into()
    }

    fn plural(_: &Served) -> Cow<'_, str> {
        Self::KIND.api().plural.into()
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

    type SeenIngress = Seen<{ Kind::Ingress as usize }>;

    /// An Ingress, or what could be one but for its class.
    fn ingress(name: &str, class: &str) -> String {
        format!(
            r#"{{"metadata":{{"namespace":"web","name":"{name}","resourceVersion":"7"}},"spec":{{"ingressClassName":{class}}}}}"#
        )
    }

    #[test]
    fn an_item_of_another_shape_leaves_its_neighbours_alone() {
        let items = [ingress("a", r#""nginx""#), ingress("b", "7"), ingress("c", "null")].join(",");
        let list = format!(
            r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","metadata":{{"resourceVersion":"9"}},"items":[{items}]}}"#
        );
        let list: ObjectList<SeenIngress> = serde_json::from_str(&list).expect("a list");
        let read: Vec<_> = list.items.iter().map(|seen| (seen.place().name, seen.facts.is_ok())).collect();
        assert_eq!(read, [("a".into(), true), ("b".into(), false), ("c".into(), true)]);
        let words = list.items[1].facts.as_ref().expect_err("7 is no class");
        assert!(words.words.ends_with("invalid type: integer `7`, expected a string"), "{words:?}");
    }

    #[test]
    fn a_watch_goes_on_after_an_object_of_another_shape() {
        let event = |object: String| format!(r#"{{"type":"MODIFIED","object":{object}}}"#);
        for (class, reads) in [("7", false), (r#""nginx""#, true)] {
            let event = serde_json::from_str(&event(ingress("a", class))).expect("an event");
            let WatchEvent::<SeenIngress>::Modified(seen) = event else { panic!("{event:?}") };
            assert_eq!((seen.place().to_string(), seen.facts.is_ok()), ("Ingress web/a".into(), reads));
            assert_eq!(seen.meta().resource_version.as_deref(), Some("7"), "the watch goes on from here");
        }
    }
}
