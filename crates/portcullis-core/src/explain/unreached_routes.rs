//! Finds out why a request does not reach a route: another host, no parent, a listener that does not accept the route,
//! or a listener that the request does not reach.

use super::answer::Loser;
use super::attached::AttachedRoute;
use super::gateway::GatewayPlanes;
use super::request::Request;
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::kinds::Kind;
use crate::matching::host::Depth;
use crate::routing::{Attachment, NotAllowedReason};

/// The maximum number of hosts of a route that are listed.
const MAX_HOSTS: usize = 3;

impl GatewayPlanes<'_> {
    /// Why `request` does not reach a route: one reason, or one for each parentRef.
    pub(super) fn unreached_reasons(&self, route: usize, request: &Request) -> Vec<Loser> {
        let attached = &self.routes[route];
        let elsewhere = other_hosts(attached, request);
        let is_elsewhere = elsewhere.is_some();
        let reasons = match elsewhere {
            Some(hosts) => vec![(At::field("spec.hostnames"), hosts)],
            None => self.unreached(attached, request),
        };
        let object = &attached.facts.object_ref;
        let loser =
            |(field, reason): (At, String)| Loser { object: object.clone(), field: field.into(), reason, is_elsewhere };
        reasons.into_iter().map(loser).collect()
    }

    fn unreached(&self, attached: &AttachedRoute<'_>, request: &Request) -> Vec<(At, String)> {
        let parents = attached.route.parent_refs().len();
        if parents == 0 {
            return vec![(At::field("spec.parentRefs"), "not attached: spec.parentRefs is empty".to_owned())];
        }
        let at = |reference| At::element("spec.parentRefs[]", [reference]);
        (0..parents).map(|reference| (at(reference), self.unreached_by(attached, reference, request))).collect()
    }

    /// Why `request` does not reach a route by one of its parentRefs.
    fn unreached_by(&self, attached: &AttachedRoute<'_>, reference: usize, request: &Request) -> String {
        let site_of = |site: usize| &self.sites.all[site];
        let sites = || attached.sites.iter().filter(|(_, own)| *own == Some(reference)).map(|(site, _)| site_of(*site));
        let is_own = |site: usize| attached.sites.contains(&(site, Some(reference)));
        let clash = attached.clashes.iter().find(|(site, _)| is_own(*site));
        if let Some((site, other)) = clash {
            let (site, other) = (site_of(*site), &self.routes[*other].facts.object_ref);
            return format!("listener {} accepts {other} instead, which takes precedence", site.listener.name);
        }
        let Some(first) = sites().next() else { return self.refused(attached, reference) };
        match sites().find(|site| site.is_open_to(request)) {
            Some(open) => open.refusal(request),
            None => self.kept_out(attached, reference, request).unwrap_or_else(|| first.refusal(request)),
        }
    }

    /// Why a listener of a parent that the request does reach does not accept the route.
    fn kept_out(&self, attached: &AttachedRoute<'_>, reference: usize, request: &Request) -> Option<String> {
        let object_ref = &attached.facts.object_ref;
        let parent = ParentFacts::of(attached.route.parent_refs().get(reference)?, &object_ref.namespace)?;
        let Attachment::Decided { listeners, .. } = Attachment::of(attached.facts, &parent, &self.cluster) else {
            return None;
        };
        listeners.into_iter().find_map(|(listener, refusal)| {
            let site = self.sites.of(listener).map(|site| &self.sites.all[site])?;
            let why = match refusal? {
                NotAllowedReason::Kind => format!("does not allow kind {}", object_ref.kind),
                NotAllowedReason::Namespace => format!("does not allow routes of namespace {}", object_ref.namespace),
                NotAllowedReason::Hostname => "has no hostname in common with the route".to_owned(),
                // The route refers to a different listener itself, or it is not known.
                NotAllowedReason::OtherSection | NotAllowedReason::OtherPort | NotAllowedReason::Unknown => {
                    return None;
                }
            };
            let is_reached = site.is_open_to(request) && listener.host.matches(site.name_of(request), Depth::AnyLabels);
            is_reached.then(|| format!("listener {} of {} {why}", listener.name, site.holder.object_ref))
        })
    }

    /// Why the parent of a parentRef does not accept the route.
    fn refused(&self, attached: &AttachedRoute<'_>, reference: usize) -> String {
        let (object_ref, written) = (&attached.facts.object_ref, &attached.route.parent_refs()[reference]);
        let Some(parent) = ParentFacts::of(written, &object_ref.namespace) else {
            return format!("{} {} has no listeners", written.kind(), &*written.name);
        };
        let (target, attachment) = (&parent.target, Attachment::of(attached.facts, &parent, &self.cluster));
        match (&attachment, attachment.refusal()) {
            (Attachment::NoParent, _) => format!("{target} not found"),
            (Attachment::Unknown, _) => format!("it is not known whether {target} exists"),
            (_, Some(NotAllowedReason::OtherSection)) => {
                format!("{target} has no listener {}", parent.section.as_deref().unwrap_or("at all"))
            }
            (_, Some(NotAllowedReason::OtherPort)) => {
                format!("{target} has no listener on port {}", parent.port.unwrap_or_default())
            }
            (_, Some(NotAllowedReason::Kind)) => format!("no listener of {target} allows kind {}", object_ref.kind),
            (_, Some(NotAllowedReason::Namespace)) => {
                format!("no listener of {target} allows routes of namespace {}", object_ref.namespace)
            }
            (_, Some(NotAllowedReason::Hostname)) => {
                format!("no listener of {target} has a hostname in common with the route")
            }
            (_, None) if target.kind == Kind::ListenerSet => format!("{target} is not part of its Gateway"),
            (_, None | Some(NotAllowedReason::Unknown)) => format!("it is not known whether {target} allows it"),
        }
    }
}

/// The hosts of a route, if none of them matches the request.
fn other_hosts(attached: &AttachedRoute<'_>, request: &Request) -> Option<String> {
    let hosts = &attached.facts.hosts;
    let name = match attached.facts.object_ref.kind {
        Kind::TlsRoute => request.sni.as_deref().unwrap_or_default(),
        _ => &request.host,
    };
    if hosts.is_empty() || hosts.iter().any(|host| host.matches(name, Depth::AnyLabels)) {
        return None;
    }
    let mut describe: Vec<String> = hosts.iter().take(MAX_HOSTS).map(ToString::to_string).collect();
    if hosts.len() > MAX_HOSTS {
        describe.push("…".to_owned());
    }
    Some(format!("host {}", describe.join(", ")))
}
