//! The HostClaims that give each host to the namespace that serves it, and the hosts that need a decision first.
//!
//! `portcullis claims from` prints them as [YAML](ProposedClaims::yaml) or [JSON](ProposedClaims::json).

mod json;
mod served;
mod yaml;

use jiff::Timestamp;

use crate::cluster::host_claims::REASON_CHARACTERS;
use crate::cluster::ownership::{Owner, OwnershipDecision};
use crate::cluster::{Cluster, Overlay, Ownership};
use crate::config::{ClaimMode, Config, ConfigError, HostOwnership, NamespaceSelector};
use crate::explain::Stored;
use crate::kinds::Kind;
use crate::matching::claim_name::{host_of, name_of};
use crate::matching::{Depth, Host};
use crate::message::truncate;
use crate::names::{is_label, is_subdomain};

pub use served::{ServingNamespace, ServingObject, kinds};

/// What is proposed for the hosts that stored objects serve.
#[derive(Debug)]
pub struct ProposedClaims {
    /// The hosts, ordered by their labels from the right, and each wildcard after the hosts that it covers. A HostClaim has no effect below an
    /// older one of another namespace, so the claims are created in this order.
    pub hosts: Vec<ServedHost>,
}

/// A host that stored objects serve.
#[derive(Debug)]
pub struct ServedHost {
    /// The host.
    pub host: Host<'static>,
    /// The namespaces that serve it, the one with the oldest object first. Of a host of other namespaces, only those that may not serve it.
    pub namespaces: Vec<ServingNamespace>,
    /// What is proposed.
    pub proposal: Proposal,
}

/// What is proposed for a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// A HostClaim for the namespace that serves it.
    Claim,
    /// Nothing, since several namespaces serve it.
    Disputed,
    /// Nothing, since it belongs to other namespaces. The text continues a sentence: `belongs to namespace web by HostClaim a.example.com`.
    OfOthers(String),
    /// Nothing, since no HostClaim can be created for it, for this reason.
    Unclaimable(&'static str),
    /// Nothing, since an entry of the configuration or a HostClaim gives it to the namespaces that serve it.
    Owned,
    /// Nothing, since the owner depends on what was not read.
    Unknown,
}

impl ProposedClaims {
    /// Proposes HostClaims for the hosts of `objects`, which are stored in `cluster`, under a configuration at `now`. HostClaims that exist
    /// count even if the configuration does not use them yet. The errors are those of the entries of `hostOwnership`.
    ///
    /// ```
    /// use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
    /// use portcullis_core::config::Config;
    /// use portcullis_core::explain::Stored;
    /// use portcullis_core::kinds::{Kind, decode};
    /// use portcullis_core::report::proposed_claims::ProposedClaims;
    ///
    /// let json = r#"{"metadata": {"namespace": "web", "name": "shop"}, "spec": {"hostnames": ["shop.example.com"]}}"#;
    /// let object = decode(Kind::HttpRoute, json)?;
    /// let mut cluster = Cluster::with(SyncState::Complete);
    /// cluster.apply(Event::Apply(Facts::of(&object)));
    /// let stored = [Stored { object_ref: object.object_ref(), object }];
    /// let (config, now) = (Config::default(), jiff::Timestamp::UNIX_EPOCH);
    /// let proposed = ProposedClaims::of(&stored, &cluster, &config, now).expect("the default configuration is valid");
    /// assert!(proposed.yaml(&[]).contains("\n  name: \"shop.example.com\"\n"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn of(
        objects: &[Stored<'_>],
        cluster: &Cluster,
        config: &Config,
        now: Timestamp,
    ) -> Result<Self, Vec<ConfigError>> {
        let owners = HostOwnership { claims: ClaimMode::Optional, ..config.host_ownership.clone() };
        let (ownership, overlay) = (Ownership::new(&owners)?, Overlay::of_all(cluster));
        let served = served::served_hosts(objects, cluster, config, now).into_iter();
        let hosts = served.map(|((_, host), objects)| {
            let namespaces = served::by_namespace(objects);
            ServedHost::of(host, namespaces, &ownership, &overlay)
        });
        let mut hosts: Vec<ServedHost> = hosts.collect();
        mark_restricted(&mut hosts, &ownership, &overlay);
        Ok(Self { hosts })
    }

    /// Whether a host is disputed, or belongs to other namespaces than those that serve it.
    pub fn has_disputes(&self) -> bool {
        self.hosts_with(|proposal| matches!(proposal, Proposal::Disputed | Proposal::OfOthers(_))).next().is_some()
    }

    /// Whether the owner of each host is known.
    pub fn is_complete(&self) -> bool {
        self.hosts_with(|proposal| *proposal == Proposal::Unknown).next().is_none()
    }

    /// The hosts for which this is proposed.
    fn hosts_with(&self, is_meant: fn(&Proposal) -> bool) -> impl Iterator<Item = &ServedHost> {
        self.hosts.iter().filter(move |served| is_meant(&served.proposal))
    }

    /// How many claims are proposed, and for how many hosts none is, by cause.
    pub fn summary(&self) -> String {
        let count = |is_meant: fn(&Proposal) -> bool| self.hosts_with(is_meant).count();
        let claims = match count(|proposal| *proposal == Proposal::Claim) {
            1 => "1 claim".to_owned(),
            claims => format!("{claims} claims"),
        };
        let others = [
            (count(|proposal| *proposal == Proposal::Disputed), "is disputed", "are disputed"),
            (count(|proposal| matches!(proposal, Proposal::OfOthers(_))), "belongs to others", "belong to others"),
            (count(|proposal| matches!(proposal, Proposal::Unclaimable(_))), "cannot be claimed", "cannot be claimed"),
            (count(|proposal| *proposal == Proposal::Unknown), "may have an owner", "may have an owner"),
            (count(|proposal| *proposal == Proposal::Owned), "has an owner already", "have an owner already"),
        ];
        let others = others.into_iter().filter(|(count, ..)| *count > 0).enumerate();
        let parts = others.map(|(position, (count, one, many))| {
            let noun = match (position, count) {
                (0, 1) => " host",
                (0, _) => " hosts",
                _ => "",
            };
            format!("{count}{noun} {}", if count == 1 { one } else { many })
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { claims } else { format!("{claims}; {}", parts.join(", ")) }
    }
}

impl ServedHost {
    fn of(
        host: Host<'static>,
        mut namespaces: Vec<ServingNamespace>,
        ownership: &Ownership,
        cluster: &Overlay<'_>,
    ) -> Self {
        let standings: Vec<Standing> =
            namespaces.iter().map(|namespace| Standing::of(&host, &namespace.name, ownership, cluster)).collect();
        let proposal = match standings.iter().max() {
            Some(Standing::Other(owner)) => {
                let mut standings = standings.iter();
                namespaces.retain(|_| matches!(standings.next(), Some(Standing::Other(_))));
                Proposal::OfOthers(owner.clone())
            }
            Some(Standing::Unknown) => Proposal::Unknown,
            Some(Standing::Unowned) => match obstacle(&host, &namespaces, ownership) {
                Some(reason) => Proposal::Unclaimable(reason),
                None if namespaces.len() == 1 => Proposal::Claim,
                None => Proposal::Disputed,
            },
            Some(Standing::Owner) | None => Proposal::Owned,
        };
        Self { host, namespaces, proposal }
    }
}

impl ServingNamespace {
    /// Why the host belongs to the namespace: its oldest object, and how many others serve the host.
    fn reason(&self) -> String {
        let first = self.objects.first().map(|object| object.object_ref.to_string()).unwrap_or_default();
        let reason = match self.objects.len() {
            0 | 1 => format!("served by {first}"),
            count => format!("served by {first} and {} more", count - 1),
        };
        truncate(&reason, REASON_CHARACTERS)
    }
}

/// What the configuration and the HostClaims say about a namespace that serves a host. Of those of several namespaces, the greatest decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// It is an owner of the host.
    Owner,
    /// Nothing decides about the host.
    Unowned,
    /// It depends on what was not read.
    Unknown,
    /// It may not claim the host, for this reason.
    Other(String),
}

impl Standing {
    fn of(host: &Host<'_>, namespace: &str, ownership: &Ownership, cluster: &Overlay<'_>) -> Self {
        match (ownership.owner(host, cluster), ownership.claim(host, namespace, cluster)) {
            (_, OwnershipDecision::Unknown) => Self::Unknown,
            (None, _) => Self::Unowned,
            (Some(_), OwnershipDecision::Free) => Self::Owner,
            (Some(owner), OwnershipDecision::Owned { entry, by, .. }) => {
                Self::Other(others(host, owner, (entry, by), ownership))
            }
            // The owner of a wider host needs claims for what this one covers.
            (Some(_), _) => Self::Other("covers hosts that must be claimed one by one".to_owned()),
        }
    }
}

/// How a host belongs to other namespaces: by its `owner`, or since it covers the host of the entry.
fn others(host: &Host<'_>, owner: Owner<'_>, (entry, by): (&str, &NamespaceSelector), ownership: &Ownership) -> String {
    if entry != owner.host {
        return format!("covers {entry}, which belongs to {by}");
    }
    match owner.claim {
        Some(claim) => format!("belongs to {by} by HostClaim {}", claim.name),
        None => {
            let by = ownership.owner_of(entry, host).map_or_else(|| by.to_string(), |owner| owner.to_string());
            format!("belongs to {by} by the entry {entry} of hostOwnership")
        }
    }
}

/// Marks each wildcard that belongs to the namespaces that serve it only by an owner of a wider host, and covers the host of a proposed
/// claim for another namespace: only the owner of exactly this wildcard may cover that host.
fn mark_restricted(hosts: &mut [ServedHost], ownership: &Ownership, cluster: &Overlay<'_>) {
    for position in 0..hosts.len() {
        let (before, rest) = hosts.split_at_mut(position);
        let Some(served) = rest.first_mut().filter(|served| served.proposal == Proposal::Owned) else { continue };
        let owner = ownership.owner(&served.host, cluster);
        if owner.is_some_and(|owner| Host::parse(owner.host) == served.host) {
            continue;
        }
        let is_of_owner = |namespace: &ServingNamespace| served.namespaces.iter().all(|own| own.name == namespace.name);
        let mut claimed = covered(before, &served.host).filter(|other| other.proposal == Proposal::Claim);
        let foreign = claimed.find(|other| !other.namespaces.iter().all(is_of_owner));
        if let Some(other) = foreign {
            served.proposal = Proposal::OfOthers(format!("covers {}, for which a claim is proposed above", other.host));
        }
    }
}

/// The hosts that a host covers, of those before it in the order of proposals; the last one first.
fn covered<'h>(before: &'h [ServedHost], host: &Host<'_>) -> impl Iterator<Item = &'h ServedHost> {
    before.iter().rev().take_while(move |other| host.covers(&other.host, Depth::AnyLabels))
}

/// Why no HostClaim can be created for the host; `None` if one can.
fn obstacle(host: &Host<'_>, namespaces: &[ServingNamespace], ownership: &Ownership) -> Option<&'static str> {
    let Some(name) = name_of(host) else { return Some("it means every host, and hosts are claimed one by one") };
    if !is_subdomain(&name) || host_of(&name) != *host {
        return Some("it is not a valid hostname");
    }
    if !ownership.uses_claims(host) {
        return Some("an entry of hostOwnership turns HostClaims off for it");
    }
    let is_valid = |namespace: &ServingNamespace| is_label(&namespace.name);
    (!namespaces.iter().all(is_valid)).then_some("the name of a namespace that serves it is invalid")
}

/// The `apiVersion` of HostClaims.
fn api_version() -> String {
    let api = Kind::HostClaim.api();
    format!("{}/{}", api.group, api.versions[0])
}
