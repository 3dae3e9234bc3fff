//! The options that single checks take, each typed; a check lists which of them are its own.

use std::fmt;

use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::{CheckSetting, Match, NamespaceSelector, PortRange, glob};
use crate::finding::Action;

/// The options of all checks; which of them a check takes is data of the check.
#[derive(Debug, Clone, Default, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The characters that paths may hold.
    pub charset: Option<Charset>,
    /// Texts that no path may hold.
    pub substrings: Option<Vec<String>>,
    /// Prefixes of annotation keys, such as `nginx.ingress.kubernetes.io/`.
    pub prefixes: Option<Vec<String>>,
    /// Annotations that are not wanted, by key and by value.
    pub annotations: Option<Vec<AnnotationRule>>,
    /// The highest risk that an annotation may carry.
    pub max_risk: Option<Risk>,
    /// The ports that backends may name; all others are refused.
    pub allow: Option<Vec<PortRange>>,
    /// The ports that backends may not name.
    pub deny: Option<Vec<PortRange>>,
    /// The namespaces whose objects grants may let refer; all others are refused.
    pub grantees: Option<NamespaceSelector>,
    /// The classes, each with the namespaces that may use it; classes that are not listed are free.
    pub classes: Option<Vec<ClassRule>>,
    /// Hosts that are reserved: each stands for itself and for what is under it, `*` for a listener of every host.
    pub hosts: Option<Vec<String>>,
    /// Labels of namespaces that only the platform sets; a trailing `*` stands for anything.
    pub labels: Option<Vec<String>>,
    /// The most that there may be.
    pub most: Option<u32>,
    /// Controllers, as `domain/path`, whose GatewayClasses are not everybody's to create.
    pub controllers: Option<Vec<String>>,
    /// The namespaces that may; all others may not.
    pub namespaces: Option<NamespaceSelector>,
}

impl Options {
    /// Takes every option that `other` sets.
    pub fn overlay(&mut self, other: &Self) {
        let Self {
            charset,
            substrings,
            prefixes,
            annotations,
            max_risk,
            allow,
            deny,
            grantees,
            classes,
            hosts,
            labels,
            most,
            controllers,
            namespaces,
        } = other.clone();
        self.charset = charset.or(self.charset.take());
        self.substrings = substrings.or(self.substrings.take());
        self.prefixes = prefixes.or(self.prefixes.take());
        self.annotations = annotations.or(self.annotations.take());
        self.max_risk = max_risk.or(self.max_risk.take());
        self.allow = allow.or(self.allow.take());
        self.deny = deny.or(self.deny.take());
        self.grantees = grantees.or(self.grantees.take());
        self.classes = classes.or(self.classes.take());
        self.hosts = hosts.or(self.hosts.take());
        self.labels = labels.or(self.labels.take());
        self.most = most.or(self.most);
        self.controllers = controllers.or(self.controllers.take());
        self.namespaces = namespaces.or(self.namespaces.take());
    }

    /// The names of the options that are set.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            charset,
            substrings,
            prefixes,
            annotations,
            max_risk,
            allow,
            deny,
            grantees,
            classes,
            hosts,
            labels,
            most,
            controllers,
            namespaces,
        } = self;
        let set = [
            ("charset", charset.is_some()),
            ("substrings", substrings.is_some()),
            ("prefixes", prefixes.is_some()),
            ("annotations", annotations.is_some()),
            ("maxRisk", max_risk.is_some()),
            ("allow", allow.is_some()),
            ("deny", deny.is_some()),
            ("grantees", grantees.is_some()),
            ("classes", classes.is_some()),
            ("hosts", hosts.is_some()),
            ("labels", labels.is_some()),
            ("most", most.is_some()),
            ("controllers", controllers.is_some()),
            ("namespaces", namespaces.is_some()),
        ];
        set.into_iter().filter_map(|(name, is_set)| is_set.then_some(name))
    }

    /// Whether a Namespace's labels are needed to decide.
    pub fn needs_labels(&self) -> bool {
        let of_classes = self.classes.iter().flatten().map(|rule| &rule.namespaces);
        of_classes.chain(&self.grantees).chain(&self.namespaces).any(NamespaceSelector::needs_labels)
    }
}

/// Sets of characters that a path may hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Charset {
    /// RFC 3986 path characters and valid `%HH` triplets.
    #[default]
    Rfc3986,
    /// Letters, digits and `. _ - ~ : @ % /` only: nothing that a proxy's configuration language reads.
    NginxSafe,
}

/// How dangerous an annotation is, after the table that ingress-nginx published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, JsonSchema)]
pub enum Risk {
    /// Tunes a number or a switch.
    Low,
    /// Shapes traffic.
    Medium,
    /// Names other hosts or reaches into the proxy's configuration.
    High,
    /// Is configuration.
    Critical,
}

impl Risk {
    /// Every risk, the lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The risk's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
            Self::Critical => "Critical",
        }
    }
}

/// An annotation that is not wanted.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnnotationRule {
    /// The key; a trailing `*` stands for anything.
    pub key: String,
    /// A pattern (syntax of the `regex` crate, unanchored) that a value must match to be unwanted; without one every value is.
    #[serde(default)]
    pub value: Option<Pattern>,
}

impl AnnotationRule {
    /// Whether this annotation is the unwanted one.
    pub fn holds(&self, key: &str, value: &str) -> bool {
        glob(&self.key, key) && self.value.as_ref().is_none_or(|pattern| pattern.0.is_match(value))
    }
}

/// A regular expression that takes linear time on any input.
#[derive(Debug, Clone)]
pub struct Pattern(pub Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Self).map_err(|_| de::Error::custom(format!("`{text}` is not a regular expression")))
    }
}

impl JsonSchema for Pattern {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "regex"})
    }
}

/// A class and the namespaces that may use it.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassRule {
    /// The class.
    pub class: String,
    /// Who may use it.
    pub namespaces: NamespaceSelector,
}

/// The long form of a check's setting: `{action, match, ...options}` in one map.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Detailed {
    action: Option<Action>,
    #[serde(rename = "match")]
    only: Option<Match>,
    charset: Option<Charset>,
    substrings: Option<Vec<String>>,
    prefixes: Option<Vec<String>>,
    annotations: Option<Vec<AnnotationRule>>,
    max_risk: Option<Risk>,
    allow: Option<Vec<PortRange>>,
    deny: Option<Vec<PortRange>>,
    grantees: Option<NamespaceSelector>,
    classes: Option<Vec<ClassRule>>,
    hosts: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    most: Option<u32>,
    controllers: Option<Vec<String>>,
    namespaces: Option<NamespaceSelector>,
}

impl From<Detailed> for CheckSetting {
    fn from(detailed: Detailed) -> Self {
        let Detailed {
            action,
            only,
            charset,
            substrings,
            prefixes,
            annotations,
            max_risk,
            allow,
            deny,
            grantees,
            classes,
            hosts,
            labels,
            most,
            controllers,
            namespaces,
        } = detailed;
        let options = Options {
            charset,
            substrings,
            prefixes,
            annotations,
            max_risk,
            allow,
            deny,
            grantees,
            classes,
            hosts,
            labels,
            most,
            controllers,
            namespaces,
        };
        Self { action, only, options }
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
