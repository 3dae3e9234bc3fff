//! The listeners of all Gateways, including those of ListenerSets, and which of them a connection reaches.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::answer::ReachedPoint;
use super::request::Request;
use super::route_resolver::{Scope, Stored, hosts_above};
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::cluster::{Lookup, Overlay};
use crate::config::StatusConfig;
use crate::field::At;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::host::Depth;
use crate::matching::{GatewayDialect, Host, host::Form};
use crate::routing::listener_tree::ListenerTree;

/// One listener.
pub(super) struct GatewayListener<'w> {
    /// The Gateway that the listener belongs to.
    pub(super) gateway: &'w ListenersFacts,
    /// The Gateway or the ListenerSet that contains the listener.
    pub(super) holder: &'w ListenersFacts,
    /// The index of the listener in `holder`.
    pub(super) index: usize,
    /// The facts of the listener.
    pub(super) listener: &'w ListenerFacts,
    /// What its implementation does where the specification leaves it open.
    pub(super) dialect: GatewayDialect,
    /// Why it serves nothing, if so.
    fault: Option<String>,
}

/// All listeners, with an index by host and one by facts.
#[derive(Default)]
pub(super) struct GatewayListeners<'w> {
    pub(super) all: Vec<GatewayListener<'w>>,
    by_host: HashMap<Host<'w>, Vec<usize>>,
    by_listener: HashMap<*const ListenerFacts, usize>,
}

/// The listener of a Gateway that a request reaches.
#[derive(Clone, Copy)]
pub(super) struct ReachedListener {
    /// The index of the listener.
    pub(super) site: usize,
    /// The index of the listener for the host of the request, if the TLS server name leads to another one.
    pub(super) misdirected: Option<usize>,
}

impl<'w> GatewayListeners<'w> {
    pub(super) fn new(objects: &'w [Stored<'w>], cluster: &Overlay<'w>, status: &StatusConfig) -> Self {
        let mut sites = Self::default();
        let mut gateways: Vec<_> = objects.iter().filter(|stored| stored.object_ref.kind == Kind::Gateway).collect();
        gateways.sort_by_key(|stored| &stored.object_ref);
        for stored in gateways {
            if let Lookup::Found(gateway) = cluster.listeners(&stored.object_ref) {
                sites.add(gateway, cluster, status);
            }
        }
        for (index, site) in sites.all.iter().enumerate() {
            let host = if site.listener.has_host() { site.listener.host.borrowed() } else { Host::Any };
            sites.by_host.entry(host).or_default().push(index);
            sites.by_listener.insert(std::ptr::from_ref(site.listener), index);
        }
        sites
    }

    /// Adds the listeners of a Gateway, then those of the ListenerSets that it certainly allows.
    fn add(&mut self, gateway: &'w ListenersFacts, cluster: &Overlay<'w>, status: &StatusConfig) {
        let is_own = is_own(gateway, cluster, status);
        let tree = ListenerTree::of(gateway, None, is_own.then(|| status.tls_modes()), cluster);
        let dialect = dialect(gateway, cluster);
        let whole = tree.unserved_gateway(cluster);
        let whole = whole.map(|unserved| format!("{} is not accepted: {}", gateway.object_ref, unserved.message));
        for member in tree.members.iter().filter(|member| member.is_certain) {
            for (index, listener) in member.facts.listeners.iter().enumerate() {
                let unserved = tree.unserved(member, index, cluster);
                let untrusted = tree.without_certificate(member, index, cluster);
                let unserved = unserved.into_iter().chain(untrusted).find(|obstacle| obstacle.reason.is_some());
                let fault = unserved.map(|unserved| unserved.message).or_else(|| whole.clone());
                self.all.push(GatewayListener { gateway, holder: member.facts, index, listener, dialect, fault });
            }
        }
    }

    /// The index of the listener with these facts, if it belongs to a Gateway.
    pub(super) fn of(&self, listener: &ListenerFacts) -> Option<usize> {
        self.by_listener.get(&std::ptr::from_ref(listener)).copied()
    }

    /// For each Gateway in the scope, the listener that a request reaches: the one with the most specific host that
    /// matches.
    pub(super) fn reached(&self, request: &Request, scope: &Scope) -> BTreeMap<&'w ObjectRef, ReachedListener> {
        let of_name = |name: &str| {
            let mut found: BTreeMap<&'w ObjectRef, usize> = BTreeMap::new();
            for host in hosts_above(name) {
                for index in self.by_host.get(&host).into_iter().flatten() {
                    let site = &self.all[*index];
                    if scope.has_gateway(&site.gateway.object_ref) && site.is_open_to(request) {
                        found.entry(&site.gateway.object_ref).or_insert(*index);
                    }
                }
            }
            found
        };
        let sni = request.sni.as_deref().filter(|_| request.is_secure);
        let reached = of_name(if request.is_secure { sni.unwrap_or_default() } else { &request.host });
        let by_host_header = match sni {
            Some(sni) if sni != request.host => of_name(&request.host),
            _ => BTreeMap::new(),
        };
        let choice = |(gateway, site): (&'w ObjectRef, usize)| {
            let other = by_host_header.get(gateway).copied().filter(|other| *other != site);
            let misdirected = other.filter(|_| &*self.all[site].listener.protocol == "HTTPS");
            (gateway, ReachedListener { site, misdirected })
        };
        reached.into_iter().map(choice).collect()
    }
}

/// What the implementation of a Gateway does where the specification leaves it open, as far as that is known.
fn dialect(gateway: &ListenersFacts, cluster: &Overlay<'_>) -> GatewayDialect {
    let known = match cluster.gateway_class(&gateway.class) {
        Lookup::Found(class) => GatewayDialect::of(&class.controller),
        Lookup::Absent | Lookup::Unknown => None,
    };
    known.unwrap_or(GatewayDialect::ASSUMED)
}

/// Whether the class of a Gateway is this controller's.
pub(super) fn is_own(gateway: &ListenersFacts, cluster: &Overlay<'_>, status: &StatusConfig) -> bool {
    matches!(cluster.gateway_class(&gateway.class), Lookup::Found(class) if status.is_own(&class.controller))
}

impl GatewayListener<'_> {
    /// Whether the listener is valid, and accepts the port and the protocol of `request`. Its host is not compared.
    pub(super) fn is_open_to(&self, request: &Request) -> bool {
        self.fault.is_none() && self.has_port(request) && self.speaks(request)
    }

    fn has_port(&self, request: &Request) -> bool {
        self.listener.port == Some(i64::from(request.port))
    }

    /// The port of requests to the listener, and whether they use TLS; `None` if it receives datagrams.
    pub(super) fn endpoint(&self) -> Option<(bool, u16)> {
        let is_secure = match &*self.listener.protocol {
            "HTTP" | "TCP" => false,
            "HTTPS" | "TLS" => true,
            _ => return None,
        };
        Some((is_secure, self.listener.port.and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0)?))
    }

    fn speaks(&self, request: &Request) -> bool {
        match &*self.listener.protocol {
            "HTTP" => !request.is_secure,
            "HTTPS" | "TLS" => request.is_secure,
            "UDP" => false,
            _ => true,
        }
    }

    /// The name that selects among its routes: the server name for protocol TLS, otherwise the host.
    pub(super) fn name_of<'r>(&self, request: &'r Request) -> &'r str {
        match &*self.listener.protocol {
            "TLS" => request.sni.as_deref().unwrap_or_default(),
            _ => &request.host,
        }
    }

    /// This listener as the last part that a request reaches, with the status code of the response.
    pub(super) fn reached(&self, code: Option<u16>, reason: String) -> ReachedPoint {
        let field = At::element("spec.listeners[]", [self.index]).into();
        ReachedPoint { object: self.holder.object_ref.clone(), field, code, reason }
    }

    /// This listener, if none of its routes answers: HTTP has a status for that, a connection is closed.
    pub(super) fn unanswered(&self) -> ReachedPoint {
        match &*self.listener.protocol {
            "HTTP" | "HTTPS" => self.reached(Some(404), "no rule of a route matches".to_owned()),
            _ => self.reached(None, "no route accepts the connection".to_owned()),
        }
    }

    /// Why `request` does not reach this listener.
    pub(super) fn refusal(&self, request: &Request) -> String {
        let (listener, port) = (self.listener, self.listener.port.unwrap_or_default());
        let name = if request.is_secure { request.sni.as_deref().unwrap_or_default() } else { &request.host };
        let why = match &self.fault {
            Some(fault) => format!("is not served: {fault}"),
            None if !self.has_port(request) => format!("is on port {port}, not {}", request.port),
            None if !self.speaks(request) => {
                format!("has protocol {}; the request uses {}", listener.protocol, request.scheme())
            }
            None if !listener.host.matches(name, Depth::AnyLabels) => format!("has host {}", listener.host),
            None => "is not the one with the most specific host".to_owned(),
        };
        format!("listener {} of {} {why}", listener.name, self.holder.object_ref)
    }

    /// Describes the listener.
    pub(super) fn describe(&self) -> String {
        let (listener, port) = (self.listener, self.listener.port.unwrap_or_default());
        let through = if listener.passthrough { ", TLS passthrough" } else { "" };
        let host = match listener.host.parts().0 {
            Form::Any => String::new(),
            _ => format!(", host {}", listener.host),
        };
        format!("{} on port {port}{host}{through}", listener.protocol)
    }
}
