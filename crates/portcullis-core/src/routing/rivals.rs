//! Finds the other routes that have the same hosts as a route on a listener, looking at each pair of listener and other
//! route once.

use super::attachment::accepts;
use super::presence::Presence;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::matching::{Depth, Host};

/// Another route, and the entries that it shares with the route under review.
pub(super) struct RivalRoute<'h> {
    /// The route.
    pub facts: &'h GatewayRouteFacts,
    /// Sorted indexes into a list of the caller.
    pub entries: Vec<usize>,
}

impl<'h> RivalRoute<'h> {
    /// Returns a rival that accepts whole connections.
    pub fn of_everything(facts: &'h GatewayRouteFacts) -> Self {
        Self { facts, entries: vec![0] }
    }
}

/// The entries of one host for which a rival is the first.
pub(super) struct Contested<'h> {
    /// The index of the host in the presence.
    pub host: usize,
    /// A listener that accepts both routes.
    pub listener: &'h ListenerFacts,
    /// The rival with the entries that no earlier rival has for this host.
    pub rival: RivalRoute<'h>,
}

/// Finds, for each host of the presence and each of the `count` entries, the first of `rivals` that has them on a
/// listener that accepts both routes. Rivals for which `consents` returns true are left out. Rivals whose entries are
/// all taken already are skipped.
pub(super) fn contested<'h>(
    presence: &Presence<'h>,
    rivals: Vec<RivalRoute<'h>>,
    count: usize,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<Contested<'h>> {
    let mut found = Vec::new();
    let mut taken = vec![vec![false; count]; presence.hosts().len()];
    let mut open: Vec<Share> = Vec::new();
    for rival in rivals {
        open.clear();
        open.extend(presence.hosts().iter().zip(&taken).map(|(host, taken)| {
            let has_more = rival.entries.iter().any(|entry| !taken[*entry]);
            let share = if has_more { share(host, rival.facts) } else { Share::None };
            if share != Share::None && consents(host, rival.facts) { Share::None } else { share }
        }));
        for (host, listener) in meetings(presence, rival.facts, &mut open, cluster) {
            let is_free = |entry: &usize| !std::mem::replace(&mut taken[host][*entry], true);
            let entries = rival.entries.iter().copied().filter(is_free).collect();
            found.push(Contested { host, listener, rival: RivalRoute { facts: rival.facts, entries } });
        }
    }
    found
}

/// How another route has a host of the presence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// It does not have the host, or the host needs no further look.
    None,
    /// It names the host, so it has it on every listener that accepts both.
    Named,
    /// It names a wildcard that covers the host, or no host. It has exactly this host only on a listener with this
    /// host.
    Covered,
}

fn share(host: &Host<'_>, other: &GatewayRouteFacts) -> Share {
    if other.hosts.contains(host) {
        return Share::Named;
    }
    let is_covered = other.hosts.is_empty() || other.hosts.iter().any(|own| own.covers(host, Depth::AnyLabels));
    if is_covered { Share::Covered } else { Share::None }
}

/// The open hosts that `other` has on a listener, each with the first such listener. The found hosts are closed in
/// `open`.
fn meetings<'h>(
    presence: &Presence<'h>,
    other: &GatewayRouteFacts,
    open: &mut [Share],
    cluster: &Overlay<'h>,
) -> Vec<(usize, &'h ListenerFacts)> {
    let mut met = Vec::new();
    for (parent, listeners) in presence.by_parent() {
        if open.iter().all(|share| *share == Share::None) {
            break;
        }
        let references = other.parents.iter().filter(|reference| reference.target == parent.object_ref).count();
        for (listener, hosts) in listeners.iter().filter(|_| references > 0) {
            let is_met = |host: &&usize| match open[**host] {
                Share::None => false,
                Share::Named => true,
                Share::Covered => presence.hosts()[**host] == listener.host,
            };
            let shared: Vec<usize> = hosts.iter().filter(is_met).copied().collect();
            if shared.is_empty() || !accepts(listener, parent, other, cluster) {
                continue;
            }
            for host in shared {
                if std::mem::replace(&mut open[host], Share::None) != Share::None {
                    met.push((host, *listener));
                }
            }
        }
    }
    met
}
