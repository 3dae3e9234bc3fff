//! The configuration file as typed values. Nothing in this module evaluates objects.
//!
//! [`Config::parse`] validates the grammar of the file. [`crate::checks::Plan`] validates ids, options and kinds, and
//! reports errors at the positions that [`Spanned`] keeps.

mod acme_solvers;
mod bundle;
mod data_plane;
mod defaults;
mod document;
mod error;
mod exemption;
mod expired;
mod expiry;
mod extension;
mod max_action;
mod options;
mod overrides;
mod ownership;
mod port_range;
mod position;
mod read;
mod selector;
mod spanned;
mod status;
mod theme;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

pub use acme_solvers::{AcmeSolvers, CERT_MANAGER};
pub use bundle::{BundleChannel, BundleVersion, GatewayBundle};
pub use data_plane::{DataPlane, PerIngress};
pub use defaults::{DefaultSetting, OnMultipleDefaults};
pub use document::QUOTE_ALIAS;
pub use error::{ConfigError, ConfigErrors, UnknownKey};
pub use exemption::{Exemption, Handover};
pub use expiry::{Expiry, Validity};
pub use extension::Extension;
pub use max_action::MaxAction;
pub use options::{CheckSetting, Options};
pub use overrides::Override;
pub use ownership::{ClaimMode, HostGrant, HostOwnership, OwnedHost, Unlisted};
pub use port_range::PortRange;
pub use position::Position;
pub use read::{ConfigFile, ReadConfig, Remains, read_document};
pub use selector::{LabelCondition, LabelOperator, LabelRequirement, Match, NamespaceSelector};
pub use spanned::Spanned;
pub use status::{CONTROLLER_NAME, DataPlaneClaim, PublishedService, StatusConfig, TlsModes};
pub use theme::Theme;
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
    ///
    /// ```yaml
    /// apiVersion: config.portcullis.dev/v1alpha1
    /// kind: PortcullisConfiguration
    /// ```
    pub api_version: Spanned<String>,
    /// Must be `PortcullisConfiguration`.
    ///
    /// ```yaml
    /// apiVersion: config.portcullis.dev/v1alpha1
    /// kind: PortcullisConfiguration
    /// ```
    pub kind: Spanned<String>,
    /// The default actions: `audit`, `baseline` (the default), `restricted` or `kep-758`; a suffix such as `@0.1` pins them to a release.
    ///
    /// ```yaml
    /// profile: restricted@0.1
    /// ```
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The maximum action of all checks, whatever sets a stricter one: with `Warn`, nothing is denied. An override can set another maximum for
    /// some of the writes.
    ///
    /// ```yaml
    /// profile: restricted
    /// maxAction: Warn
    /// ```
    #[serde(default)]
    pub max_action: Option<Spanned<MaxAction>>,
    /// The action of all checks of a theme (`shape`, `reference`, `conflict`, `tenancy` or `policy`); overrides the profile.
    ///
    /// ```yaml
    /// themes: {policy: Warn, conflict: Deny}
    /// ```
    #[serde(default)]
    pub themes: BTreeMap<Spanned<Theme>, Action>,
    /// The action and options of checks by id, `family/*` or `*`; overrides the themes, and the most specific entry wins. `*` and `family/*`
    /// also switch on checks that the profile has off, but not those that are off in every profile: only their id does.
    ///
    /// ```yaml
    /// checks:
    ///   "*": Warn
    ///   ingress/*: Deny
    ///   ingress/annotation-risky: {action: Warn, maxRisk: Medium}
    /// ```
    #[serde(default)]
    pub checks: BTreeMap<Spanned<String>, CheckSetting>,
    /// Settings for some of the writes, which override the profile, the themes and the checks of all writes. Of several that match a write,
    /// the last one wins.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {labels: {phase: enforced}}}
    ///   themes: {policy: Deny}
    /// - match: {namespaces: {names: [lab]}}
    ///   checks: {ingress/snippet: Off}
    /// ```
    #[serde(default)]
    pub overrides: Vec<Override>,
    /// The key of a label with which a Namespace chooses a profile by name for its objects. The profile can only tighten: of its action and
    /// the action that applies otherwise, the stricter one wins. Exemptions still apply.
    ///
    /// ```yaml
    /// namespaceProfileLabel: example.com/profile
    /// ```
    #[serde(default)]
    pub namespace_profile_label: Option<Spanned<String>>,
    /// The options of defaulters by id.
    ///
    /// ```yaml
    /// defaults: {ingress/default-path-type: {enabled: false}}
    /// ```
    #[serde(default)]
    pub defaults: BTreeMap<Spanned<String>, DefaultSetting>,
    /// Writes that are exempt from some checks, each with a reason.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [host/not-owned]
    ///   match: {namespaces: {names: [platform]}}
    ///   reason: its Gateway serves the hosts of every team
    /// ```
    #[serde(default)]
    pub exemptions: Vec<Exemption>,
    /// Hosts that move from one namespace to another; both may serve the host until the handover expires.
    ///
    /// ```yaml
    /// handovers:
    /// - {host: shop.example.com, from: web, to: shop, expires: 2027-01-31}
    /// ```
    #[serde(default)]
    pub handovers: Vec<Handover>,
    /// Which namespaces may claim which hosts.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   unlisted: FirstNamespace
    ///   hosts:
    ///   - {host: shop.example.com, namespaces: {names: [shop]}}
    /// ```
    #[serde(default)]
    pub host_ownership: HostOwnership,
    /// Exceptions from the rule that each class has one proxy. A list names classes that share a proxy (`""` means objects without a class); a
    /// map names classes or controllers that create a load balancer for each Ingress. Overrides what is known about controllers.
    ///
    /// ```yaml
    /// dataPlanes:
    /// - [public, internal, ""]
    /// - {perIngress: true, classes: [lb]}
    /// ```
    #[serde(default)]
    pub data_planes: Vec<DataPlane>,
    /// Who may answer ACME challenges for hosts of other namespaces.
    ///
    /// ```yaml
    /// acmeSolvers: {users: ["system:serviceaccount:certificates:cert-manager"]}
    /// ```
    #[serde(default)]
    pub acme_solvers: AcmeSolvers,
    /// The namespaces that may hold roots, by kind; a trailing `*` matches anything. A kind without a list, or with an empty one, is not
    /// restricted.
    ///
    /// ```yaml
    /// rootNamespaces: {IngressRoute: [roots], Gateway: ["infra-*"]}
    /// ```
    #[serde(default)]
    pub root_namespaces: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    /// The enabled extensions of IngressRoute, which are not in its design document.
    ///
    /// ```yaml
    /// extensions: [tcpproxy, certdelegation]
    /// ```
    #[serde(default)]
    pub extensions: BTreeSet<Extension>,
    /// The release of the Gateway API that is assumed if no API server reports one; the default is the newest release of the standard channel.
    ///
    /// ```yaml
    /// gatewayBundle: {version: 1.6, channel: experimental}
    /// ```
    #[serde(default)]
    pub gateway_bundle: Option<GatewayBundle>,
    /// Annotations that mark a GatewayClass as the default if their value is `true`, besides `gatewayclass.portcullis.dev/is-default-class`.
    ///
    /// ```yaml
    /// gatewayClassDefaultKeys: [example.com/is-default-class]
    /// ```
    #[serde(default)]
    pub gateway_class_default_keys: Vec<Spanned<String>>,
    /// Whether messages name objects and namespaces other than those of the author.
    ///
    /// ```yaml
    /// revealOtherNamespaces: false
    /// ```
    #[serde(default = "yes")]
    pub reveal_other_namespaces: bool,
    /// What the status writer and `portcullis status` say about objects that Portcullis is responsible for.
    ///
    /// ```yaml
    /// status:
    ///   controllerName: example.com/gateways
    ///   publishService: [{namespace: infra, name: proxy}]
    /// ```
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
            max_action: None,
            themes: BTreeMap::new(),
            checks: BTreeMap::new(),
            overrides: Vec::new(),
            namespace_profile_label: None,
            defaults: BTreeMap::new(),
            exemptions: Vec::new(),
            handovers: Vec::new(),
            host_ownership: HostOwnership::default(),
            data_planes: Vec::new(),
            acme_solvers: AcmeSolvers::default(),
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
        let ReadConfig { config, errors, .. } = ReadConfig::of(&[ConfigFile { name: None, text: text.to_owned() }]);
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
