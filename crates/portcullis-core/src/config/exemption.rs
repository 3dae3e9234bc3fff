//! Exceptions: writes that are exempt from checks, and hosts that move between namespaces.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Expiry, Match, Spanned};

/// Writes that are exempt from some checks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exemption {
    /// The checks, as ids, `family/*` or `*`.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [ingress/snippet, host/*]
    ///   match: {namespaces: {names: [infra]}}
    ///   reason: the platform manages every host
    /// ```
    pub checks: Vec<Spanned<String>>,
    /// The writes.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [ingress/snippet]
    ///   match: {namespaces: {names: [platform]}, ingressClasses: [internal]}
    ///   reason: reviewed by the platform team
    /// ```
    #[serde(rename = "match")]
    pub only: Match,
    /// The reason, which is shown in notices and reports.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [ingress/snippet]
    ///   match: {users: ["system:serviceaccount:platform:*"]}
    ///   reason: reviewed in the repository of the platform
    /// ```
    pub reason: Spanned<String>,
    /// The date or time from which the exemption no longer applies.
    ///
    /// ```yaml
    /// exemptions:
    /// - checks: [ingress/snippet]
    ///   match: {namespaces: {names: [shop]}}
    ///   reason: moves to the Gateway API
    ///   expires: 2027-01-31
    /// ```
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
    ///
    /// ```yaml
    /// handovers:
    /// - {host: "*.shop.example.com", from: web, to: shop, expires: 2027-01-31}
    /// ```
    pub host: Spanned<String>,
    /// The namespace that serves the host now.
    ///
    /// ```yaml
    /// handovers:
    /// - {host: shop.example.com, from: web, to: shop, expires: 2027-01-31}
    /// ```
    pub from: String,
    /// The namespace that will serve the host.
    ///
    /// ```yaml
    /// handovers:
    /// - {host: shop.example.com, from: web, to: shop, expires: 2027-01-31}
    /// ```
    pub to: String,
    /// The date or time from which only one of the two namespaces may serve the host.
    ///
    /// ```yaml
    /// handovers:
    /// - {host: shop.example.com, from: web, to: shop, expires: 2027-01-31T18:00:00Z}
    /// ```
    #[serde(default)]
    pub expires: Option<Expiry>,
}
