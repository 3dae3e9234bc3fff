//! `gateway.networking.k8s.io` GatewayClass.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::feature::FeatureSet;
use super::generation::Generation;
use super::reference::TargetRef;
use super::{Metadata, Present, Routability, Text, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotation that makes a GatewayClass the default, analogous to that of IngressClass.
pub const DEFAULT_ANNOTATION: &str = "gatewayclass.portcullis.dev/is-default-class";
/// The annotation with the routabilities that a GatewayClass offers, in order, separated by commas (GEP-1651).
pub const ROUTABILITIES_ANNOTATION: &str = "portcullis.dev/routabilities";
/// The annotation that says whether the routability of a GatewayClass's Gateways may change (`Allowed`). Changes are
/// denied if it is absent.
pub const ROUTABILITY_CHANGE_ANNOTATION: &str = "portcullis.dev/routability-change";

/// The annotation that says that the Gateways of a GatewayClass run inside the cluster (`true`), so that they cannot
/// offer `Private`: the network of a cluster is not a private network outside of it (GEP-1651).
pub const IN_CLUSTER_ANNOTATION: &str = "portcullis.dev/in-cluster";

/// A GatewayClass under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GatewayClass<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GatewayClassSpec<'a>,
    /// What its controller has reported.
    #[serde(borrow, deserialize_with = "known_or_default")]
    pub status: GatewayClassStatus<'a>,
}

impl GatewayClass<'_> {
    /// Whether the default annotation of Portcullis, or one of the additional `keys`, marks it as the default.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        let says_so = |key: &str| self.metadata.annotations.get(key).is_some_and(|value| &**value == "true");
        says_so(DEFAULT_ANNOTATION) || keys.iter().any(|key| says_so(key.as_ref()))
    }

    /// The routabilities of the annotation, in order and as written; `None` if it is absent.
    pub fn annotated_routabilities(&self) -> Option<impl Iterator<Item = &str>> {
        let list = self.metadata.annotations.get(ROUTABILITIES_ANNOTATION)?;
        Some(list.split(',').map(str::trim).filter(|entry| !entry.is_empty()))
    }

    /// The routabilities that its status lists, in order; `None` if it lists none, or something that is not a routability.
    pub fn reported_routabilities(&self) -> Option<impl Iterator<Item = &str>> {
        let list = &self.status.routabilities;
        let is_usable = !list.is_empty() && list.iter().all(|entry| Routability::parse(entry).is_some());
        is_usable.then(|| list.iter().map(|entry| &**entry))
    }

    /// Whether its controller has rejected it. A condition about an older generation says nothing.
    pub fn is_rejected(&self) -> bool {
        let is_current = |condition: &ClassCondition<'_>| {
            let generations = condition.observed_generation.0.zip(self.metadata.generation.0);
            generations.is_none_or(|(observed, current)| observed == current)
        };
        let mut conditions = self.status.conditions.iter();
        conditions
            .any(|condition| (&*condition.name, &*condition.status) == ("Accepted", "False") && is_current(condition))
    }

    /// The features of the Gateway API that its status lists.
    pub fn supported_features(&self) -> FeatureSet {
        FeatureSet::of(self.status.supported_features.iter().map(|feature| &*feature.name))
    }

    /// Whether its Gateways run inside the cluster, according to its annotation.
    pub fn is_in_cluster(&self) -> bool {
        self.metadata.annotations.get(IN_CLUSTER_ANNOTATION).is_some_and(|value| &**value == "true")
    }
}

/// `spec` of a GatewayClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GatewayClassSpec<'a> {
    /// The controller, as `domain/path`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub controller_name: Option<Text<'a>>,
    /// Parameters of the controller.
    #[serde(borrow)]
    pub parameters_ref: Option<TargetRef<'a>>,
    /// A description for humans.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub description: Option<Text<'a>>,
    /// The name of `controllerName` before v1.
    pub controller: Present,
}

/// `status` of a GatewayClass. The CRDs of the Gateway API have no field `routabilities`, and another controller may use the name
/// for something else, so a status of any other shape is decoded as an empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GatewayClassStatus<'a> {
    /// The supported routabilities, the default one first (GEP-1651).
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routabilities: Vec<Text<'a>>,
    /// The conditions.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<ClassCondition<'a>>,
    /// The features of the Gateway API that its controller supports. Before release 1.4 the list had another form.
    #[serde(borrow, deserialize_with = "known_or_default")]
    pub supported_features: Vec<SupportedFeature<'a>>,
}

/// One of `status.supportedFeatures` of a GatewayClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct SupportedFeature<'a> {
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
}

/// One of `status.conditions` of a GatewayClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ClassCondition<'a> {
    /// The type.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// `True`, `False` or `Unknown`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub status: Text<'a>,
    /// The generation of the class that it is about.
    pub observed_generation: Generation,
}

/// Decodes a value of any other shape than that of `T` as the default.
fn known_or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Lenient<T> {
        Known(T),
        Other(IgnoredAny),
    }
    Lenient::deserialize(deserializer).map(|value| match value {
        Lenient::Known(known) => known,
        Lenient::Other(IgnoredAny) => T::default(),
    })
}

maps_only!(GatewayClass, GatewayClassSpec, GatewayClassStatus, ClassCondition, SupportedFeature);

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(status: &str) -> Option<Vec<String>> {
        let json =
            format!(r#"{{"metadata": {{"name": "edge"}}, "spec": {{"controllerName": "a.b/c"}}, "status": {status}}}"#);
        let class: GatewayClass<'_> = serde_json::from_str(&json).expect("a status is not decisive");
        assert_eq!(class.spec.controller_name.as_deref(), Some("a.b/c"));
        class.reported_routabilities().map(|entries| entries.map(str::to_owned).collect())
    }

    #[test]
    fn a_class_is_rejected_by_a_condition_about_its_generation() {
        let is_rejected = |conditions: &str| {
            let json = format!(
                r#"{{"metadata": {{"name": "edge", "generation": 2}}, "status": {{"conditions": {conditions}}}}}"#
            );
            serde_json::from_str::<GatewayClass<'_>>(&json).expect("a status is not decisive").is_rejected()
        };
        assert!(is_rejected(r#"[{"type": "Accepted", "status": "False"}]"#));
        assert!(is_rejected(
            r#"[{"type": "Other", "status": "True"}, {"type": "Accepted", "status": "False", "observedGeneration": 2}]"#
        ));
        for conditions in [
            "null",
            "[]",
            "{}",
            r#"[{"type": "Accepted", "status": "True"}]"#,
            r#"[{"type": "Accepted", "status": "Unknown"}]"#,
            r#"[{"type": "SupportedVersion", "status": "False"}]"#,
            r#"[{"type": "Accepted", "status": "False", "observedGeneration": 1}]"#,
            r#"[{"type": "Accepted", "status": false}]"#,
        ] {
            assert!(!is_rejected(conditions), "{conditions}");
        }
    }

    #[test]
    fn features_of_another_shape_are_absent() {
        let listed = |features: &str| {
            let json = format!(
                r#"{{"status": {{"routabilities": ["Private"], "supportedFeatures": {features}, "conditions": [{{}}]}}}}"#
            );
            let class: GatewayClass<'_> = serde_json::from_str(&json).expect("a status is not decisive");
            assert_eq!((class.status.routabilities.len(), class.status.conditions.len()), (1, 1), "{features}");
            class.supported_features()
        };
        assert_eq!(listed(r#"[{"name": "HTTPRoute"}, {"name": "another"}]"#), FeatureSet::of(["HTTPRoute"]));
        for features in ["null", "[]", r#"["HTTPRoute"]"#, r#"{"name": "HTTPRoute"}"#, r#"[{"name": "HTTPRoute"}, 1]"#]
        {
            assert!(listed(features).is_empty(), "{features}");
        }
    }

    #[test]
    fn a_status_of_another_shape_is_absent() {
        let listed = r#"{"conditions": [{"observedGeneration": 1}], "routabilities": ["Private", "a.b/c"]}"#;
        assert_eq!(reported(listed), Some(vec!["Private".to_owned(), "a.b/c".to_owned()]));
        let others = [
            "null",
            "[]",
            r#""up""#,
            "{}",
            r#"{"routabilities": null}"#,
            r#"{"routabilities": []}"#,
            r#"{"routabilities": {"Private": true}}"#,
            r#"{"routabilities": [{"type": "Private"}]}"#,
            r#"{"routabilities": ["Private", 1]}"#,
            r#"{"routabilities": ["Private", null]}"#,
            r#"{"routabilities": ["Private", "somewhere"]}"#,
        ];
        for status in others {
            assert_eq!(reported(status), None, "{status}");
        }
    }
}
