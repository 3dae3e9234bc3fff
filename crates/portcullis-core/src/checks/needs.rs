//! What a plan needs to know of the cluster.

use super::object;
use super::settings::Settings;
use crate::cluster::hosts::HOST_HOLDERS;
use crate::cluster::namespace_entries::MAX_NAMESPACE_ENTRIES;
use crate::config::Match;
use crate::finding::Action;
use crate::kinds::{Kind, KindSet};

/// The lowest number of paths and matches beyond which the check of them may deny a write.
pub(super) fn lowest_namespace_limit(settings: &Settings) -> usize {
    let check = &object::namespace_too_large::CHECK;
    let mut enabled = settings.enabled.iter();
    let Some(enabled) = enabled.find(|own| own.check.id == check.id && own.strictest == Action::Deny) else {
        return usize::MAX;
    };
    let base = enabled.options.max_entries.unwrap_or(MAX_NAMESPACE_ENTRIES);
    let layered = settings.layers.options(enabled.index).filter_map(|options| options.max_entries);
    layered.chain([base]).min().map_or(usize::MAX, |lowest| lowest as usize)
}

/// The kinds that the enabled checks of some actions and the configured selectors look up.
pub(super) fn needs(settings: &Settings, is_meant: impl Fn(Action) -> bool + Copy) -> KindSet {
    let Settings { enabled, ownership, .. } = settings;
    let of_checks = || enabled.iter().filter(|enabled| is_meant(enabled.strictest));
    let checks = of_checks().fold(KindSet::EMPTY, |set, enabled| set.union(KindSet::of(enabled.check.needs)));
    // Most checks of hosts ask who owns them.
    let has_checks = of_checks().next().is_some();
    let is_first = ownership.is_first_namespace() && has_checks;
    let checks = if is_first { checks.union(HOST_HOLDERS) } else { checks };
    let has_claims = ownership.needs_claims() && has_checks;
    let checks = if has_claims { checks.union(KindSet::of(&[Kind::HostClaim])) } else { checks };
    match needs_labels(settings, is_meant) {
        true => checks.union(KindSet::of(&[Kind::Namespace])),
        false => checks,
    }
}

/// Whether the configured selectors, or the options of the enabled checks of some actions, depend on labels of Namespaces.
pub(super) fn needs_labels(settings: &Settings, is_meant: impl Fn(Action) -> bool) -> bool {
    let mut of_checks = settings.enabled.iter().filter(|enabled| is_meant(enabled.strictest));
    settings.layers.has_label()
        || settings.selectors().any(Match::needs_labels)
        || of_checks.any(|enabled| enabled.options.needs_labels())
        || settings.ownership.needs_labels()
}
