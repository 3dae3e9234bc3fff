//! HostRequests: which of them get a HostClaim, and which HostClaims are released.

use super::super::host_claims::{HostClaimFacts, HostClaims};
use super::super::host_entry::Form;
use super::super::host_requests::HostRequestFacts;
use super::super::label_match::any_known;
use super::super::overlay::NAMING;
use super::super::{Cluster, HostTemplate, Lookup, Overlay, SyncState};
use super::entry::own_host;
use super::{Obstacle, Owner, Ownership, OwnershipDecision};
use crate::config::{ConfigError, HostGrant, NamespaceSelector, Spanned};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::{Depth, Host};

/// The maximum number of HostClaims that are created before the next decision.
const MAX_GRANTS: usize = 256;

/// A rule that grants HostRequests, compiled.
#[derive(Debug)]
pub(super) struct Grant {
    hosts: Vec<Form>,
    namespaces: NamespaceSelector,
    limit: Option<usize>,
    wildcards: bool,
}

/// The decision about a HostRequest.
#[derive(Debug, Clone, Copy)]
pub enum RequestDecision<'o> {
    /// Objects of the namespace may serve the host already: by the HostClaim of this name, or by an entry of the configuration.
    Granted(Option<&'o str>),
    /// A rule grants it: the HostClaim is created.
    Create,
    /// No rule grants it: the platform team decides.
    ByHand,
    /// A rule grants it, but the namespace has as many HostClaims as the rule allows.
    LimitReached {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A rule grants it, but this object of another namespace serves the host already.
    Served(&'o ObjectRef),
    /// The host belongs to other namespaces.
    OfOthers(Obstacle<'o>),
    /// The configuration ignores HostClaims for the host, or the name is not that of the host.
    Ignored,
    /// It depends on labels, or on HostClaims that are not known.
    Unknown,
}

impl Grant {
    pub(super) fn new(written: &HostGrant) -> Result<Self, ConfigError> {
        let hosts = written.hosts.iter().map(Form::parse).collect::<Result<_, _>>()?;
        let limit = written.max_per_namespace.map(|limit| limit as usize);
        Ok(Self { hosts, namespaces: written.namespaces.clone(), limit, wildcards: written.wildcards })
    }

    /// Whether it grants `host` to `namespace`; `None` if labels are not known.
    fn covers(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        if matches!(host, Host::Any) || matches!(host, Host::Wildcard(_)) && !self.wildcards {
            return Some(false);
        }
        if !cluster.selects(&self.namespaces, namespace)? {
            return Some(false);
        }
        let covers = |form: &Form| match form {
            Form::Host(own) => Some(own.covers(host, Depth::AnyLabels)),
            Form::Template(template) => {
                Some(own_host(template, namespace, cluster)?.is_some_and(|own| own.covers(host, Depth::AnyLabels)))
            }
        };
        any_known(self.hosts.iter().map(covers))
    }
}

impl Ownership {
    /// The decision about a HostRequest. A namespace gets no HostClaim that would have no effect, and none for a host that objects of other
    /// namespaces serve.
    pub fn decide_request<'o>(&'o self, request: &HostRequestFacts, cluster: &Overlay<'o>) -> RequestDecision<'o> {
        self.decide_beside(request, 0, cluster)
    }

    /// The same where the namespace is about to get this many HostClaims that are not known yet.
    fn decide_beside<'o>(
        &'o self,
        request: &HostRequestFacts,
        pending: usize,
        cluster: &Overlay<'o>,
    ) -> RequestDecision<'o> {
        let (host, namespace) = (&request.host, &*request.object_ref.namespace);
        if !request.is_consistent() {
            return RequestDecision::Ignored;
        }
        match (self.claim(host, namespace, cluster), self.owner(host, cluster)) {
            (OwnershipDecision::Unknown, _) => return RequestDecision::Unknown,
            (OwnershipDecision::Free, Some(owner)) => {
                return RequestDecision::Granted(owner.claim.map(|claim| &*claim.name));
            }
            _ => {}
        }
        if let Lookup::Found(claim) = cluster.host_claim(&request.object_ref.name) {
            return RequestDecision::OfOthers(Obstacle::Claim(claim));
        }
        let new = HostClaimFacts::of_request(request);
        match self.obstacle_to(&new, cluster) {
            Lookup::Absent => {}
            Lookup::Unknown => return RequestDecision::Unknown,
            Lookup::Found(Obstacle::Ignored) => return self.decide_by_entry(host, cluster),
            Lookup::Found(obstacle) => return RequestDecision::OfOthers(obstacle),
        }
        match self.decide_by_rules(host, namespace, pending, cluster) {
            RequestDecision::Create => {
                let serving = cluster.serving(&new).filter(|object| object.namespace != namespace).min();
                serving.map_or(RequestDecision::Create, RequestDecision::Served)
            }
            decision => decision,
        }
    }

    /// Whether a HostRequest of `namespace` for `host`, which has no HostClaim, would be granted, unless the namespace has as many HostClaims
    /// as it may have.
    pub fn is_requestable(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> bool {
        let decision = self.decide_by_rules(host, namespace, 0, cluster);
        matches!(decision, RequestDecision::Create | RequestDecision::LimitReached { .. })
    }

    fn decide_by_rules(
        &self,
        host: &Host<'_>,
        namespace: &str,
        pending: usize,
        cluster: &Overlay<'_>,
    ) -> RequestDecision<'_> {
        let mut decision = RequestDecision::ByHand;
        for grant in &self.grants {
            match grant.covers(host, namespace, cluster) {
                Some(true) => {
                    let Some(limit) = grant.limit else { return RequestDecision::Create };
                    let count = cluster.host_claims_of(namespace) + pending;
                    if count < limit {
                        return RequestDecision::Create;
                    }
                    decision = RequestDecision::LimitReached { count, limit };
                }
                Some(false) => {}
                None => decision = RequestDecision::Unknown,
            }
        }
        decision
    }

    /// The decision where HostClaims are ignored for the host.
    fn decide_by_entry<'o>(&'o self, host: &Host<'_>, cluster: &Overlay<'o>) -> RequestDecision<'o> {
        match self.owner(host, cluster) {
            Some(Owner { host, namespaces: by, claim: None }) => {
                RequestDecision::OfOthers(Obstacle::Entry { host, by, is_own: false })
            }
            _ => RequestDecision::Ignored,
        }
    }

    /// The requests for which HostClaims are created next, the oldest first. Of requests of several namespaces for hosts of which one covers
    /// the other, only the first is among them: once its HostClaim is known, the others are decided. Empty until all requests are known.
    pub fn next_grants<'o>(&'o self, cluster: &'o Cluster) -> Vec<&'o HostRequestFacts> {
        if cluster.knowledge(Kind::HostRequest) != SyncState::Complete {
            return Vec::new();
        }
        let (mut next, mut claims): (Vec<&HostRequestFacts>, _) = (Vec::new(), HostClaims::default());
        for request in unanswered(cluster) {
            let claim = HostClaimFacts::of_request(request);
            let pending = claims.count_of(&claim.namespace);
            let decision = self.decide_beside(request, pending, &Overlay::new(cluster, &request.object_ref));
            if matches!(decision, RequestDecision::Create) && !claims.decide_about(&claim) {
                claims.put(claim);
                next.push(request);
            }
            if next.len() == MAX_GRANTS {
                break;
            }
        }
        next
    }
}

impl HostClaims {
    /// Whether one of these HostClaims decides about another one: it has the same host, or it is of another namespace and covers the host or
    /// is covered by it.
    fn decide_about(&self, claim: &HostClaimFacts) -> bool {
        let Some(host) = claim.host() else { return false };
        let mut overlapping = self.over(host).into_iter().chain(self.below(host));
        overlapping.any(|other| other.name == claim.name || other.namespace != claim.namespace)
    }
}

/// The HostClaims that Portcullis created for HostRequests that are gone, and whose hosts no indexed object of the namespace names. That of
/// a wildcard is not among them: its uses are not known.
pub fn releasable(cluster: &Cluster) -> impl Iterator<Item = &HostClaimFacts> {
    let is_used = |claim: &HostClaimFacts| {
        Overlay::of_all(cluster).serving(claim).any(|object| claim.may_serve(&object.namespace))
    };
    let is_requested = |claim: &HostClaimFacts| {
        let request = ObjectRef::new(Kind::HostRequest, &claim.namespace, &claim.name);
        cluster.host_requests.get(&request).is_some()
    };
    let is_complete = cluster.knowledge(Kind::HostRequest) == SyncState::Complete
        && NAMING.iter().all(|kind| cluster.knows_all(kind));
    let granted = is_complete.then(|| cluster.host_claims.granted()).into_iter().flatten();
    granted
        .filter(move |claim| matches!(claim.host(), Some(Host::Precise(_))) && !is_requested(claim) && !is_used(claim))
}

impl Form {
    /// Parses a host of the configuration. The error is an invalid placeholder.
    pub(super) fn parse(written: &Spanned<String>) -> Result<Self, ConfigError> {
        let unknown = |placeholder: String| {
            written.error(format!(
                "`{placeholder}` is not a valid placeholder in a host; use {{namespace.name}} or {{namespace.labels.KEY}}"
            ))
        };
        let template = HostTemplate::parse(written).map_err(unknown)?;
        Ok(template.map_or_else(|| Self::Host(Host::parse(written).into_owned()), Self::Template))
    }
}

/// The requests for hosts without a HostClaim, in the order in which they are granted: the oldest first.
fn unanswered(cluster: &Cluster) -> Vec<&HostRequestFacts> {
    let is_unanswered = |request: &&HostRequestFacts| cluster.host_claims.get(&request.object_ref.name).is_none();
    let mut all: Vec<_> = cluster.host_requests.iter().filter(is_unanswered).collect();
    all.sort_by_key(|request| (request.created.is_none(), request.created, &request.object_ref));
    all
}
