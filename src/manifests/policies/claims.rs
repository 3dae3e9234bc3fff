//! HostClaims as a parameter of policies: the list that the controller keeps, and the decision by it as an expression of CEL.

use portcullis_core::config::{Config, Unlisted};
use portcullis_core::matching::claim_name::WILDCARD_LABEL;

use super::cel::quoted;
use super::entries::{ALLOWED, COVERS, Entries, TEMPLATES, UNLISTED, mode_name, most_hosts};

/// The kind of the list of the HostClaims with an effect (`manifests/components/host-claims/hostgrants.yaml`).
#[derive(Debug)]
pub enum HostGrants {}

impl HostGrants {
    /// Its name.
    pub const KIND: &str = "HostGrants";
    /// Its plural.
    pub const PLURAL: &str = "hostgrants";
    /// The name of its only object.
    pub const NAME: &str = "granted";
}

/// The maximum number of labels of a host that is compared with the HostClaims for wildcards.
const MAX_LABELS: usize = 12;
/// The maximum number of wildcards that are compared with all HostClaims.
const MAX_WILDCARDS: usize = 4;
/// To how many comparisons with entries the look-ups in the list amount.
const LOOK_UPS: usize = 12;

/// The maximum number of hosts of an object.
pub(super) fn most_hosts_with_claims(entries: &Entries) -> usize {
    most_hosts(entries.covering() + LOOK_UPS)
}

/// The claims that the policies leave to the webhook, in words.
pub(super) fn left_out(entries: &Entries) -> String {
    format!(
        "hosts of HostClaims in objects with more than {} hosts or {MAX_WILDCARDS} wildcards, and hosts with more than {MAX_LABELS} labels",
        most_hosts_with_claims(entries)
    )
}

/// Whether a host is one that the list can decide about.
pub(super) fn is_decided() -> String {
    format!("variables.isComplete && host.split('.').size() <= {MAX_LABELS}")
}

/// The list and the entries.
pub(super) fn data(entries: &Entries) -> Vec<(&'static str, String)> {
    vec![
        ("list", "params.?spec.?hosts.orValue({})".to_owned()),
        ("isComplete", "params.?spec.?isComplete.orValue(false)".to_owned()),
        ("owners", entries.owners()),
        ("modes", entries.modes()),
        ("covering", entries.covering_with_claims()),
    ]
}

/// The denials, and what they are made of.
pub(super) fn denials(config: &Config) -> Vec<(&'static str, String)> {
    let claimed =
        format!("variables.hosts.map(host, {{\"host\": host, \"claim\": ({} + [''])[0]}})", names_over("host"));
    // An entry that gives hosts to HostClaims alone.
    let entry = |mode: &str| {
        format!(
            "{{\"suffix\": \"\", \"pattern\": \"\", \"own\": \"\", \"host\": \"\", \"by\": \"-\", \"labels\": \"0\", \"mode\": {mode}}}"
        )
    };
    let (of_host, default) = (entry("variables.modes[host]"), entry(&quoted(mode_name(config.host_ownership.claims))));
    let unlisted = if config.host_ownership.unlisted == Unlisted::Deny { UNLISTED } else { "''" };
    let (by, below) = if config.reveal_other_namespaces { (BY, HOST) } else { ("'others'", "'a host'") };
    let request = if config.host_ownership.grants.is_empty() { "" } else { "apply a HostRequest for it, or " };
    let (over, wildcards) = (names_over("other"), MAX_WILDCARDS.to_string());
    let parts = [
        ("$ofHost", &*of_host),
        ("$default", &default),
        ("$templates", TEMPLATES),
        ("$covers", COVERS),
        ("$allowed", ALLOWED),
        ("$unlisted", unlisted),
        ("$by", by),
        ("$below", below),
        ("$foreign", FOREIGN),
        ("$over", &over),
        ("$wildcards", &wildcards),
        ("$label", WILDCARD_LABEL),
        ("$request", request),
    ];
    let denials = parts.iter().fold(DENIALS.to_owned(), |text, (part, value)| text.replace(part, value));
    vec![("claimed", claimed), ("denials", denials)]
}

/// The names of the HostClaims that cover a host, the narrowest first; `host` is a variable.
fn names_over(host: &str) -> String {
    let levels: Vec<String> = (2..=MAX_LABELS).map(|level| level.to_string()).collect();
    format!(
        "([{host}] + [{}].filter(level, {host}.split('.').size() >= level)\n    .map(level, '{WILDCARD_LABEL}.' + \
         {host}.split('.', level)[level - 1])).filter(name, name in variables.list)",
        levels.join(", ")
    )
}

/// The namespaces of the HostClaim `name`, as text.
const BY: &str =
    "(variables.list[name].contains(',') ? 'namespaces ' : 'namespace ') + variables.list[name].replace(',', ', ')";

/// The host of the HostClaim `name`.
const HOST: &str = "name.replace('$label', '*')";

/// Whether the HostClaim `name` gives its host to other namespaces only. Without namespaces, it is not known whether it has an effect.
const FOREIGN: &str = "(variables.list[name] != '' && !(variables.ownNamespace in variables.list[name].split(',')))";

/// The denial of each new host, as text. Of the narrowest HostClaim and the narrowest entry that cover it, the narrower one decides, and a
/// HostClaim where only HostClaims give hosts to namespaces.
const DENIALS: &str = "\
variables.claimed.map(claimed, [claimed.host].map(host,
  (host in variables.modes ? [$ofHost] : variables.covering.filter(entry, $covers) + [$default]).map(entry, entry.mode == 'Entry' ? '' : entry.mode == 'Off' ? (entry.by == '-' ? $unlisted : '')
    : claimed.claim != '' && (entry.by == '-' || claimed.claim == host || claimed.claim.split('.').size() >= int(entry.labels))
    ? [claimed.claim].map(name, !$foreign ? ''
      : (name == host || name == '$label' + host.substring(1) ? 'host ' + host : 'host ' + host + ' is under ' + name.replace('$label', '*') + ', which')
        + ' belongs to ' + $by + ' by its HostClaim [host/not-owned]')[0]
    : entry.by != '-' ? $allowed
    : entry.mode != 'Required' ? $unlisted
    : 'host ' + host + ' has no HostClaim: ' + (host.startsWith('*.') ? 'list your hosts, or ' : '')
      + '$requestask the platform team to create HostClaim ' + (host.startsWith('*.') ? '$label' + host.substring(1) : host)
      + ' with namespace ' + variables.ownNamespace + ', or try again if it was created just now [host/not-owned]'
  )[0])[0]
).filter(denial, denial != '')
+ (variables.hosts.filter(host, host.startsWith('*.')).size() > $wildcards ? []
  : variables.hosts.filter(host, host.startsWith('*.') && variables.modes[?host].orValue('') != 'Entry' && !('$label' + host.substring(1) in variables.list)).map(host,
    (variables.list.filter(name, name.endsWith(host.substring(1)) && $foreign).map(name, $below + ', which belongs to ' + $by + ' by its HostClaim')
    + variables.covering.filter(entry, $templates).map(entry, 'hosts of ' + entry.host + ', which belong to others')
    + variables.owners.filter(other, other.endsWith(host.substring(1)) && variables.owners[other] != '').map(other, 'a host, which belongs to others')
    + variables.modes.filter(other, other != host && other.endsWith(host.substring(1)) && variables.modes[other] == 'Required'
      && !$over.exists(name, !$foreign)).map(other, 'the hosts of ' + other + ', which require a HostClaim each: list your hosts')
    ).map(covered, 'host ' + host + ' covers ' + covered + ' [host/not-owned]')
  ).filter(denials, denials.size() > 0).map(denials, denials[0]))";
