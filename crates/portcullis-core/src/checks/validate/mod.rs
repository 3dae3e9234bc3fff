//! Validates a configuration beyond its grammar: unknown ids, options and profiles, and contradictions.

mod selectors;
mod settings;
mod status;

pub use settings::with_options;

use std::collections::BTreeMap;

use super::pinned_profile::pinned;
use super::settings::must_name_a_check;
use crate::cluster::{HostTemplate, Ownership};
use crate::config::{
    Config, ConfigError, DataPlane, DefaultSetting, Exemption, HostGrant, OwnedHost, Remains, Spanned,
};
use crate::matching::Host;
use crate::names;

/// The kinds whose objects give hosts to other objects, so that their namespaces can be restricted.
const ROOT_KINDS: [&str; 4] = ["Gateway", "HTTPProxy", "IngressRoute", "ListenerSet"];

/// The defaulter that requires a class in its configuration.
const NAMES_CLASS: &str = "http-proxy/ingress-class-default";

/// All errors, in the order of the file.
pub fn validate(config: &Config) -> Result<(), Vec<ConfigError>> {
    let mut errors = faults(config);
    errors.extend(gaps_in_entries(config));
    errors.extend(gaps_between_entries(config, &[]));
    errors.sort_by(|left, right| left.at.cmp(&right.at));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The errors in what a configuration with errors in its form lacks, as far as it could be read.
pub fn gaps(remains: &Remains) -> Vec<ConfigError> {
    let Some(sound) = &remains.sound else { return Vec::new() };
    let mut errors = gaps_in_entries(sound);
    if remains.has_all_files {
        errors.extend(gaps_between_entries(sound, &remains.unread_checks));
    }
    errors
}

/// The errors in what the entries of a configuration lack.
fn gaps_in_entries(config: &Config) -> Vec<ConfigError> {
    let exemptions = config.exemptions.iter().flat_map(gaps_in_exemption);
    let hosts = config.host_ownership.hosts.iter().flat_map(gaps_in_owned_host);
    let grants = config.host_ownership.grants.iter().flat_map(gaps_in_grant);
    let planes = config.data_planes.iter().filter_map(gap_in_data_plane);
    exemptions.chain(hosts).chain(grants).chain(planes).chain(settings::gaps_in_entries(config)).collect()
}

/// The errors in what entries lack and other entries could say. Of `unread_checks`, some settings could not be read.
fn gaps_between_entries(config: &Config, unread_checks: &[String]) -> Vec<ConfigError> {
    let classes = config.defaults.iter().filter_map(|(id, setting)| missing_class(id, setting));
    settings::gaps_between_checks(config, unread_checks).into_iter().chain(classes).collect()
}

/// The errors in what a configuration says, whatever it lacks.
pub fn faults(config: &Config) -> Vec<ConfigError> {
    let mut errors: Vec<ConfigError> = pinned(config.profile.as_ref()).err().into_iter().collect();
    errors.extend(settings::of_checks(&config.checks));
    errors.extend(settings::of_overrides(config));
    errors.extend(config.namespace_profile_label.as_ref().and_then(label_key));
    errors.extend(config.defaults.iter().filter_map(|(id, setting)| defaulter(id, setting)));
    errors.extend(exemptions(config));
    errors.extend(handovers(config));
    errors.extend(owned_hosts(config));
    errors.extend(granted_hosts(config));
    errors.extend(Ownership::new(&config.host_ownership).err().into_iter().flatten());
    errors.extend(data_planes(config));
    errors.extend(status::of_status(&config.status));
    errors.extend(config.root_namespaces.keys().filter_map(root_kind));
    errors.extend(config.root_namespaces.values().flatten().filter_map(root_namespace));
    errors.extend(config.gateway_class_default_keys.iter().filter_map(annotation_key));
    errors
}

fn defaulter(id: &Spanned<String>, setting: &DefaultSetting) -> Option<ConfigError> {
    let ids = crate::defaults::registry::ALL.iter().map(|defaulter| defaulter.id);
    let is_class_filler = id.value == NAMES_CLASS;
    match &setting.class {
        _ if !ids.clone().any(|known| known == id.value) => Some(id.unknown("defaulter", ids)),
        Some(class) if !is_class_filler => Some(class.error(format!("`class` is not an option of {}", id.value))),
        Some(class) if class.trim().is_empty() => Some(class.error("`class` must not be empty")),
        _ => None,
    }
}

fn missing_class(id: &Spanned<String>, setting: &DefaultSetting) -> Option<ConfigError> {
    let is_missing = id.value == NAMES_CLASS && setting.class.is_none() && setting.enabled;
    is_missing.then(|| id.error(format!("{} requires `class`", id.value)))
}

fn exemptions(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for exemption in &config.exemptions {
        errors.extend(exemption.checks.iter().filter_map(|pattern| must_name_a_check(pattern).err()));
        errors.extend(selectors::of_match(&exemption.reason, &exemption.only));
        if exemption.reason.trim().is_empty() {
            errors.push(exemption.reason.error("the exemption requires a reason"));
        }
    }
    errors
}

fn gaps_in_exemption(exemption: &Exemption) -> Vec<ConfigError> {
    let mut errors = selectors::gaps_in_match(&exemption.reason, &exemption.only);
    if exemption.checks.is_empty() {
        errors.push(exemption.reason.error("the exemption must list at least one check"));
    }
    if exemption.only.is_empty() {
        errors.push(exemption.reason.error("the exemption matches every write; turn the checks off instead"));
    }
    errors
}

fn handovers(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for handover in &config.handovers {
        let at = &handover.host;
        errors.extend(host(at));
        errors.extend([&handover.from, &handover.to].into_iter().filter_map(|name| selectors::namespace(at, name)));
        if handover.from == handover.to {
            errors.push(at.error(format!("a handover from {0} to {0} changes nothing", handover.from)));
        }
    }
    errors
}

/// An error if no Ingress can have this host. Like all hosts, it is compared without regard to upper case and a
/// trailing dot.
fn host(written: &Spanned<String>) -> Option<ConfigError> {
    // `Ownership::new` reports placeholders that do not exist.
    let specimen = HostTemplate::parse(written).ok()?.map(|template| template.specimen());
    let form = Host::parse(specimen.as_deref().unwrap_or(written)).to_string();
    let is_host = !written.is_empty() && (form == "*" || names::is_wildcard(&form) || names::is_subdomain(&form));
    let example = "use a DNS name such as shop.example.com, `*.` and a DNS name, or `*`";
    (!is_host).then(|| written.error(format!("`{}` is not a valid host: {example}", written.value)))
}

/// An error if the template of an entry can give two namespaces the same host.
fn ambiguous(written: &Spanned<String>) -> Option<ConfigError> {
    let template = HostTemplate::parse(written).ok()??;
    let fix = "two namespaces could get one host; put a dot between the placeholders";
    template
        .is_ambiguous()
        .then(|| written.error(format!("`{}` has two placeholders in one label, so {fix}", written.value)))
}

fn owned_hosts(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    let mut seen = BTreeMap::new();
    for entry in &config.host_ownership.hosts {
        errors.extend(host(&entry.host).or_else(|| ambiguous(&entry.host)));
        errors.extend(selectors::of_namespaces(&entry.host, &entry.namespaces));
        let canonical = Host::parse(&entry.host).to_string();
        if let Some(before) = seen.insert(canonical, &entry.host.at) {
            let before = before.seen_from(&entry.host.at);
            errors.push(entry.host.error(format!("`{}` already has an entry {before}", entry.host.value)));
        }
    }
    errors
}

fn gaps_in_owned_host(entry: &OwnedHost) -> Vec<ConfigError> {
    let mut errors = selectors::gaps_in_namespaces(&entry.host, &entry.namespaces);
    let host = &entry.host;
    if entry.namespaces.is_empty() && entry.claims.is_none() {
        errors.push(host.error(format!("no namespace may claim `{}`: set names or labels", host.value)));
    }
    if entry.claims.is_some() && host.contains('{') {
        errors.push(host.error(format!("`{}` has placeholders: set `claims` for a host without them", host.value)));
    }
    errors
}

/// What a rule that grants HostRequests lacks. One without hosts has no position, and grants nothing.
fn gaps_in_grant(grant: &HostGrant) -> Vec<ConfigError> {
    let Some(first) = grant.hosts.first() else { return Vec::new() };
    let mut errors = selectors::gaps_in_namespaces(first, &grant.namespaces);
    if grant.namespaces.is_empty() {
        errors.push(first.error(format!("the rule for `{}` has no namespaces: set names or labels", first.value)));
    }
    errors
}

fn granted_hosts(config: &Config) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for grant in &config.host_ownership.grants {
        errors.extend(grant.hosts.iter().filter_map(|written| host(written).or_else(|| ambiguous(written))));
        errors.extend(
            grant.hosts.first().into_iter().flat_map(|first| selectors::of_namespaces(first, &grant.namespaces)),
        );
    }
    errors
}

/// The errors in the data planes: invalid class names, and classes that are in two data planes.
fn data_planes(config: &Config) -> Vec<ConfigError> {
    let (mut errors, mut seen) = (Vec::new(), BTreeMap::new());
    for plane in &config.data_planes {
        let classes = match plane {
            DataPlane::Shared(classes) => classes,
            DataPlane::PerIngress(entry) => &entry.classes,
        };
        for class in classes {
            if !(names::is_subdomain(class) || class.is_empty()) {
                errors.push(class.error(format!("`{}` is not a valid name of an IngressClass", class.value)));
            }
            if let Some(before) = seen.insert(class.value.clone(), &class.at) {
                let before = before.seen_from(&class.at);
                errors.push(class.error(format!("class `{}` is already in a data plane {before}", class.value)));
            }
        }
    }
    errors
}

fn gap_in_data_plane(plane: &DataPlane) -> Option<ConfigError> {
    let DataPlane::PerIngress(entry) = plane else { return None };
    let message = "perIngress must be `true` and requires `classes` or `controllers`; if the classes share a proxy, write them as a plain list instead";
    let is_complete = entry.per_ingress.value && !(entry.classes.is_empty() && entry.controllers.is_empty());
    (!is_complete).then(|| entry.per_ingress.error(message))
}

fn root_kind(kind: &Spanned<String>) -> Option<ConfigError> {
    (!ROOT_KINDS.contains(&kind.as_str())).then(|| kind.unknown("kind with roots", ROOT_KINDS))
}

fn root_namespace(name: &Spanned<String>) -> Option<ConfigError> {
    if name.ends_with('*') { None } else { selectors::namespace(name, name) }
}

fn annotation_key(key: &Spanned<String>) -> Option<ConfigError> {
    let example = "use a name such as default, or one with a domain such as example.com/default";
    let is_valid = names::is_label_key(key);
    (!is_valid).then(|| key.error(format!("`{}` is not a valid annotation key: {example}", key.value)))
}

fn label_key(key: &Spanned<String>) -> Option<ConfigError> {
    let example = "use a key such as example.com/profile";
    (!names::is_label_key(key)).then(|| key.error(format!("`{}` is not a valid label key: {example}", key.value)))
}
