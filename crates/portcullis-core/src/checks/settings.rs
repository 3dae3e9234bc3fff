//! A configuration, resolved for every check, and the names of checks in it.

use super::enabled::EnabledChecks;
use super::ignore::names;
use super::layers::Layers;
use super::pinned_profile::PinnedProfile;
use super::registry;
use crate::bundle::Bundle;
use crate::cluster::{DataPlanes, Overlay, Ownership, Subject};
use crate::config::{Config, ConfigError, Match, Spanned};
use crate::finding::Action;
use crate::kinds::Kind;
use crate::kinds::ingress::Classes;
use crate::routing::delegation::HostRule;

/// A configuration, resolved for every check.
#[derive(Debug)]
pub struct Settings {
    /// The configuration.
    pub config: Config,
    /// Its profile.
    pub pinned: PinnedProfile,
    /// The enabled checks.
    pub enabled: EnabledChecks,
    /// The settings that apply to some of the writes.
    pub layers: Layers,
    /// Which namespaces may claim which host.
    pub ownership: Ownership,
    /// Which classes are served by the same data plane.
    pub data_planes: DataPlanes,
    /// The Gateway API bundle to assume where the API server does not report one.
    pub bundle: Bundle,
}

impl Settings {
    /// The selectors of all layers and exemptions.
    pub fn selectors(&self) -> impl Iterator<Item = &Match> {
        let exemptions = self.config.exemptions.iter().map(|exemption| &exemption.only);
        self.layers.selectors().chain(exemptions)
    }
}

/// The check that denies claims of hosts that others own.
pub const HOST_RULE: &str = "host/not-owned";

impl HostRule for Settings {
    fn denies(&self, subject: &Subject<'_>, cluster: &Overlay<'_>) -> bool {
        let mut enabled = self.enabled.of(Kind::IngressRoute);
        enabled.find(|enabled| enabled.check.id == HOST_RULE).is_some_and(|enabled| {
            let matched = self.layers.matching(&Classes::of(subject.class), subject, cluster);
            self.layers.effective(enabled, &matched).action == Action::Deny
        })
    }
}

/// Rejects a pattern that matches no check.
pub fn must_name_a_check(pattern: &Spanned<String>) -> Result<(), ConfigError> {
    let ids = registry::all().map(|check| check.id);
    if ids.clone().any(|id| names(pattern, id)) {
        return Ok(());
    }
    if !pattern.ends_with("/*") {
        return Err(match pattern.contains('*') {
            true => pattern
                .error(format!("`{}` matches no check: use `FAMILY/*`, such as `ingress/*`, or ids", pattern.value)),
            false => pattern.unknown("check", ids),
        });
    }
    let families: Vec<_> = ids.filter_map(|id| id.split_once('/')).map(|(family, _)| format!("{family}/*")).collect();
    Err(pattern.unknown("family", families.iter().map(String::as_str)))
}

/// Rejects what is not the id of one check.
pub fn must_name_one_check(id: &Spanned<String>) -> Result<(), ConfigError> {
    match registry::find(id) {
        Some(_) => Ok(()),
        None => Err(id.unknown("check", registry::all().map(|check| check.id))),
    }
}
