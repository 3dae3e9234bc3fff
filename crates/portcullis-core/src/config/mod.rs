//! What the configuration file says, as values; nothing here decides anything.
//!
//! [`Config::parse`] knows the file's own grammar. Whether an id, an option or a kind exists is judged where those are listed
//! ([`crate::checks::Plan`]), with the places that [`Spanned`] remembers.

mod bundle;
mod data_plane;
mod error;
mod expired;
mod expiry;
mod options;
mod port_range;
mod selector;
mod spanned;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;

pub use bundle::{BundleChannel, BundleVersion, GatewayBundle};
pub use data_plane::{DataPlane, PerIngress};
pub use error::ConfigError;
pub use expiry::{Expiry, Validity};
pub use options::Options;
pub use port_range::PortRange;
pub use selector::{Match, NamespaceSelector};
pub use spanned::Spanned;
pub use values::{AnnotationRule, Charset, ClassRule, Risk};

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
    /// `config.portcullis.dev/v1alpha1`.
    pub api_version: Spanned<String>,
    /// `PortcullisConfiguration`.
    pub kind: Spanned<String>,
    /// The set of actions to start from: `audit`, `baseline`, `restricted` or `kep-758`, pinned to a release by `@0.1`.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// An action for all checks of a theme, over the profile.
    #[serde(default)]
    pub themes: BTreeMap<Theme, Action>,
    /// An action, and more, by id, `family/*` or `*`; the more specific wins, over the themes.
    #[serde(default)]
    pub checks: BTreeMap<Spanned<String>, CheckSetting>,
    /// The defaulters by id, each with its options.
    #[serde(default)]
    pub defaults: BTreeMap<Spanned<String>, DefaultSetting>,
    /// Writes that some checks let pass, each with its reason.
    #[serde(default)]
    pub exemptions: Vec<Exemption>,
    /// Hosts that move from one namespace to another: until then both may serve them.
    #[serde(default)]
    pub handovers: Vec<Handover>,
    /// Which namespaces may claim which hosts.
    #[serde(default)]
    pub host_ownership: HostOwnership,
    /// Classes that are served otherwise than one proxy a class: a list of classes, `""` for none, is served by one proxy; a map names classes
    /// or controllers with a load balancer for each Ingress. It goes before what is known of controllers.
    #[serde(default)]
    pub data_planes: Vec<DataPlane>,
    /// The namespaces that may hold roots, by kind; a trailing `*` stands for anything. A kind with an empty list, or none, has no
    /// restriction.
    #[serde(default)]
    pub root_namespaces: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    /// What IngressRoutes may do beyond the design document.
    #[serde(default)]
    pub extensions: BTreeSet<Extension>,
    /// The bundle of the Gateway API's CRDs, where no API server says which it has; the newest standard one unless something else is said.
    #[serde(default)]
    pub gateway_bundle: Option<GatewayBundle>,
    /// Annotations of a GatewayClass that make it the default beside `gatewayclass.portcullis.dev/is-default-class`, with the value `true`.
    #[serde(default)]
    pub gateway_class_default_keys: Vec<Spanned<String>>,
    /// Whether messages name objects and namespaces other than the author's.
    #[serde(default = "yes")]
    pub reveal_other_namespaces: bool,
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
        }
    }
}

impl Config {
    /// Reads a YAML text; the error carries line, column and, for a misspelt word, the word that was likely meant.
    ///
    /// ```
    /// use portcullis_core::config::Config;
    ///
    /// let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    /// assert!(Config::parse(&format!("{head}profile: baseline\n")).is_ok());
    /// let error = Config::parse(&format!("{head}profil: baseline\n")).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `profile`?"), "{error}");
    /// ```
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        // A bare `Off` is an action here; YAML 1.1 would read it as a boolean.
        let options = serde_saphyr::options! { strict_booleans: true };
        let config: Self = serde_saphyr::from_str_with_options(text, options).map_err(ConfigError::of_yaml)?;
        config.api_version.must_be(API_VERSION, "apiVersion")?;
        config.kind.must_be(KIND, "kind")?;
        Ok(config)
    }

    /// Whether objects of `kind`, by the name in manifests, may be roots in `namespace`.
    pub fn may_hold_roots(&self, kind: &str, namespace: &str) -> bool {
        let listed = self.root_namespaces.iter().find(|(listed, _)| listed.as_str() == kind);
        let allowed = listed.map(|(_, allowed)| allowed).filter(|allowed| !allowed.is_empty());
        allowed.is_none_or(|allowed| allowed.iter().any(|pattern| glob(pattern, namespace)))
    }

    /// Whether the configuration names `namespace` among those that may hold roots of `kind`; not where every namespace may.
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

/// What upstream added to IngressRoute after its design document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extension {
    /// `tcpproxy` and `tls.passthrough`: whole connections.
    TcpProxy,
    /// TLSCertificateDelegation: certificates of other namespaces.
    CertDelegation,
}

/// What a check is about; a theme can be turned as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The object is wrong in itself.
    Shape,
    /// The object refers to something that is not there.
    Reference,
    /// The object contradicts another.
    Conflict,
    /// The object takes what belongs to somebody else.
    Tenancy,
    /// The object is legal and not wanted everywhere.
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

/// What the file says of a check: an action, or `{action, match, ...options}`.
#[derive(Debug, Clone, Default)]
pub struct CheckSetting {
    /// The action; without one, the layer below decides.
    pub action: Option<Action>,
    /// Only these writes are judged.
    pub only: Option<Match>,
    /// The check's own options.
    pub options: Options,
}

/// Whether a defaulter acts, and how.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultSetting {
    /// Whether it acts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What to do when several classes are marked as default; only `ingress/default-class` asks.
    #[serde(default)]
    pub on_multiple_defaults: Option<OnMultipleDefaults>,
    /// The class to fill in; only `http-proxy/ingress-class-default` asks, and must be told.
    #[serde(default)]
    pub class: Option<Spanned<String>>,
}

/// What to do when several classes are marked as default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnMultipleDefaults {
    /// Fill in nothing and warn.
    #[default]
    None,
    /// Fill in the class created last, as the API server's own plugin does.
    Newest,
}

/// Writes that some checks let pass.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exemption {
    /// Which checks: ids, `family/*` or `*`.
    pub checks: Vec<Spanned<String>>,
    /// Which writes.
    #[serde(rename = "match")]
    pub only: Match,
    /// Why; shown to whoever asks.
    pub reason: Spanned<String>,
    /// The day (or instant) from which it no longer holds.
    #[serde(default)]
    pub expires: Option<Expiry>,
}

impl Exemption {
    /// What to say while it holds and ends soon; of any length.
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
    /// The host, precise or a wildcard.
    pub host: Spanned<String>,
    /// The namespace that serves it.
    pub from: String,
    /// The namespace that will.
    pub to: String,
    /// The day (or instant) from which only one of them may.
    #[serde(default)]
    pub expires: Option<Expiry>,
}

/// Which namespaces may claim which hosts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostOwnership {
    /// What a claim of a host that no entry covers is.
    #[serde(default)]
    pub unlisted: Unlisted,
    /// The entries; the most specific one that covers a host decides.
    #[serde(default)]
    pub hosts: Vec<OwnedHost>,
}

/// What a claim of a host that no entry covers is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Unlisted {
    /// Free for everybody.
    #[default]
    Allow,
    /// Refused.
    Deny,
}

/// A host and the namespaces that may claim it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnedHost {
    /// A host or a wildcard, which covers names of any depth below its suffix, and not the suffix itself; `{namespace.name}` and
    /// `{namespace.labels.KEY}` stand for the claimant's own, at most one of them in a label. With labels, those who may label Namespaces
    /// decide who owns the host.
    pub host: Spanned<String>,
    /// Who may claim it.
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
        assert_eq!(config.themes[&Theme::Conflict], Action::Off);
        assert!(config.checks.values().all(|setting| setting.action == Some(Action::Off)));
    }
}
