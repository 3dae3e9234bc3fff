//! The typed options of checks. Each check lists the options that it supports.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::{
    AllowedAnnotations, Charset, ClassRule, ForbiddenAnnotation, Match, NamespaceSelector, PortRange, RequiredEntry,
    Risk, UnlistedClasses,
};
use crate::finding::Action;

/// Defines [`Options`], and the long form of a setting, which has the same fields: serde can suggest the right field
/// for a misspelled one only if the map is a single struct.
macro_rules! options {
    ($($(#[$doc:meta])+ $name:literal $field:ident: $type:ty,)+) => {
        /// The options of all checks. Each check lists the options that it supports.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Options {
            $($(#[$doc])+ pub $field: Option<$type>,)+
        }

        impl Options {
            /// Overrides the options that `other` sets.
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
            /// The action; if absent, the less specific setting applies.
            ///
            /// ```yaml
            /// checks: {ingress/snippet: {action: Deny}}
            /// ```
            action: Option<Action>,
            /// The writes to which the setting applies; for all others, the less specific setting does.
            ///
            /// ```yaml
            /// checks: {ingress/snippet: {action: Deny, match: {ingressClasses: [public]}}}
            /// ```
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
    /// The characters that paths may contain.
    ///
    /// ```yaml
    /// checks: {ingress/path-unsafe-character: {action: Deny, charset: nginx-safe}}
    /// ```
    "charset" charset: Charset,
    /// Substrings that paths must not contain.
    ///
    /// ```yaml
    /// checks: {ingress/path-forbidden-text: {action: Deny, substrings: [.php, /admin]}}
    /// ```
    "substrings" substrings: Vec<String>,
    /// Prefixes of annotation keys, such as `nginx.ingress.kubernetes.io/`.
    ///
    /// ```yaml
    /// checks: {ingress/snippet: {action: Deny, prefixes: [nginx.ingress.kubernetes.io/]}}
    /// ```
    "prefixes" prefixes: Vec<String>,
    /// Annotations that are not allowed, by key and value.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-forbidden:
    ///     action: Deny
    ///     annotations: [{key: "nginx.ingress.kubernetes.io/auth-*"}]
    /// ```
    "annotations" annotations: Vec<ForbiddenAnnotation>,
    /// The highest risk of an annotation that is allowed.
    ///
    /// ```yaml
    /// checks: {ingress/annotation-risky: {action: Deny, maxRisk: Medium}}
    /// ```
    "maxRisk" max_risk: Risk,
    /// The only ports that backends or listeners may use.
    ///
    /// ```yaml
    /// checks: {ingress/port-not-allowed: {action: Deny, allow: [80, 443, 8000-8999]}}
    /// ```
    "allow" allow: Vec<PortRange>,
    /// Ports that backends or listeners must not use.
    ///
    /// ```yaml
    /// checks: {listener/port-not-allowed: {action: Deny, deny: [22, 1-79]}}
    /// ```
    "deny" deny: Vec<PortRange>,
    /// The only namespaces that ReferenceGrants may list in `from`.
    ///
    /// ```yaml
    /// checks: {reference-grant/from-not-allowed: {action: Deny, grantees: {notNames: ["sandbox-*"]}}}
    /// ```
    "grantees" grantees: NamespaceSelector,
    /// Classes with the namespaces that may use them.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/class-not-allowed:
    ///     action: Deny
    ///     classes: [{class: internal, namespaces: {labels: {tier: platform}}}]
    /// ```
    "classes" classes: Vec<ClassRule>,
    /// Whether every namespace or none may use classes that are not listed.
    ///
    /// ```yaml
    /// checks:
    ///   gateway/class-not-allowed:
    ///     action: Deny
    ///     unlisted: Deny
    ///     classes: [{class: shared, namespaces: {names: ["*"]}}]
    /// ```
    "unlisted" unlisted: UnlistedClasses,
    /// The only annotations that are allowed, by prefix.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-not-allowed:
    ///     action: Deny
    ///     allowedAnnotations: [{prefix: nginx.ingress.kubernetes.io/, allow: [{key: ssl-redirect}]}]
    /// ```
    "allowedAnnotations" allowed_annotations: Vec<AllowedAnnotations>,
    /// The labels or annotations that objects must have.
    ///
    /// ```yaml
    /// checks: {object/label-required: {action: Deny, required: [{key: example.com/team}]}}
    /// ```
    "required" required: Vec<RequiredEntry>,
    /// The maximum number of different hosts in the rules of an Ingress.
    ///
    /// ```yaml
    /// checks: {ingress/hosts-too-many: {action: Deny, maxHosts: 10}}
    /// ```
    "maxHosts" max_hosts: u32,
    /// The maximum number of paths and matches of all objects of a namespace together, at most 400,000.
    ///
    /// ```yaml
    /// checks: {object/namespace-too-large: {action: Deny, maxEntries: 50000}}
    /// ```
    "maxEntries" max_entries: u32,
    /// Reserved hosts: a hostname, `*.` and a suffix for all names below it, or `*` for listeners without a hostname.
    ///
    /// ```yaml
    /// checks: {listener/host-not-allowed: {action: Deny, hosts: ["*", "*.example.com"]}}
    /// ```
    "hosts" hosts: Vec<String>,
    /// Labels of namespaces that only the platform can set; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// checks: {listener/selector-open: {action: Deny, trustedLabels: ["platform.example.com/*"]}}
    /// ```
    "trustedLabels" trusted_labels: Vec<String>,
    /// The maximum number of routes of a root with everything that it includes.
    ///
    /// ```yaml
    /// checks: {http-proxy/include-too-many-routes: {action: Deny, maxRoutes: 500}}
    /// ```
    "maxRoutes" max_routes: u32,
    /// The maximum number of objects in a chain of delegations.
    ///
    /// ```yaml
    /// checks: {ingress-route/delegation-too-deep: {action: Deny, maxDepth: 5}}
    /// ```
    "maxDepth" max_depth: u32,
    /// The maximum number of listeners of a Gateway with all its ListenerSets.
    ///
    /// ```yaml
    /// checks: {listener-set/listeners-too-many: {action: Deny, maxListeners: 100}}
    /// ```
    "maxListeners" max_listeners: u32,
    /// Controllers, as in `spec.controllerName` of a GatewayClass or `spec.controller` of an IngressClass.
    ///
    /// ```yaml
    /// checks: {gateway-class/controller-reserved: {action: Deny, controllers: [example.com/gateways]}}
    /// ```
    "controllers" controllers: Vec<String>,
    /// The only namespaces in which it is allowed.
    ///
    /// ```yaml
    /// checks: {ingress-route/insecure-permitted: {action: Deny, namespaces: {names: [legacy]}}}
    /// ```
    "namespaces" namespaces: NamespaceSelector,
}

impl Options {
    /// Whether labels of Namespaces are needed to evaluate the options.
    pub fn needs_labels(&self) -> bool {
        let of_classes = self.classes.iter().flatten().map(|rule| &rule.namespaces);
        of_classes.chain(&self.grantees).chain(&self.namespaces).any(NamespaceSelector::needs_labels)
    }
}

/// The setting of a check: an action, or `{action, match, ...options}`.
#[derive(Debug, Clone, Default)]
pub struct CheckSetting {
    /// The action; if absent, the less specific setting applies.
    pub action: Option<Action>,
    /// The writes to which the setting applies; for all others, the less specific setting does.
    pub only: Option<Match>,
    /// The options of the check.
    pub options: Options,
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
        json_schema!({"description": "The setting of a check: an action, or a map with an action, a match and options.", "anyOf": [action, detailed]})
    }
}
