//! What a valid configuration contains without effect, so that it should be removed or was meant otherwise.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::decision::label_error;
use super::ignore::names;
use super::resolve::{self, OverridePart};
use super::settings::Settings;
use super::undone::undone;
use super::{Profile, registry};
use crate::cluster::{Cluster, Lookup, Overlay};
use crate::config::{CheckSetting, Config, ConfigError, Exemption, NamespaceSelector, Override, Position, Spanned};
use crate::finding::Action;
use crate::kinds::{Kind, ObjectRef};
use crate::names::glob;

/// The parts that have no effect at `now`, in the order of the files.
pub fn ineffective(settings: &Settings, now: Timestamp) -> Vec<ConfigError> {
    let config = &settings.config;
    let mut all = config.expired(now);
    all.extend(config.handovers.iter().filter(|handover| handover.expires.is_none()).map(|handover| {
        let (host, from, to) = (handover.host.as_str(), &handover.from, &handover.to);
        handover.host.error(format!("the handover of {host} from {from} to {to} never ends: set `expires`"))
    }));
    all.extend(config.exemptions.iter().filter_map(|exemption| off_anyway(exemption, settings)));
    let of_overrides = config.overrides.iter().flat_map(|written| &written.checks);
    all.extend(
        config.checks.iter().chain(of_overrides).flat_map(|(pattern, setting)| repeated_classes(pattern, setting)),
    );
    all.extend(config.overrides.iter().filter_map(|written| relaxed(written, settings)));
    all.extend(repeated_maxima(config));
    all.extend(selectors(config).into_iter().filter(|(_, _, selector)| leaves_out_all(selector)).map(
        |(at, what, _)| {
            ConfigError::new(format!("{what} selects no namespace: notNames leaves out all names"), at.clone())
        },
    ));
    all.extend(undone(settings));
    let status = &config.status;
    if let Some(feature) = status.supported_features.first().filter(|_| !status.is_attested()) {
        all.push(feature.error("supportedFeatures are only listed under `dataPlane: attested`"));
    }
    all.sort_by(|left, right| left.at.cmp(&right.at));
    all
}

/// A warning if every check that the exemption names is off for all writes.
fn off_anyway(exemption: &Exemption, settings: &Settings) -> Option<ConfigError> {
    let is_named = |id: &str| exemption.checks.iter().any(|pattern| names(pattern, id));
    let is_needed = settings.enabled.iter().any(|enabled| is_named(enabled.check.id));
    let from: Vec<&str> = exemption.checks.iter().map(|check| check.as_str()).collect();
    let verb = if from.len() == 1 { "is" } else { "are" };
    (!is_needed).then(|| {
        exemption
            .reason
            .error(format!("the exemption from {0} has no effect: {0} {verb} off for every write", from.join(", ")))
    })
}

/// A warning if the profile of an override is milder than what themes or checks say for all writes, which is easily overlooked. The profile
/// `audit` is meant to be.
fn relaxed(written: &Override, settings: &Settings) -> Option<ConfigError> {
    let (Settings { config, pinned, .. }, name) = (settings, written.profile.as_ref()?);
    let profile = resolve::override_profile(written, *pinned).ok()??;
    if profile.profile == Profile::Audit {
        return None;
    }
    let mut milder = BTreeMap::<String, (Position, Vec<&str>)>::new();
    for check in registry::all() {
        let Some((OverridePart::Profile(_), action)) = resolve::override_part(written, Some(profile), check, *pinned)
        else {
            continue;
        };
        // The first step is the profile of all writes.
        let explicit = resolve::base_steps(check, *pinned, config).skip(1).last();
        if let Some(step) = explicit.filter(|step| step.action > action) {
            milder.entry(step.source).or_insert((step.at, Vec::new())).1.push(check.id);
        }
    }
    let parts: Vec<String> = milder
        .into_iter()
        .map(|(source, (at, ids))| {
            format!("{source} ({}; {} checks, such as {})", at.seen_from(&name.at), ids.len(), ids[0])
        })
        .collect();
    let fix = "repeat them in the override if they shall apply there";
    (!parts.is_empty()).then(|| {
        name.error(format!(
            "profile {} is milder here than settings for all writes: {}; {fix}",
            name.value,
            parts.join(", ")
        ))
    })
}

/// A warning for each maximum action that is the same without it. One for all writes in one of several files keeps another file from
/// setting it.
fn repeated_maxima(config: &Config) -> Vec<ConfigError> {
    let (mut all, mut before) = (Vec::new(), BTreeSet::from([Action::Deny]));
    let of_overrides = config.overrides.iter().map(|written| (&written.max_action, false));
    for (written, is_for_all) in std::iter::once((&config.max_action, true)).chain(of_overrides) {
        let Some(written) = written else { continue };
        let action = written.action();
        let is_guard = is_for_all && written.at.file.is_some();
        if !is_guard && before.iter().all(|before| *before == action) {
            all.push(
                written.error(format!("maxAction: {action} has no effect: it is the maximum without it; remove it")),
            );
        }
        if is_for_all {
            before.clear();
        }
        before.insert(action);
    }
    all
}

fn repeated_classes(pattern: &Spanned<String>, setting: &CheckSetting) -> Vec<ConfigError> {
    let mut seen = BTreeSet::new();
    let rules = setting.options.classes.iter().flatten();
    let repeated: BTreeSet<&str> = rules.map(|rule| rule.class.as_str()).filter(|class| !seen.insert(*class)).collect();
    let warning = |class| {
        pattern
            .error(format!("{} has two entries for class `{class}`, whose namespaces add up: write one", pattern.value))
    };
    repeated.into_iter().map(warning).collect()
}

/// Whether a selector leaves out all namespaces that it names.
fn leaves_out_all(selector: &NamespaceSelector) -> bool {
    let is_left_out = |name: &String| selector.not_names.iter().any(|pattern| glob(pattern, name));
    !selector.names.is_empty() && !selector.needs_labels() && selector.names.iter().all(is_left_out)
}

/// The selectors that select none of these namespaces of a cluster.
pub fn unmatched(config: &Config, cluster: &Cluster, namespaces: &BTreeSet<String>) -> Vec<ConfigError> {
    let nothing = ObjectRef::new(Kind::Namespace, "", "");
    let cluster = Overlay::new(cluster, &nothing);
    let is_unmatched = |selector: &NamespaceSelector| {
        namespaces.iter().all(|namespace| cluster.selects(selector, namespace) == Some(false))
    };
    let unmatched = selectors(config).into_iter().filter(|(_, _, selector)| is_unmatched(selector));
    let unmatched = unmatched.map(|(at, what, selector)| {
        ConfigError::new(format!("{what} selects no namespace that exists ({selector})"), at.clone())
    });
    let moved = config.handovers.iter().flat_map(|handover| {
        let ends = [&handover.from, &handover.to].into_iter().filter(|name| !namespaces.contains(*name));
        ends.map(|name| handover.host.error(format!("the handover names namespace {name}, which does not exist")))
    });
    let mut all: Vec<ConfigError> = unmatched.chain(moved).collect();
    all.sort_by(|left, right| left.at.cmp(&right.at));
    all
}

/// The labels by which these namespaces of a cluster choose a profile that does not exist.
pub fn mislabeled<'n>(
    config: &Config,
    cluster: &Cluster,
    namespaces: impl IntoIterator<Item = &'n str>,
) -> Vec<ConfigError> {
    let nothing = ObjectRef::new(Kind::Namespace, "", "");
    let cluster = Overlay::new(cluster, &nothing);
    let labels = namespaces.into_iter().filter_map(|namespace| match cluster.namespace(namespace) {
        Lookup::Found(facts) => Some(config.namespace_profile_label.as_ref()?.error(label_error(config, facts)?)),
        Lookup::Absent | Lookup::Unknown => None,
    });
    labels.collect()
}

/// Each selector of namespaces, with its position and what it belongs to.
fn selectors(config: &Config) -> Vec<(&Position, String, &NamespaceSelector)> {
    let of_checks = config.checks.iter().filter_map(|(pattern, setting)| {
        let selector = setting.only.as_ref()?.namespaces.as_ref()?;
        Some((&pattern.at, format!("the match of {}", pattern.value), selector))
    });
    let of_overrides = config.overrides.iter().enumerate().filter_map(|(position, written)| {
        Some((&written.only.at, format!("overrides[{position}]"), written.only.namespaces.as_ref()?))
    });
    let of_exemptions = config.exemptions.iter().enumerate().filter_map(|(position, exemption)| {
        Some((&exemption.reason.at, format!("exemptions[{position}]"), exemption.only.namespaces.as_ref()?))
    });
    let of_hosts = config.host_ownership.hosts.iter().filter(|entry| !entry.namespaces.is_empty());
    let of_hosts =
        of_hosts.map(|entry| (&entry.host.at, format!("the entry of {}", entry.host.value), &entry.namespaces));
    of_checks.chain(of_overrides).chain(of_exemptions).chain(of_hosts).collect()
}
