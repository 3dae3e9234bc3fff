//! Which writes something applies to: by class, namespace, user, group, and what else the API server knows of the user.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Narrows a check or an exemption: every field that is given must hold; inside a list, one entry suffices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    /// The effective class of the Ingress (annotation, then field).
    #[serde(default)]
    pub ingress_classes: Vec<String>,
    /// The object's namespace.
    #[serde(default)]
    pub namespaces: Option<NamespaceSelector>,
    /// The user who writes; a trailing `*` stands for anything.
    #[serde(default)]
    pub users: Vec<String>,
    /// A group of the user; a trailing `*` stands for anything.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What the authenticator says of the user beyond name and groups: keys of `userInfo.extra`, each with values of which one
    /// must be there; a trailing `*` stands for anything.
    #[serde(default)]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Namespaces by name or by labels: either suffices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamespaceSelector {
    /// Names; a trailing `*` stands for anything.
    #[serde(default)]
    pub names: Vec<String>,
    /// Labels that the Namespace must all carry.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl Match {
    /// Whether it narrows nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it hangs on who writes.
    pub fn needs_user(&self) -> bool {
        !(self.users.is_empty() && self.groups.is_empty() && self.extra.is_empty())
    }

    /// Whether a Namespace's labels are needed to decide.
    pub fn needs_labels(&self) -> bool {
        self.namespaces.as_ref().is_some_and(NamespaceSelector::needs_labels)
    }
}

impl NamespaceSelector {
    /// Whether a Namespace's labels are needed to decide.
    pub fn needs_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Whether it names no namespace at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.labels.is_empty()
    }
}
