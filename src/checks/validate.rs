//! What is wrong with a configuration beyond its grammar: ids, options and profiles that do not exist, and contradictions.

use std::collections::BTreeMap;

use super::registry;
use super::settings::{self, must_name_a_check};
use crate::config::{CheckSetting, Config, ConfigError, Marked, NamespaceSelector};
use crate::matching::Host;

/// The kinds whose objects own hosts for others, so that it matters where they live.
const ROOT_KINDS: [&str; 4] = ["Gateway", "HTTPProxy", "IngressRoute", "ListenerSet"];

/// All faults, in the order of the file.
pub fn validate(config: &Config) -> Result<(), Vec<ConfigError>> {
    let mut errors: Vec<ConfigError> = settings::pinned(config.profile.as_ref()).err().into_iter().collect();
    errors.extend(config.checks.iter().flat_map(|(pattern, setting)| check_setting(pattern, setting)));
    errors.extend(config.defaults.keys().filter_map(defaulter));
    errors.extend(exemptions(config));
    errors.extend(handovers(config));
    errors.extend(owned_hosts(config));
    errors.extend(config.root_namespaces.keys().filter_map(root_kind));
    errors.sort_by_key(|error| (error.line, error.column));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_setting(pattern: &Marked<String>, setting: &CheckSetting) -> Vec<ConfigError> {
    if let Err(unknown) = must_name_a_check(pattern) {
        return vec![unknown];
    }
    let nowhere =
        setting.only.as_ref().and_then(|only| only.namespaces.as_ref()).is_some_and(NamespaceSelector::is_empty);
    if nowhere {
        return vec![
            pattern.error(format!("match.namespaces of {} selects none: give names or labels", pattern.value)),
        ];
    }
    let named = registry::all().filter(|check| settings::names(pattern, check.id));
    let foreign = |option: &&str| !named.clone().any(|check| check.options.contains(option));
    let options = setting.options.names().filter(foreign);
    options.map(|option| pattern.error(format!("`{option}` is not an option of {}", pattern.value))).collect()
}

fn defaulter(id: &Marked<String>) -> Option<ConfigError> {
    let ids = crate::defaults::registry::ALL.iter().map(|defaulter| defaulter.id);
    (!ids.clone().any(|known| known == id.value)).then(|| id.unknown("defaulter", ids))
}

fn exemptions(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for exemption in &config.exemptions {
        errors.extend(exemption.checks.iter().filter_map(|pattern| must_name_a_check(pattern).err()));
        if exemption.checks.is_empty() {
            errors.push(exemption.reason.error("the exemption names no check"));
        }
        if exemption.only.is_empty() {
            errors.push(exemption.reason.error("the exemption matches every write; turn the checks off instead"));
        }
        if exemption.reason.trim().is_empty() {
            errors.push(exemption.reason.error("an exemption needs a reason"));
        }
    }
    errors
}

fn handovers(config: &Config) -> Vec<ConfigError> {
    let same = config.handovers.iter().filter(|handover| handover.from == handover.to);
    same.map(|handover| handover.host.error(format!("a handover from {0} to {0} changes nothing", handover.from)))
        .collect()
}

fn owned_hosts(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    let mut seen = BTreeMap::new();
    for entry in &config.host_ownership.hosts {
        let host = Host::parse(&entry.host).to_string();
        if let Some(line) = seen.insert(host, entry.host.line) {
            errors.push(entry.host.error(format!("`{}` has an entry at line {line} already", entry.host.value)));
        }
        if entry.namespaces.is_empty() {
            errors
                .push(entry.host.error(format!("nobody may claim `{}`: name or select a namespace", entry.host.value)));
        }
    }
    errors
}

fn root_kind(kind: &Marked<String>) -> Option<ConfigError> {
    (!ROOT_KINDS.contains(&kind.as_str())).then(|| kind.unknown("kind with roots", ROOT_KINDS))
}
