//! The options that single checks take, each typed; a check lists which of them are its own.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::{AnnotationRule, Charset, CheckSetting, ClassRule, Match, NamespaceSelector, PortRange, Risk};
use crate::finding::Action;

/// Makes [`Options`] of its options, and the long form of a setting, whose fields they are too: serde can tell a misspelt field of a map
/// only where the map is one struct.
macro_rules! options {
    ($($(#[$doc:meta])+ $name:literal $field:ident: $type:ty,)+) => {
        /// The options of all checks; which of them a check takes is data of the check.
        #[derive(Debug, Clone, Default)]
        pub struct Options {
            $($(#[$doc])+ pub $field: Option<$type>,)+
        }

        impl Options {
            /// Takes every option that `other` sets.
            pub fn overlay(&mut self, other: &Self) {
                $(if other.$field.is_some() {
                    self.$field.clone_from(&other.$field);
                })+
            }

            /// The names of the options that are set.
            pub fn names(&self) -> impl Iterator<Item = &'static str> {
                [$(self.$field.is_some().then_some($name)),+].into_iter().flatten()
            }
        }

        /// The long form of a check's setting: `{action, match, ...options}` in one map.
        #[derive(serde::Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Detailed {
            /// The action; without one, the layer below decides.
            action: Option<Action>,
            /// Only these writes are judged.
            #[serde(rename = "match")]
            only: Option<Match>,
            $($(#[$doc])+ #[serde(rename = $name)] $field: Option<$type>,)+
        }

        impl From<Detailed> for CheckSetting {
            fn from(detailed: Detailed) -> Self {
                let options = Options { $($field: detailed.$field),+ };
                Self { action: detailed.action, only: detailed.only, options }
            }
        }
    };
}

options! {
    /// The characters that paths may hold.
    "charset" charset: Charset,
    /// Texts that no path may hold.
    "substrings" substrings: Vec<String>,
    /// Prefixes of annotation keys, such as `nginx.ingress.kubernetes.io/`.
    "prefixes" prefixes: Vec<String>,
    /// Annotations that are not wanted, by key and by value.
    "annotations" annotations: Vec<AnnotationRule>,
    /// The highest risk that an annotation may carry.
    "maxRisk" max_risk: Risk,
    /// The ports that backends may name; all others are refused.
    "allow" allow: Vec<PortRange>,
    /// The ports that backends may not name.
    "deny" deny: Vec<PortRange>,
    /// The namespaces whose objects grants may let refer; all others are refused.
    "grantees" grantees: NamespaceSelector,
    /// The classes, each with the namespaces that may use it; classes that are not listed are free.
    "classes" classes: Vec<ClassRule>,
    /// Hosts that are reserved: each stands for itself and for what is under it, `*` for a listener of every host.
    "hosts" hosts: Vec<String>,
    /// Labels of namespaces that only the platform sets; a trailing `*` stands for anything.
    "trustedLabels" trusted_labels: Vec<String>,
    /// The maximum number of routes that may come together in a root.
    "maxRoutes" max_routes: u32,
    /// The maximum number of objects in a chain of delegations.
    "maxDepth" max_depth: u32,
    /// The maximum number of listeners of a Gateway with all its ListenerSets.
    "maxListeners" max_listeners: u32,
    /// Controllers, as `domain/path`, whose GatewayClasses are not everybody's to create.
    "controllers" controllers: Vec<String>,
    /// The namespaces whose objects may do it; all others are refused.
    "namespaces" namespaces: NamespaceSelector,
}

impl Options {
    /// Whether a Namespace's labels are needed to decide.
    pub fn needs_labels(&self) -> bool {
        let of_classes = self.classes.iter().flatten().map(|rule| &rule.namespaces);
        of_classes.chain(&self.grantees).chain(&self.namespaces).any(NamespaceSelector::needs_labels)
    }
}

impl<'de> Deserialize<'de> for CheckSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SettingVisitor;
        impl<'de> Visitor<'de> for SettingVisitor {
            type Value = CheckSetting;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an action or a map")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<CheckSetting, E> {
                let action = Action::deserialize(de::value::StrDeserializer::new(text))?;
                Ok(CheckSetting { action: Some(action), ..CheckSetting::default() })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CheckSetting, A::Error> {
                Detailed::deserialize(de::value::MapAccessDeserializer::new(map)).map(CheckSetting::from)
            }
        }
        deserializer.deserialize_any(SettingVisitor)
    }
}

impl JsonSchema for CheckSetting {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CheckSetting".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (action, detailed) = (generator.subschema_for::<Action>(), Detailed::json_schema(generator));
        json_schema!({"anyOf": [action, detailed]})
    }
}
