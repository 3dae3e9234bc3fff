//! The configuration file as typed values. Nothing in this module evaluates objects.
//!
//! [`Config::parse`] validates the grammar of the file. [`crate::checks::Plan`] validates ids, options and kinds, and
//! reports errors at the positions that [`Spanned`] keeps.

mod bundle;
mod data_plane;
mod document;
mod error;
mod expired;
mod expiry;
mod options;
mod overrides;
mod port_range;
mod position;
mod read;
mod selector;
mod spanned;
mod status;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

pub use bundle::{BundleChannel, BundleVersion, GatewayBundle};
pub use data_plane::{DataPlane, PerIngress};
pub use error::{ConfigError, ConfigErrors, UnknownKey};
pub use expiry::{Expiry, Validity};
pub use options::Options;
pub use overrides::Override;
pub use port_range::PortRange;
pub use position::Position;
pub use read::{ConfigFile, ReadConfig, read_document};
pub use selector::{LabelOperator, LabelRequirement, Match, NamespaceSelector};
pub use spanned::Spanned;
pub use status::{CONTROLLER_NAME, DataPlaneClaim, PublishedService, StatusConfig};
pub use values::{
    AllowedAnnotation, AllowedAnnotations, Charset, ClassRule, ForbiddenAnnotation, RequiredEntry, Risk,
    UnlistedClasses, WholeRegex,
};

use crate::finding::Action;
use crate::names::glob;

/// The `apiVersion` of the file.
pub const API_VERSION: &str = "config.portcullis.dev/v1alpha1";
/// The `kind` of the file.
pub const KIND: &str = "PortcullisConfiguration";

/// The configuration of the checks and defaulters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// Must be `config.portcullis.dev/v1alpha1`.
    pub api_version: Spanned<String>,
    /// Must be `PortcullisConfiguration`.
    pub kind: Spanned<String>,
    /// The default actions: `audit`, `baseline`, `restricted` or `kep-758`; a suffix such as `@0.1` pins them to a release.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The action of all checks of a theme; overrides the profile.
    #[serde(default)]
    pub themes: BTreeMap<Spanned<Theme>, Action>,
    /// The action and options of checks by id, `family/*` or `*`; overrides the themes, and the most specific entry wins.
    #[serde(default)]
    pub checks: BTreeMap<Spanned<String>, CheckSetting>,
    /// Settings for some of the writes, which override the profile, the themes and the checks of all writes. Of several that match a write,
    /// the last one wins.
    #[serde(default)]
    pub overrides: Vec<Override>,
    /// The key of a label with which a Namespace chooses a profile by name for its objects. The profile can only tighten: of its action and
    /// the action that applies otherwise, the stricter one wins. Exemptions still apply.
    #[serde(default)]
    pub namespace_profile_label: Option<Spanned<String>>,
    /// The options of defaulters by id.
    #[serde(default)]
    pub defaults: BTreeMap<Spanned<String>, DefaultSetting>,
    /// Writes that are exempt from some checks, each with a reason.
    #[serde(default)]
    pub exemptions: Vec<Exemption>,
    /// Hosts that move from one namespace to another; both may serve the host until the handover expires.
    #[serde(default)]
    pub handovers: Vec<Handover>,
    /// Which namespaces may claim which hosts.
    #[serde(default)]
    pub host_ownership: HostOwnership,
    /// Exceptions from the rule that each class has one proxy. A list names classes that share a proxy (`""` means objects without a class); a
    /// map names classes or controllers that create a load balancer for each Ingress. Overrides what is known about controllers.
    #[serde(default)]
    pub data_planes: Vec<DataPlane>,
    /// The namespaces that may hold roots, by kind; a trailing `*` matches anything. A kind without a list, or with an empty one, is not
    /// restricted.
    #[serde(default)]
    pub root_namespaces: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    /// The enabled extensions of IngressRoute, which are not in its design document.
    #[serde(default)]
    pub extensions: BTreeSet<Extension>,
    /// The release of the Gateway API that is assumed if no API server reports one; the default is the newest release of the standard channel.
    #[serde(default)]
    pub gateway_bundle: Option<GatewayBundle>,
    /// Annotations that mark a GatewayClass as the default if their value is `true`, besides `gatewayclass.portcullis.dev/is-default-class`.
    #[serde(default)]
    pub gateway_class_default_keys: Vec<Spanned<String>>,
    /// Whether messages name objects and namespaces other than those of the author.
    #[serde(default = "yes")]
    pub reveal_other_namespaces: bool,
    /// What the status writer and `portcullis status` say about objects that Portcullis is responsible for.
    #[serde(default)]
    pub status: StatusConfig,
}

const fn yes() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        Self {
            api_version: Spanned::without_position(API_VERSION.to_owned()),
            kind: Spanned::without_position(KIND.to_owned()),
            profile: None,
            themes: BTreeMap::new(),
            checks: BTreeMap::new(),
            overrides: Vec::new(),
            namespace_profile_label: None,
            defaults: BTreeMap::new(),
            exemptions: Vec::new(),
            handovers: Vec::new(),
            host_ownership: HostOwnership::default(),
            data_planes: Vec::new(),
            root_namespaces: BTreeMap::new(),
            extensions: BTreeSet::new(),
            gateway_bundle: None,
            gateway_class_default_keys: Vec::new(),
            reveal_other_namespaces: true,
            status: StatusConfig::default(),
        }
    }
}

impl Config {
    /// Parses a YAML text. The errors have the line and the column, and a suggestion for a misspelled word.
    ///
    /// ```
    /// use portcullis_core::config::Config;
    ///
    /// let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    /// assert!(Config::parse(&format!("{head}profile: baseline\n")).is_ok());
    /// let error = Config::parse(&format!("{head}profil: baseline\n")).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `profile`?"), "{error}");
    /// ```
    pub fn parse(text: &str) -> Result<Self, ConfigErrors> {
        let ReadConfig { config, errors } = ReadConfig::of(&[ConfigFile { name: None, text: text.to_owned() }]);
        match config {
            Some(config) if errors.is_empty() => Ok(config),
            _ => Err(ConfigErrors(errors)),
        }
    }

    /// Whether `namespace` may contain roots of `kind`, which is spelled as in manifests.
    pub fn may_hold_roots(&self, kind: &str, namespace: &str) -> bool {
        let listed = self.root_namespaces.iter().find(|(listed, _)| listed.as_str() == kind);
        let allowed = listed.map(|(_, allowed)| allowed).filter(|allowed| !allowed.is_empty());
        allowed.is_none_or(|allowed| allowed.iter().any(|pattern| glob(pattern, namespace)))
    }

    /// Whether the configuration lists `namespace` among those that may contain roots of `kind`; false if every
    /// namespace may.
    pub fn names_for_roots(&self, kind: &str, namespace: &str) -> bool {
        let is_restricted =
            self.root_namespaces.iter().any(|(listed, only)| listed.as_str() == kind && !only.is_empty());
        is_restricted && self.may_hold_roots(kind, namespace)
    }

    /// The JSON schema of the file, for editors.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// An extension of IngressRoute that is not in its design document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extension {
    /// `tcpproxy` and `tls.passthrough`, which forward whole connections.
    TcpProxy,
    /// TLSCertificateDelegation, which allows certificates of other namespaces.
    CertDelegation,
}

/// The topic of a check. The configuration can set the action of all checks of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The object is invalid by itself.
    Shape,
    /// The object refers to something that does not exist.
    Reference,
    /// The object conflicts with another one.
    Conflict,
    /// The object claims something that belongs to another namespace.
    Tenancy,
    /// The object is valid, but not every platform allows it.
    Policy,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 5] = [Self::Shape, Self::Reference, Self::Conflict, Self::Tenancy, Self::Policy];

    /// The theme's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Reference => "reference",
            Self::Conflict => "conflict",
            Self::Tenancy => "tenancy",
            Self::Policy => "policy",
        }
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

/// The setting of a defaulter.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultSetting {
    /// Whether the defaulter is on.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What to do if several classes are marked as the default; only for `ingress/default-class`.
    #[serde(default)]
    pub on_multiple_defaults: Option<OnMultipleDefaults>,
    /// The class to fill in; only for `http-proxy/ingress-class-default`, which requires it.
    #[serde(default)]
    pub class: Option<Spanned<String>>,
}

/// What to do if several classes are marked as the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnMultipleDefaults {
    /// Fill in nothing and warn.
    #[default]
    None,
    /// Fill in the newest class, like the admission plugin of the API server.
    Newest,
}

/// Writes that are exempt from some checks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exemption {
    /// The checks, as ids, `family/*` or `*`.
    pub checks: Vec<Spanned<String>>,
    /// The writes.
    #[serde(rename = "match")]
    pub only: Match,
    /// The reason, which is shown in notices and reports.
    pub reason: Spanned<String>,
    /// The date or time from which the exemption no longer applies.
    #[serde(default)]
    pub expires: Option<Expiry>,
}

impl Exemption {
    /// The notice that is shown if the exemption expires soon; of any length.
    pub fn notice(&self) -> String {
        let from = self.checks.iter().map(|check| check.as_str()).collect::<Vec<_>>().join(", ");
        let end = self.expires.map(|end| end.to_string()).unwrap_or_default();
        format!("exemption from {from} ends {end}: {}", self.reason.value)
    }
}

/// A host that moves from one namespace to another.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Handover {
    /// The hostname or wildcard.
    pub host: Spanned<String>,
    /// The namespace that serves the host now.
    pub from: String,
    /// The namespace that will serve the host.
    pub to: String,
    /// The date or time from which only one of the two namespaces may serve the host.
    #[serde(default)]
    pub expires: Option<Expiry>,
}

/// Which namespaces may claim which hosts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostOwnership {
    /// Whether hosts that no entry covers may be claimed.
    #[serde(default)]
    pub unlisted: Unlisted,
    /// The entries; the most specific entry that covers a host applies.
    #[serde(default)]
    pub hosts: Vec<OwnedHost>,
}

/// Whether hosts that no entry covers may be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Unlisted {
    /// Every namespace may claim them.
    #[default]
    Allow,
    /// No namespace may claim them.
    Deny,
    /// The first namespace that serves a host may claim it, as long as it serves the host.
    FirstNamespace,
}

/// A host and the namespaces that may claim it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnedHost {
    /// A hostname or a wildcard, which covers names of any depth below its suffix, but not the suffix itself. `{namespace.name}` and
    /// `{namespace.labels.KEY}` are replaced by the name and a label of the claiming namespace, at most one of them in a DNS label. If labels
    /// are used, everyone who may label Namespaces decides who owns the host.
    pub host: Spanned<String>,
    /// The namespaces that may claim the host.
    pub namespaces: NamespaceSelector,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_off_is_an_action_and_no_boolean() {
        let head = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n");
        let text = format!("{head}themes: {{conflict: Off}}\nchecks: {{a/b: Off, c/*: {{action: Off}}}}\n");
        let config = Config::parse(&text).expect("a good configuration");
        assert_eq!(config.themes[&Spanned::without_position(Theme::Conflict)], Action::Off);
        assert!(config.checks.values().all(|setting| setting.action == Some(Action::Off)));
    }
}
