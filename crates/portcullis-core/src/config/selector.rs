//! Selectors of writes, by kind, class, namespace, user, group and other attributes of the user.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// The writes to which a setting or an exemption applies. All fields that are set must match; of a list, one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    /// Kinds of objects that are validated, such as `Gateway`.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [host/not-owned]
    ///   match: {kinds: [Gateway, ListenerSet], namespaces: {names: [edge]}}
    ///   reason: the shared Gateway serves the hosts of every team
    /// ```
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Effective classes of an Ingress (its annotation, or else its field).
    ///
    /// ```yaml
    /// overrides:
    /// - match: {ingressClasses: [public]}
    ///   profile: restricted
    /// ```
    #[serde(default)]
    pub ingress_classes: Vec<String>,
    /// The namespace of the object.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {names: ["team-*"]}}
    ///   profile: restricted
    /// ```
    #[serde(default)]
    pub namespaces: Option<NamespaceSelector>,
    /// Users; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [host/not-owned]
    ///   match: {users: ["system:serviceaccount:infra:*"]}
    ///   reason: the platform manages every host
    /// ```
    #[serde(default)]
    pub users: Vec<String>,
    /// Groups of the user; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {groups: [contractors]}
    ///   checks: {ingress/annotation-risky: {action: Deny, maxRisk: Low}}
    /// ```
    #[serde(default)]
    pub groups: Vec<String>,
    /// Keys of `userInfo.extra`, which the authenticator sets, each with values of which the user must have one; a trailing `*` matches
    /// anything.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {extra: {example.com/scopes: [restricted]}}
    ///   profile: restricted
    /// ```
    #[serde(default)]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// Namespaces by name or by labels; one of the two must match. With `notNames` alone, every namespace that it does not list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamespaceSelector {
    /// Names; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {names: [lab, "sandbox-*"]}}
    ///   themes: {policy: Warn}
    /// ```
    #[serde(default)]
    pub names: Vec<String>,
    /// Names that are never selected; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {notNames: ["kube-*"]}}
    ///   themes: {policy: Deny}
    /// ```
    #[serde(default)]
    pub not_names: Vec<String>,
    /// Labels, all of which the Namespace must have.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {labels: {phase: enforced}}}
    ///   themes: {policy: Deny}
    /// ```
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Requirements on labels, as in a label selector of Kubernetes; the Namespace must meet them as well as `labels`.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {matchExpressions: [{key: tier, operator: NotIn, values: [test, demo]}]}}
    ///   themes: {policy: Deny}
    /// ```
    #[serde(default)]
    pub match_expressions: Vec<LabelRequirement>,
}

/// A requirement on a label of a Namespace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelRequirement {
    /// The key of the label.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {matchExpressions: [{key: example.com/tenant, operator: Exists}]}}
    ///   themes: {tenancy: Deny}
    /// ```
    pub key: String,
    /// How the label is compared with the values.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {matchExpressions: [{key: legacy, operator: DoesNotExist}]}}
    ///   themes: {policy: Deny}
    /// ```
    pub operator: LabelOperator,
    /// The values of `In` and `NotIn`.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {matchExpressions: [{key: tier, operator: In, values: [gold, silver]}]}}
    ///   themes: {policy: Deny}
    /// ```
    #[serde(default)]
    pub values: Vec<String>,
}

/// How a label is compared with the values of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum LabelOperator {
    /// The label has one of the values.
    In,
    /// The label has none of the values, or is absent.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
}

impl LabelOperator {
    /// The operator with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "In" => Some(Self::In),
            "NotIn" => Some(Self::NotIn),
            "Exists" => Some(Self::Exists),
            "DoesNotExist" => Some(Self::DoesNotExist),
            _ => None,
        }
    }

    /// Whether a requirement has values.
    pub const fn takes_values(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }
}

/// A requirement on one label, in either form of a selector.
#[derive(Debug, Clone, Copy)]
pub enum LabelCondition<'s> {
    /// The label has this key and this value.
    Equals(&'s str, &'s str),
    /// A requirement with an operator.
    Requirement(&'s LabelRequirement),
}

impl<'s> LabelCondition<'s> {
    /// The key of the label.
    pub fn key(self) -> &'s str {
        match self {
            Self::Equals(key, _) => key,
            Self::Requirement(requirement) => &requirement.key,
        }
    }

    /// Whether a Namespace with this value of the label (`None` without the label) meets it.
    pub fn holds(self, own: Option<&str>) -> bool {
        match self {
            Self::Equals(_, value) => own == Some(value),
            Self::Requirement(requirement) => requirement.holds(own),
        }
    }
}

impl LabelRequirement {
    /// Whether a Namespace with this value of the label (`None` without the label) meets the requirement.
    pub fn holds(&self, own: Option<&str>) -> bool {
        let is_listed = || own.is_some_and(|own| self.values.iter().any(|value| value == own));
        match self.operator {
            LabelOperator::In => is_listed(),
            LabelOperator::NotIn => !is_listed(),
            LabelOperator::Exists => own.is_some(),
            LabelOperator::DoesNotExist => own.is_none(),
        }
    }
}

impl fmt::Display for LabelRequirement {
    /// Prints the requirement as `kubectl --selector` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(", "));
        match self.operator {
            LabelOperator::In if self.values.len() == 1 => write!(f, "{key}={values}"),
            LabelOperator::NotIn if self.values.len() == 1 => write!(f, "{key}!={values}"),
            LabelOperator::In => write!(f, "{key} in ({values})"),
            LabelOperator::NotIn => write!(f, "{key} notin ({values})"),
            LabelOperator::Exists => write!(f, "{key}"),
            LabelOperator::DoesNotExist => write!(f, "!{key}"),
        }
    }
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
        !(self.labels.is_empty() && self.match_expressions.is_empty())
    }

    /// Whether it selects no namespace.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.not_names.is_empty() && !self.needs_labels()
    }

    /// Whether it is written so that it selects every namespace.
    pub fn is_every(&self) -> bool {
        self.names == ["*"] && self.not_names.is_empty() && !self.needs_labels()
    }

    /// The names, if it selects namespaces by complete names alone.
    pub fn exact_names(&self) -> Option<&[String]> {
        let is_exact = self.not_names.is_empty() && !self.needs_labels();
        (is_exact && self.names.iter().all(|name| !name.ends_with('*'))).then_some(&self.names)
    }

    /// The requirements on labels, all of which a Namespace must meet.
    pub fn label_conditions(&self) -> impl Iterator<Item = LabelCondition<'_>> {
        let labels = self.labels.iter().map(|(key, value)| LabelCondition::Equals(key, value));
        labels.chain(self.match_expressions.iter().map(LabelCondition::Requirement))
    }
}

impl fmt::Display for NamespaceSelector {
    /// Describes the namespaces: `namespace web`, `namespaces web, shop`, `namespaces labeled team=web`, `namespaces except kube-*`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equal = self.labels.iter().map(|(key, value)| format!("{key}={value}"));
        let labels: Vec<String> = equal.chain(self.match_expressions.iter().map(ToString::to_string)).collect();
        let labels = labels.join(",");
        match (self.names.as_slice(), labels.as_str()) {
            ([], "") => f.write_str("namespaces"),
            ([], labels) => write!(f, "namespaces labeled {labels}"),
            ([name], "") => write!(f, "namespace {name}"),
            (names, "") => write!(f, "namespaces {}", names.join(", ")),
            ([name], labels) => write!(f, "namespace {name} and namespaces labeled {labels}"),
            (names, labels) => write!(f, "namespaces {} and namespaces labeled {labels}", names.join(", ")),
        }?;
        if self.not_names.is_empty() { Ok(()) } else { write!(f, " except {}", self.not_names.join(", ")) }
    }
}
