//! Which namespaces may claim which hosts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NamespaceSelector, Spanned};

/// Which namespaces may claim which hosts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostOwnership {
    /// Whether hosts that no entry covers may be claimed.
    ///
    /// ```yaml
    /// hostOwnership: {unlisted: FirstNamespace}
    /// ```
    #[serde(default)]
    pub unlisted: Unlisted,
    /// What HostClaims mean for hosts that no entry with `claims` covers.
    ///
    /// ```yaml
    /// hostOwnership: {claims: Required}
    /// ```
    #[serde(default)]
    pub claims: ClaimMode,
    /// The entries; the most specific entry that covers a host applies.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   hosts:
    ///   - {host: shop.example.com, namespaces: {names: [shop]}}
    /// ```
    #[serde(default)]
    pub hosts: Vec<OwnedHost>,
    /// Which HostRequests the controller grants, by creating the HostClaim; the others wait for the platform team.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   claims: Required
    ///   grants:
    ///   - {hosts: ["*.{namespace.name}.apps.example.com"], namespaces: {names: ["*"]}, maxPerNamespace: 10}
    /// ```
    #[serde(default)]
    pub grants: Vec<HostGrant>,
}

/// A rule that grants HostRequests.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostGrant {
    /// The hosts that are granted: hostnames, and wildcards, which cover names of any depth. `{namespace.name}` and
    /// `{namespace.labels.KEY}` are replaced by the name and a label of the requesting namespace.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   grants:
    ///   - {hosts: [www.example.com, "*.apps.example.com"], namespaces: {names: ["*"]}}
    /// ```
    pub hosts: Vec<Spanned<String>>,
    /// The namespaces whose requests are granted.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   grants:
    ///   - {hosts: ["*.apps.example.com"], namespaces: {labels: {team: shop}}}
    /// ```
    pub namespaces: NamespaceSelector,
    /// Maximum number of HostClaims of a namespace; none by default. A further request waits.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   grants:
    ///   - {hosts: ["*.apps.example.com"], namespaces: {names: ["*"]}, maxPerNamespace: 10}
    /// ```
    #[serde(default)]
    pub max_per_namespace: Option<u32>,
    /// Whether wildcards are granted, too. A wildcard covers every host below it that has no HostClaim.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   grants:
    ///   - {hosts: ["*.{namespace.name}.apps.example.com"], namespaces: {names: ["*"]}, wildcards: true}
    /// ```
    #[serde(default)]
    pub wildcards: bool,
}

/// Whether hosts that no entry covers may be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Unlisted {
    /// Every namespace may claim them.
    #[default]
    Allow,
    /// No namespace may claim them.
    Deny,
    /// The first namespace that serves a host may claim it, as long as it serves the host.
    FirstNamespace,
}

/// What HostClaims mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ClaimMode {
    /// Nothing: they are ignored.
    #[default]
    Off,
    /// The namespace of a HostClaim owns its host. Other hosts are as `unlisted` says.
    Optional,
    /// The namespace of a HostClaim owns its host. Other hosts may not be claimed, whatever `unlisted` says: it holds only where the CRD of
    /// HostClaims is not installed, and for hosts of entries with other `claims`.
    Required,
}

/// A host and the namespaces that may claim it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnedHost {
    /// A hostname or a wildcard, which covers names of any depth below its suffix, but not the suffix itself. `{namespace.name}` and
    /// `{namespace.labels.KEY}` are replaced by the name and a label of the claiming namespace, at most one of them in a DNS label. If labels
    /// are used, everyone who may label Namespaces decides who owns the host.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   hosts:
    ///   - {host: "*.{namespace.labels.tenant}.apps.example.com", namespaces: {names: ["*"]}}
    /// ```
    pub host: Spanned<String>,
    /// The namespaces that may claim the host.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   hosts:
    ///   - {host: "*.shop.example.com", namespaces: {labels: {team: shop}}}
    /// ```
    #[serde(default)]
    pub namespaces: NamespaceSelector,
    /// What HostClaims mean for the hosts that this entry covers. With `namespaces`, the host itself belongs to these, and every namespace
    /// may have HostClaims for the hosts below it; those without one belong to `namespaces`, too, unless HostClaims are required.
    ///
    /// ```yaml
    /// hostOwnership:
    ///   hosts:
    ///   - {host: "*.apps.example.com", namespaces: {names: [platform]}, claims: Required}
    /// ```
    #[serde(default)]
    pub claims: Option<ClaimMode>,
}
