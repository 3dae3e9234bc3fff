//! Finds out why a request does not reach a route: another host, no parent, a listener that does not accept the route,
//! or a listener that the request does not reach.

use super::answer::Loser;
use super::attached::Attached;
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
    /// Why `request` does not reach a route.
    pub(super) fn unreached_reason(&self, route: usize, request: &Request) -> Loser {
        let attached = &self.routes[route];
        let (field, reason) = match other_hosts(attached, request) {
            Some(hosts) => (At::field("spec.hostnames"), hosts),
            None => self.unreached(attached, request),
        };
        Loser { object: attached.facts.object_ref.clone(), field: field.into(), reason }
    }

    fn unreached(&self, attached: &Attached<'_>, request: &Request) -> (At, String) {
        let at = |reference| At::element("spec.parentRefs[]", [reference]);
        if let Some((site, other)) = attached.clashes.first() {
            let (site, other) = (&self.sites.all[*site], &self.routes[*other].facts.object_ref);
            let reference = attached.sites.first().map_or(0, |(_, reference)| *reference);
            return (
                at(reference),
                format!("listener {} takes {other}, of the other kind, which comes first", site.listener.name),
            );
        }
        let is_open = |(site, _): &&(usize, usize)| self.sites.all[*site].is_open_to(request);
        let open = attached.sites.iter().find(is_open);
        if open.is_none()
            && !attached.sites.is_empty()
            && let Some((reference, reason)) = self.kept_out(attached, request)
        {
            return (at(reference), reason);
        }
        if let Some((site, reference)) = open.or(attached.sites.first()) {
            return (at(*reference), self.sites.all[*site].refusal(request));
        }
        match attached.route.parent_refs().is_empty() {
            true => (At::field("spec.parentRefs"), "attached to nothing: it names no parent".to_owned()),
            false => (at(0), self.refused(attached)),
        }
    }

    /// A parentRef with a listener that the request does reach but that does not accept the route, and the reason.
    fn kept_out(&self, attached: &Attached<'_>, request: &Request) -> Option<(usize, String)> {
        let object_ref = &attached.facts.object_ref;
        attached.route.parent_refs().iter().enumerate().find_map(|(index, written)| {
            let parent = ParentFacts::of(written, &object_ref.namespace)?;
            let Attachment::Decided { listeners, .. } = Attachment::of(attached.facts, &parent, &self.cluster) else {
                return None;
            };
            listeners.into_iter().find_map(|(listener, refusal)| {
                let site = self.sites.of(listener).map(|site| &self.sites.all[site])?;
                let why = match refusal? {
                    NotAllowedReason::Kind => format!("takes no {}", object_ref.kind),
                    NotAllowedReason::Namespace => format!("takes no routes of namespace {}", object_ref.namespace),
                    NotAllowedReason::Hostname => "has no host in common with it".to_owned(),
                    // The route refers to a different listener itself, or it is not known.
                    NotAllowedReason::OtherSection | NotAllowedReason::OtherPort | NotAllowedReason::Unknown => {
                        return None;
                    }
                };
                let is_reached =
                    site.is_open_to(request) && listener.host.matches(site.name_of(request), Depth::AnyLabels);
                is_reached.then(|| (index, format!("listener {} of {} {why}", listener.name, site.holder.object_ref)))
            })
        })
    }

    /// Why the first parent does not accept the route.
    fn refused(&self, attached: &Attached<'_>) -> String {
        let (object_ref, written) = (&attached.facts.object_ref, &attached.route.parent_refs()[0]);
        let Some(parent) = ParentFacts::of(written, &object_ref.namespace) else {
            return format!("{} {} has no listeners", written.kind(), &*written.name);
        };
        let (target, attachment) = (&parent.target, Attachment::of(attached.facts, &parent, &self.cluster));
        match (&attachment, attachment.refusal()) {
            (Attachment::NoParent, _) => format!("there is no {target}"),
            (Attachment::Unknown, _) => format!("it is not known whether there is {target}"),
            (_, Some(NotAllowedReason::OtherSection)) => {
                format!("{target} has no listener {}", parent.section.as_deref().unwrap_or("at all"))
            }
            (_, Some(NotAllowedReason::OtherPort)) => {
                format!("{target} has no listener on port {}", parent.port.unwrap_or_default())
            }
            (_, Some(NotAllowedReason::Kind)) => format!("no listener of {target} takes a {}", object_ref.kind),
            (_, Some(NotAllowedReason::Namespace)) => {
                format!("no listener of {target} takes routes of namespace {}", object_ref.namespace)
            }
            (_, Some(NotAllowedReason::Hostname)) => format!("no listener of {target} has a host in common with it"),
            (_, Some(NotAllowedReason::Unknown)) => format!("it is not known whether {target} takes it"),
            (_, None) => format!("{target} is not taken in by its Gateway"),
        }
    }
}

/// The hosts of a route, if none of them matches the request.
fn other_hosts(attached: &Attached<'_>, request: &Request) -> Option<String> {
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
