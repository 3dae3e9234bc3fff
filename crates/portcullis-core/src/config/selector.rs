//! Selectors of writes, by class, namespace, user, group and other attributes of the user.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// The writes to which a check or an exemption applies. All fields that are set must match; of a list, one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    /// Effective classes of an Ingress (its annotation, or else its field).
    #[serde(default)]
    pub ingress_classes: Vec<String>,
    /// The namespace of the object.
    #[serde(default)]
    pub namespaces: Option<NamespaceSelector>,
    /// Users; a trailing `*` matches anything.
    #[serde(default)]
    pub users: Vec<String>,
    /// Groups of the user; a trailing `*` matches anything.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Keys of `userInfo.extra`, which the authenticator sets, each with values of which the user must have one; a trailing `*` matches
    /// anything.
    #[serde(default)]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Namespaces by name or by labels; one of the two must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamespaceSelector {
    /// Names; a trailing `*` matches anything.
    #[serde(default)]
    pub names: Vec<String>,
    /// Labels, all of which the Namespace must have.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl Match {
    /// Whether it matches every write.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it depends on the user.
    pub fn needs_user(&self) -> bool {
        !(self.users.is_empty() && self.groups.is_empty() && self.extra.is_empty())
    }

    /// Whether it depends on the labels of Namespaces.
    pub fn needs_labels(&self) -> bool {
        self.namespaces.as_ref().is_some_and(NamespaceSelector::needs_labels)
    }
}

impl NamespaceSelector {
    /// Whether it depends on the labels of Namespaces.
    pub fn needs_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Whether it selects no namespace.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.labels.is_empty()
    }
}
