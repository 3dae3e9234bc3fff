//! The entries of `hostOwnership` as literals of CEL.

use std::cmp::Reverse;

use portcullis_core::cluster::HostTemplate;
use portcullis_core::config::{ClaimMode, Config, OwnedHost};
use portcullis_core::matching::Host;

use super::cel::{quoted, selects};

/// The entries, and what they cannot say.
pub(super) struct Entries {
    /// A map from the host of an entry to its owners, as text; empty if the namespace of the object is one.
    pub exact: String,
    /// A list of wildcards and of entries with placeholders in the same form, the most specific first: what a host ends with, the regular
    /// expression that it matches as a whole, and the entry as written.
    pub covering: String,
    /// The number of the latter.
    pub count: usize,
    /// What is not guarded, each as a sentence.
    pub left_out: Vec<String>,
}

impl Entries {
    /// The entries of a configuration.
    pub(super) fn of(config: &Config) -> Self {
        let (mut exact, mut covering, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for entry in &config.host_ownership.hosts {
            // The configuration is valid.
            let Ok(template) = HostTemplate::parse(&entry.host) else { continue };
            if let Some(template) = template {
                left_out.push(format!("the entry {}: a policy does not fill in placeholders", entry.host.value));
                covering.push((template.rank(), false, of_template(&entry.host)));
                continue;
            }
            let (host, by) = (Host::parse(&entry.host), owners(entry, config));
            exact.push(format!("{}: {by}", quoted(&host.to_string())));
            let suffix = match &host {
                Host::Wildcard(suffix) => format!(".{suffix}"),
                Host::Any => String::new(),
                Host::Precise(_) => continue,
            };
            // Where HostClaims count, they may give a host below the entry to others.
            let is_open = entry.claims.unwrap_or(config.host_ownership.claims) != ClaimMode::Off;
            let by = if is_open { quoted("") } else { by };
            let rank = (false, suffix.split('.').count());
            covering.push((rank, true, element(&suffix, "", &host.to_string(), &by)));
        }
        // The first one that covers a host decides.
        covering.sort_by_key(|(rank, is_literal, _)| Reverse((*rank, *is_literal)));
        Self {
            count: covering.len(),
            exact: braced('{', exact, '}'),
            covering: braced('[', covering.into_iter().map(|(.., element)| element).collect(), ']'),
            left_out,
        }
    }
}

impl Entries {
    /// The maximum number of hosts of an object, so that the cost stays below what the API server allows.
    pub(super) fn most_hosts(&self) -> usize {
        (COMPARISONS / self.count.max(1)).min(MAX_HOSTS)
    }
}

/// How often a policy compares a host with an entry at most. It costs about 15 units, of which the API server allows 1,000,000.
const COMPARISONS: usize = 25_000;
/// The maximum number of hosts that are compared with those of the old object.
const MAX_HOSTS: usize = 400;

/// The owners of an entry as an expression.
fn owners(entry: &OwnedHost, config: &Config) -> String {
    // Without namespaces, HostClaims decide about the host itself, too.
    if entry.claims.is_some() && entry.namespaces.is_empty() {
        return quoted("");
    }
    let by = match config.reveal_other_namespaces {
        true => entry.namespaces.to_string(),
        false => "others".to_owned(),
    };
    format!("({} ? \"\" : {})", selects(&entry.namespaces), quoted(&by))
}

/// An entry with placeholders, which may give any host of its form to the namespace of the object.
fn of_template(host: &str) -> String {
    let tail = host.rsplit_once('}').map_or(host, |(_, tail)| tail);
    element(&tail.to_ascii_lowercase(), &pattern(host), host, &quoted(""))
}

fn element(suffix: &str, pattern: &str, host: &str, by: &str) -> String {
    let [suffix, pattern, host] = [suffix, pattern, host].map(quoted);
    format!("{{\"suffix\": {suffix}, \"pattern\": {pattern}, \"host\": {host}, \"by\": {by}}}")
}

/// A list or a map with one element a line.
fn braced(open: char, elements: Vec<String>, close: char) -> String {
    match elements.is_empty() {
        true => format!("{open}{close}"),
        false => format!("{open}\n{}\n{close}", elements.join(",\n")),
    }
}

/// The regular expression of the hosts that an entry with placeholders could cover.
fn pattern(host: &str) -> String {
    let literal = |text: &str| text.to_ascii_lowercase().replace('.', "\\.");
    let (mut rest, mut pattern) = match host.strip_prefix("*.") {
        Some(rest) => (rest, "^(\\*|[^.]+)(\\.[^.]+)*\\.".to_owned()),
        None => (host, "^".to_owned()),
    };
    while let Some((before, placeholder)) = rest.split_once('{') {
        pattern += &literal(before);
        pattern += "[^.]+";
        rest = placeholder.split_once('}').map_or("", |(_, rest)| rest);
    }
    pattern + &literal(rest) + "$"
}
