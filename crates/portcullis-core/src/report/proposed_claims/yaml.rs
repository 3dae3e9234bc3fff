//! Proposed claims as YAML for `kubectl apply`, with comments about the hosts that need a decision.

use serde_json::Value;

use super::{Proposal, ProposedClaims, ServedHost, ServingNamespace, api_version, covered};
use crate::matching::claim_name::name_of;
use crate::message::sanitize;
use crate::report::first_names;

/// How many further namespaces the schema of HostClaim allows.
const MAX_FURTHER: usize = 64;

impl ProposedClaims {
    /// The claims as YAML documents in the order in which they are created. Comments between them say which hosts need a decision, and what
    /// was not read.
    pub fn yaml(&self, unread: &[String]) -> String {
        let mut text = comments(unread.iter().map(|unread| format!("not read: {unread}")));
        for (position, served) in self.hosts.iter().enumerate() {
            match served.proposal {
                Proposal::Claim => {
                    let notes = comments(self.notes(position));
                    text += &format!("---\n{notes}{}", manifest(served));
                }
                Proposal::Owned => {}
                _ => text += &format!("\n{}", comments(explanation(served))),
            }
        }
        text.trim_start().to_owned()
    }

    /// What a comment says about the claim for a wildcard: the hosts that it covers and other namespaces serve.
    fn notes(&self, position: usize) -> Vec<String> {
        let served = &self.hosts[position];
        let covered = covered(&self.hosts[..position], &served.host);
        let is_of_owner = |namespace: &ServingNamespace| served.namespaces.iter().any(|own| own.name == namespace.name);
        let mut below: Vec<&ServedHost> = covered.filter(|other| !other.namespaces.iter().all(is_of_owner)).collect();
        below.reverse();
        let names = |hosts: &[&ServedHost]| first_names(hosts.iter().map(|other| other.host.to_string()));
        let is_disputed = |other: &&ServedHost| other.proposal == Proposal::Disputed;
        let disputed: Vec<&ServedHost> = below.iter().copied().filter(is_disputed).collect();
        let mut notes = Vec::new();
        if !below.is_empty() {
            notes.push(format!("covers hosts that other namespaces serve: {}", names(&below)));
        }
        if !disputed.is_empty() {
            let reason = "since a claim below an older one of another namespace has no effect";
            notes.push(format!("claim these first, {reason}: {}", names(&disputed)));
        }
        notes
    }
}

/// What comments say about a host without a claim.
fn explanation(served: &ServedHost) -> Vec<String> {
    let host = &served.host;
    let title = match &served.proposal {
        Proposal::Claim | Proposal::Owned => return Vec::new(),
        Proposal::Disputed => format!("host {host} is disputed: {} namespaces serve it", served.namespaces.len()),
        Proposal::OfOthers(owner) => format!("host {host} {owner}; served by"),
        Proposal::Unclaimable(reason) => format!("host {host} cannot be claimed, since {reason}; served by"),
        Proposal::Unknown => format!("host {host} may have an owner, which depends on what was not read; served by"),
    };
    let mut lines = vec![title];
    lines.extend(served.namespaces.iter().map(line));
    if served.proposal == Proposal::Disputed {
        lines.extend(ways_out(served));
    }
    lines
}

/// A namespace that serves a host, with its oldest object.
fn line(namespace: &ServingNamespace) -> String {
    let first = namespace.objects.first().map(ToString::to_string).unwrap_or_default();
    match namespace.objects.len() {
        0 | 1 => format!("  namespace {}: {first}", namespace.name),
        count => format!("  namespace {}: {first}, and {} more", namespace.name, count - 1),
    }
}

/// How a dispute ends.
fn ways_out(served: &ServedHost) -> Vec<String> {
    if served.namespaces.len() > MAX_FURTHER + 1 {
        let too_many = format!("a HostClaim names at most {MAX_FURTHER} further namespaces");
        return vec![format!("remove it from objects, or add an entry to hostOwnership: {too_many}")];
    }
    let title = "remove it from the objects of all namespaces but one, or choose the owner and apply:";
    let manifest = manifest(served);
    [title, "---"].into_iter().chain(manifest.lines()).map(str::to_owned).collect()
}

/// The HostClaim for a host: the first namespace that serves it owns it, and the others serve it as well. Texts are quoted, since
/// YAML reads `*`, numbers and words such as `on` as something else.
fn manifest(served: &ServedHost) -> String {
    let (Some(name), Some((owner, others))) = (name_of(&served.host), served.namespaces.split_first()) else {
        return String::new();
    };
    let quoted = |text: &str| Value::from(text).to_string();
    let host = quoted(&served.host.to_string());
    let head = format!("apiVersion: {}\nkind: HostClaim\nmetadata:\n  name: {}\n", api_version(), quoted(&name));
    let owner_lines = format!("spec:\n  host: {host}\n  namespace: {}\n", quoted(&owner.name));
    let others: Vec<String> = others.iter().map(|other| quoted(&other.name)).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("  alsoServedBy: [{}]\n", others.join(", ")),
    };
    format!("{head}{owner_lines}{others}  reason: {}\n", quoted(&owner.reason()))
}

/// A comment for each line.
fn comments(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| format!("# {}\n", sanitize(&line))).collect()
}
