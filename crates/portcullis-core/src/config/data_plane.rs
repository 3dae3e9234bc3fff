//! Which classes one proxy serves, and which controllers build a load balancer for each Ingress.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::Spanned;

/// An entry of `dataPlanes`.
#[derive(Debug, Clone)]
pub enum DataPlane {
    /// One proxy serves these classes; an empty string means objects without a class.
    Shared(Vec<Spanned<String>>),
    /// Each Ingress has its own load balancer.
    PerIngress(PerIngress),
}

/// Classes and controllers that create a load balancer for each Ingress.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PerIngress {
    /// Must be `true`.
    ///
    /// ```yaml
    /// dataPlanes: [{perIngress: true, classes: [alb]}]
    /// ```
    pub per_ingress: Spanned<bool>,
    /// The classes; an empty string means objects without a class.
    ///
    /// ```yaml
    /// dataPlanes: [{perIngress: true, classes: [alb, ""]}]
    /// ```
    #[serde(default)]
    pub classes: Vec<Spanned<String>>,
    /// The controllers, as in `spec.controller` of an IngressClass.
    ///
    /// ```yaml
    /// dataPlanes: [{perIngress: true, controllers: [example.com/load-balancers]}]
    /// ```
    #[serde(default)]
    pub controllers: Vec<Spanned<String>>,
}

impl<'de> Deserialize<'de> for DataPlane {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DataPlaneVisitor;
        impl<'de> Visitor<'de> for DataPlaneVisitor {
            type Value = DataPlane;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of classes or a map")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<DataPlane, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(DataPlane::Shared)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DataPlane, A::Error> {
                PerIngress::deserialize(MapAccessDeserializer::new(map)).map(DataPlane::PerIngress)
            }
        }
        deserializer.deserialize_any(DataPlaneVisitor)
    }
}

impl JsonSchema for DataPlane {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DataPlane".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (classes, map) = (generator.subschema_for::<Vec<String>>(), generator.subschema_for::<PerIngress>());
        json_schema!({"anyOf": [classes, map]})
    }
}
