//! The listeners of a Gateway together with those that its ListenerSets add, and which of them are served.

use super::attachment::allows_set;
use super::grant::Referrer;
use super::listener_conflict::{ListenerConflict, Loss, overlaps};
use super::listener_precedence;
use super::obstacle::Obstacle;
use super::references;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{AllowedNamespaces, ListenerFacts, ListenersFacts};
use crate::config::TlsModes;
use crate::kinds::Kind;
use crate::kinds::protocol::{PROTOCOLS, is_supported, told_apart_by_host};

/// A Gateway and its ListenerSets, in order of precedence.
#[derive(Debug)]
pub struct ListenerTree<'t> {
    /// The Gateway first, then the sets that it allows, or may allow, and that are valid.
    pub members: Vec<Member<'t>>,
    /// Whether all ListenerSets of the Gateway are known.
    pub is_complete: bool,
    /// The TLS modes that its controller supports; `None` for another implementation.
    modes: Option<TlsModes>,
}

/// A Gateway or a ListenerSet in a tree.
#[derive(Debug)]
pub struct Member<'t> {
    /// The object.
    pub facts: &'t ListenersFacts,
    /// Whether it is certain that the Gateway allows it.
    pub is_certain: bool,
    /// For each listener, the listener that is served instead, or that conflicts with it in the same object.
    pub losses: Vec<Loss<'t>>,
}

impl<'t> ListenerTree<'t> {
    /// Returns the tree of `gateway`, whose controller supports `modes`; without them, it is another implementation, which may
    /// support what Portcullis does not. `own` is the ListenerSet that is evaluated, which the view does not yield.
    pub fn of<'c: 't>(
        gateway: &'t ListenersFacts,
        own: Option<&'t ListenersFacts>,
        modes: Option<TlsModes>,
        cluster: &Overlay<'c>,
    ) -> Self {
        let takes_sets = gateway.allowed_listeners != AllowedNamespaces::None;
        let others = takes_sets.then(|| cluster.sets_of(&gateway.object_ref)).into_iter().flatten();
        let others: Vec<&'t ListenersFacts> = others.collect();
        let allowed =
            others.into_iter().chain(own).filter(|set| set.error.is_none()).filter_map(|set| {
                match allows_set(gateway, set, cluster) {
                    Some(false) => None,
                    answer => Some((set, answer == Some(true))),
                }
            });
        let mut sets: Vec<_> = allowed.collect();
        sets.sort_by(|(one, _), (other, _)| one.precedence(other));
        let all: Vec<_> = [(gateway, true)].into_iter().chain(sets).collect();
        let objects = all.iter().map(|(facts, _)| *facts);
        let is_supported = |listener: &ListenerFacts| unsupported(listener, modes).is_none();
        let mut losses = listener_precedence::resolve(objects.clone(), is_supported);
        if modes.is_some_and(|modes| !modes.mixed) {
            listener_precedence::separate_modes(objects.zip(&mut losses), is_supported);
        }
        let members =
            all.into_iter().zip(losses).map(|((facts, is_certain), losses)| Member { facts, is_certain, losses });
        let is_complete = !takes_sets || cluster.is_complete(Kind::ListenerSet);
        Self { members: members.collect(), is_complete, modes }
    }

    /// The Gateway.
    pub fn gateway(&self) -> &'t ListenersFacts {
        self.members[0].facts
    }

    /// The member with the listeners of this object; `None` if it takes no part.
    pub fn member(&self, facts: &ListenersFacts) -> Option<&Member<'t>> {
        self.members.iter().find(|member| member.facts.object_ref == facts.object_ref)
    }

    /// Why a listener of a member is not served, or may not be; `None` if it is served. A whole Gateway or ListenerSet that
    /// is rejected is not looked at.
    pub fn unserved(&self, member: &Member<'_>, index: usize, cluster: &Overlay<'_>) -> Option<Obstacle> {
        let listener = member.facts.listeners.get(index)?;
        let loss = member.losses.get(index).copied().flatten();
        unsupported(listener, self.modes)
            .or_else(|| loss.map(|loss| self.lost(member, listener, loss)))
            .or_else(|| self.without_authority(listener, cluster))
            .map(|obstacle| self.of_implementation(obstacle))
            .or_else(|| self.not_compared(member))
    }

    /// The obstacle as far as it holds for the implementation of the Gateway.
    fn of_implementation(&self, obstacle: Obstacle) -> Obstacle {
        if self.modes.is_some() { obstacle } else { obstacle.of_any_implementation() }
    }

    /// Why the Gateway as a whole is not served, and its ListenerSets with it: it is invalid, or none of its own listeners is
    /// served.
    pub fn unserved_gateway(&self, cluster: &Overlay<'_>) -> Option<Obstacle> {
        let own = &self.members[0];
        if let Some(error) = &own.facts.error {
            return Some(Obstacle::because("Invalid", error.message.to_string()));
        }
        let is_rejected = |index| self.unserved(own, index, cluster).is_some_and(|unserved| unserved.reason.is_some());
        (0..own.facts.listeners.len())
            .all(is_rejected)
            .then(|| Obstacle::because("ListenersNotValid", "no listener is accepted".to_owned()))
    }

    fn lost(
        &self,
        member: &Member<'_>,
        own: &ListenerFacts,
        (why, theirs, winner): (ListenerConflict, &ListenerFacts, &ListenersFacts),
    ) -> Obstacle {
        let message = conflict_message(why, own, theirs, (winner, member.facts));
        match self.member(winner).is_none_or(|winner| winner.is_certain) {
            true => Obstacle::because(conflict_reason(why), message),
            false => Obstacle::unknown(format!(
                "it is not known whether the Gateway allows {}: {message}",
                winner.object_ref
            )),
        }
    }

    /// A listener of a ListenerSet while some sets are not known, which may take precedence.
    fn not_compared(&self, member: &Member<'_>) -> Option<Obstacle> {
        let message = "the other ListenerSets of the Gateway are not known, and an older one may conflict";
        let is_open = !self.is_complete && member.facts.object_ref.kind == Kind::ListenerSet;
        is_open.then(|| Obstacle::unknown(message.to_owned()))
    }

    /// What is wrong with the authorities for client certificates that apply to `listener`, and their number.
    pub fn authorities(&self, listener: &ListenerFacts, cluster: &Overlay<'_>) -> (usize, Vec<Obstacle>) {
        let gateway = self.gateway();
        let settings = gateway.settings.as_deref().filter(|_| &*listener.protocol == "HTTPS");
        let all = settings.map(|settings| settings.authorities_on(listener.port)).unwrap_or_default();
        let from = Referrer { kind: Kind::Gateway, namespace: &gateway.object_ref.namespace };
        (all.len(), all.iter().filter_map(|authority| references::authority(authority, from, cluster)).collect())
    }

    /// What is wrong with the certificates with which `listener` of `member` terminates TLS.
    pub fn certificates(&self, member: &Member<'_>, listener: &ListenerFacts, cluster: &Overlay<'_>) -> Vec<Obstacle> {
        let object_ref = &member.facts.object_ref;
        let from = Referrer { kind: object_ref.kind, namespace: &object_ref.namespace };
        let all = listener.certificates.iter();
        all.filter_map(|each| references::certificate(each, from, "InvalidCertificateRef", cluster)).collect()
    }

    /// Why a listener of a member cannot terminate TLS, although it is accepted: it has no TLS settings, or none of its certificates
    /// is usable.
    pub fn without_certificate(&self, member: &Member<'_>, index: usize, cluster: &Overlay<'_>) -> Option<Obstacle> {
        let listener = member.facts.listeners.get(index)?;
        if listener.lacks_tls {
            let message = format!("protocol {} requires `tls` with a certificate", listener.protocol);
            return Some(Obstacle::because("InvalidTLSConfig", message));
        }
        let failed = all_failed("Invalid", listener.certificates.len(), &self.certificates(member, listener, cluster));
        failed.map(|obstacle| self.of_implementation(obstacle))
    }

    /// A listener that cannot validate client certificates, since none of its authorities is usable.
    fn without_authority(&self, listener: &ListenerFacts, cluster: &Overlay<'_>) -> Option<Obstacle> {
        let (count, unresolved) = self.authorities(listener, cluster);
        all_failed("NoValidCACertificate", count, &unresolved)
    }

    /// The first served listener whose TLS hosts overlap those of a listener of `member`.
    pub fn overlapping(
        &self,
        member: &Member<'_>,
        own: &ListenerFacts,
    ) -> Option<(&'t ListenerFacts, &'t ListenersFacts)> {
        let is_own = |facts: &ListenersFacts, other: &ListenerFacts| {
            facts.object_ref == member.facts.object_ref && other.name == own.name
        };
        self.members.iter().filter(|other| other.is_certain).find_map(|other| {
            let mut listeners = other.facts.listeners.iter().zip(&other.losses);
            let found = listeners.find(|(theirs, loss)| {
                loss.is_none()
                    && unsupported(theirs, self.modes).is_none()
                    && overlaps(own, theirs)
                    && !is_own(other.facts, theirs)
            });
            found.map(|(theirs, _)| (theirs, other.facts))
        })
    }
}

/// The obstacle of a listener that needs one of `count` references, if all of them are among the `unresolved`.
fn all_failed(reason: &'static str, count: usize, unresolved: &[Obstacle]) -> Option<Obstacle> {
    let failed = unresolved.iter().filter(|unresolved| unresolved.reason.is_some()).count();
    (count > 0 && failed == count).then(|| Obstacle {
        may_be_supported: unresolved.iter().any(|unresolved| unresolved.may_be_supported),
        ..Obstacle::because(reason, references::listed(unresolved))
    })
}

/// Why a listener is not served because of its own content.
fn unsupported(listener: &ListenerFacts, modes: Option<TlsModes>) -> Option<Obstacle> {
    if let Some(error) = &listener.error {
        let is_protocol = error.rule == Some("listener/protocol-malformed");
        let reason = if is_protocol { "UnsupportedProtocol" } else { "UnsupportedValue" };
        return Some(Obstacle::because(reason, error.message.to_string()));
    }
    if !is_supported(&listener.protocol) {
        let message = format!("protocol `{}` is not supported: use {}", listener.protocol, PROTOCOLS.join(", "));
        return Some(Obstacle::unsupported("UnsupportedProtocol", message));
    }
    modes.is_some_and(|modes| !supports(modes, listener)).then(|| {
        let message = "mode Terminate of protocol TLS is not supported, since status.supportedFeatures of the configuration does not \
                       list TLSRouteModeTerminate: use mode Passthrough or protocol HTTPS";
        Obstacle::unsupported("UnsupportedValue", message.to_owned())
    })
}

/// The reason for a conflict, which `Accepted`, `Programmed` and `Conflicted` share.
pub const fn conflict_reason(why: ListenerConflict) -> &'static str {
    match why {
        ListenerConflict::Protocol => "ProtocolConflict",
        ListenerConflict::Hostname => "HostnameConflict",
    }
}

/// Whether a listener has a TLS mode that its controller supports.
pub fn supports(modes: TlsModes, listener: &ListenerFacts) -> bool {
    modes.terminate || listener.passthrough || &*listener.protocol != "TLS"
}

fn mode(listener: &ListenerFacts) -> &'static str {
    if listener.passthrough { "Passthrough" } else { "Terminate" }
}

fn conflict_message(
    why: ListenerConflict,
    own: &ListenerFacts,
    theirs: &ListenerFacts,
    (winner, object): (&ListenersFacts, &ListenersFacts),
) -> String {
    let is_inside = winner.object_ref == object.object_ref;
    let other = match is_inside {
        true => format!("listener `{}` of the same object", theirs.name),
        false => format!("listener `{}` of {}, which takes precedence,", theirs.name, winner.object_ref),
    };
    let port = own.port.unwrap_or_default();
    match why {
        ListenerConflict::Protocol if own.protocol == theirs.protocol => format!(
            "mode {} cannot share port {port} with mode {} of {other}, since status.supportedFeatures of the configuration does not \
             list TLSRouteModeMixed: use another port",
            mode(own),
            mode(theirs)
        ),
        ListenerConflict::Protocol if told_apart_by_host(&own.protocol) == Some(&*theirs.protocol) => format!(
            "protocol {} cannot share port {port} and the hostname with protocol {} of {other}: use another hostname or \
             port",
            own.protocol, theirs.protocol
        ),
        ListenerConflict::Protocol => format!(
            "protocol {} cannot share port {port} with protocol {} of {other}: use another port",
            own.protocol, theirs.protocol
        ),
        ListenerConflict::Hostname if !own.has_host() => {
            format!("{other} already uses port {port} with protocol {}: use another port", own.protocol)
        }
        ListenerConflict::Hostname => format!(
            "{other} already uses port {port} with protocol {} and the same hostname: use another hostname or port",
            own.protocol
        ),
    }
}
