//! The part of the configuration that decides verdicts: which namespaces may hold roots, and who owns their hosts.

use std::sync::LazyLock;

use jiff::Timestamp;

use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::hosts::HOST_HOLDERS;
use crate::cluster::ownership::OwnershipDecision;
use crate::cluster::{Overlay, Ownership, Subject};
use crate::config::{Config, Expiry, Validity};
use crate::matching::{Depth, Host};
use crate::routing::host_holders::holder;

/// The rules under which verdicts are formed.
#[derive(Debug, Clone, Copy)]
pub struct GraphRules<'r> {
    /// The configuration.
    pub config: &'r Config,
    /// Who owns which hosts; without effect unless a check denies claims of hosts that others own.
    pub owners: HostOwners<'r>,
    /// Whether a Secret that no file contains makes an object invalid. Few repositories contain Secrets beside their
    /// manifests, so only a status says so, and only where the files contain other Secrets.
    pub requires_secrets: bool,
}

/// The rule that a host must belong to the namespace that claims it.
pub trait HostRule: std::fmt::Debug {
    /// Whether the rule denies the claims of this subject. Where labels decide that are not known, it does not.
    fn denies(&self, subject: &Subject<'_>, cluster: &Overlay<'_>) -> bool;
}

/// Host ownership as Portcullis enforces it at one moment.
#[derive(Debug, Clone, Copy)]
pub struct HostOwners<'r> {
    /// The owners.
    pub ownership: &'r Ownership,
    /// The rule that denies claims of hosts that others own; `None` if nothing does.
    pub rule: Option<&'r dyn HostRule>,
    /// The positions of the exemptions from the rule in [`Config::exemptions`].
    pub exemptions: &'r [usize],
    /// The time at which exemptions and handovers must hold.
    pub now: Timestamp,
}

/// No host has an owner.
static NO_OWNERS: LazyLock<Ownership> = LazyLock::new(Ownership::default);

/// The rules of a configuration without host ownership, as for a data plane, which does not know it.
impl<'r> From<&'r Config> for GraphRules<'r> {
    fn from(config: &'r Config) -> Self {
        Self { config, owners: HostOwners::none(), requires_secrets: false }
    }
}

impl HostOwners<'_> {
    /// No host has an owner.
    pub fn none() -> Self {
        Self { ownership: &NO_OWNERS, rule: None, exemptions: &[], now: Timestamp::UNIX_EPOCH }
    }
}

impl GraphRules<'_> {
    /// Whether the namespace of a root may hold roots.
    pub(super) fn may_hold_roots(&self, facts: &DelegationFacts) -> bool {
        self.config.may_hold_roots(facts.object_ref.kind.api().kind, &facts.object_ref.namespace)
    }

    /// Whether Portcullis would deny the root because its host belongs to another namespace. Where labels decide that are
    /// not known, it would not.
    pub(super) fn is_owned_by_others(&self, facts: &DelegationFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
        let HostOwners { ownership, rule, .. } = self.owners;
        let namespace = &*facts.object_ref.namespace;
        if ownership.is_empty(cluster) || self.is_moving(host, namespace) {
            return false;
        }
        let subject = Subject { kind: facts.object_ref.kind, class: facts.class.as_deref(), namespace, user: None };
        let is_denied = rule.is_some_and(|rule| rule.denies(&subject, cluster));
        if !is_denied || self.is_exempt(&subject, cluster) {
            return false;
        }
        match ownership.claim(host, namespace, cluster) {
            OwnershipDecision::Owned { .. } | OwnershipDecision::Unlisted | OwnershipDecision::Unclaimed { .. } => true,
            OwnershipDecision::FirstNamespace => self.is_held_elsewhere(host, facts, cluster),
            OwnershipDecision::Free | OwnershipDecision::Unknown => false,
        }
    }

    /// Whether another namespace than that of a root was the first to serve `host`. Before all kinds are known, an older
    /// object may still appear, and an object of the namespace that is cut may be older. Without ages, either may be the first.
    fn is_held_elsewhere(&self, host: &Host<'_>, root: &DelegationFacts, cluster: &Overlay<'_>) -> bool {
        let namespace = &*root.object_ref.namespace;
        cluster.not_synced(HOST_HOLDERS).is_empty()
            && holder(host, self.config, cluster).is_some_and(|(created, other)| {
                let has_age = created.is_some() || root.created.is_some();
                has_age && other.namespace != *namespace && !cluster.has_cut_before(namespace, created)
            })
    }

    fn is_exempt(&self, subject: &Subject<'_>, cluster: &Overlay<'_>) -> bool {
        let HostOwners { exemptions, now, .. } = self.owners;
        let exemptions = exemptions.iter().filter_map(|position| self.config.exemptions.get(*position));
        let mut holding = exemptions.filter(|exemption| Expiry::validity(exemption.expires, now) != Validity::Over);
        holding.any(|exemption| cluster.matches(&exemption.only, subject) != Some(false))
    }

    /// Whether an unexpired handover moves `host` to or from `namespace`.
    fn is_moving(&self, host: &Host<'_>, namespace: &str) -> bool {
        self.config.handovers.iter().any(|handover| {
            [&*handover.from, &*handover.to].contains(&namespace)
                && Host::parse(&handover.host).covers(host, Depth::AnyLabels)
                && Expiry::validity(handover.expires, self.owners.now) != Validity::Over
        })
    }
}
