//! The listeners of all Gateways, their own and those that ListenerSets add, and which of them a connection reaches.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::request::Request;
use super::route_resolver::{Scope, Stored, hosts_above};
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::host::Depth;
use crate::matching::{Host, host::Form};
use crate::routing::attachment::allows_namespace;
use crate::routing::listener_conflict::{conflict, precedes};

/// One listener.
pub(super) struct Site<'w> {
    /// The Gateway that it belongs to.
    pub(super) gateway: &'w ListenersFacts,
    /// The Gateway or the ListenerSet that holds it.
    pub(super) holder: &'w ListenersFacts,
    /// Its position there.
    pub(super) index: usize,
    /// The listener.
    pub(super) listener: &'w ListenerFacts,
    /// Why it serves nothing.
    fault: Option<String>,
}

/// All listeners.
#[derive(Default)]
pub(super) struct Sites<'w> {
    pub(super) all: Vec<Site<'w>>,
    by_host: HashMap<Host<'w>, Vec<usize>>,
    by_listener: HashMap<*const ListenerFacts, usize>,
}

/// The listener of one Gateway that a request reaches.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// The listener.
    pub(super) site: usize,
    /// The other one that the request's host belongs to, if TLS asked for another name.
    pub(super) misdirected: Option<usize>,
}

impl<'w> Sites<'w> {
    pub(super) fn new(objects: &'w [Stored<'w>], cluster: &Overlay<'w>) -> Self {
        let mut sites = Self::default();
        let mut gateways: Vec<_> = objects.iter().filter(|stored| stored.object_ref.kind == Kind::Gateway).collect();
        gateways.sort_by_key(|stored| &stored.object_ref);
        for stored in gateways {
            if let Lookup::Found(gateway) = cluster.listeners(&stored.object_ref) {
                sites.add(gateway, cluster);
            }
        }
        for (index, site) in sites.all.iter().enumerate() {
            let host = if site.listener.has_host() { site.listener.host.borrowed() } else { Host::Any };
            sites.by_host.entry(host).or_default().push(index);
            sites.by_listener.insert(std::ptr::from_ref(site.listener), index);
        }
        sites
    }

    /// Adds the listeners of a Gateway, then those of its ListenerSets, which lose against all that came before them.
    fn add(&mut self, gateway: &'w ListenersFacts, cluster: &Overlay<'w>) {
        let matches = |set: &&ListenersFacts| {
            let (own, other) = (&gateway.object_ref.namespace, &set.object_ref.namespace);
            allows_namespace(&gateway.allowed_listeners, own, other, cluster) == Some(true)
        };
        let mut sets: Vec<&ListenersFacts> = cluster.sets_of(&gateway.object_ref).filter(matches).collect();
        sets.sort_by(|left, right| precedes(right, left).cmp(&precedes(left, right)));
        let first = self.all.len();
        for holder in std::iter::once(gateway).chain(sets) {
            let before = self.all.len();
            for (index, listener) in holder.listeners.iter().enumerate() {
                let siblings = holder.listeners.iter().enumerate().filter(|(other, _)| *other != index);
                let earlier = self.all[first..before].iter().filter(|site| site.fault.is_none());
                let mut rivals = earlier.map(|site| site.listener).chain(siblings.map(|(_, other)| other));
                let rival = rivals.find(|rival| conflict(listener, rival).is_some());
                let fault = rival.map(|rival| format!("conflicts with listener {}", rival.name));
                self.all.push(Site { gateway, holder, index, listener, fault });
            }
        }
    }

    /// The listener that these facts are of, if a Gateway has it.
    pub(super) fn of(&self, listener: &ListenerFacts) -> Option<usize> {
        self.by_listener.get(&std::ptr::from_ref(listener)).copied()
    }

    /// For each Gateway that is asked the listener that a request reaches: of those whose host takes it the most specific.
    pub(super) fn reached(&self, request: &Request, scope: &Scope) -> BTreeMap<&'w ObjectRef, Choice> {
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
        let asked = request.sni.as_deref().filter(|_| request.is_secure);
        let reached = of_name(if request.is_secure { asked.unwrap_or_default() } else { &request.host });
        let meant = match asked {
            Some(sni) if sni != request.host => of_name(&request.host),
            _ => BTreeMap::new(),
        };
        let choice = |(gateway, site): (&'w ObjectRef, usize)| {
            let other = meant.get(gateway).copied().filter(|other| *other != site);
            let misdirected = other.filter(|_| &*self.all[site].listener.protocol == "HTTPS");
            (gateway, Choice { site, misdirected })
        };
        reached.into_iter().map(choice).collect()
    }
}

impl Site<'_> {
    /// Whether it serves, and a connection like that of `request` is one for it, whatever host is asked for.
    pub(super) fn is_open_to(&self, request: &Request) -> bool {
        self.fault.is_none() && self.has_port(request) && self.speaks(request)
    }

    fn has_port(&self, request: &Request) -> bool {
        self.listener.port == Some(i64::from(request.port))
    }

    fn speaks(&self, request: &Request) -> bool {
        match &*self.listener.protocol {
            "HTTP" => !request.is_secure,
            "HTTPS" | "TLS" => request.is_secure,
            "UDP" => false,
            _ => true,
        }
    }

    /// The name by which its routes are told apart: what TLS asks for where TLS goes on behind it, else the host.
    pub(super) fn name_of<'r>(&self, request: &'r Request) -> &'r str {
        match &*self.listener.protocol {
            "TLS" => request.sni.as_deref().unwrap_or_default(),
            _ => &request.host,
        }
    }

    /// Why `request` does not come here.
    pub(super) fn refusal(&self, request: &Request) -> String {
        let (listener, port) = (self.listener, self.listener.port.unwrap_or_default());
        let name = if request.is_secure { request.sni.as_deref().unwrap_or_default() } else { &request.host };
        let why = match &self.fault {
            Some(fault) => fault.clone(),
            None if !self.has_port(request) => format!("is on port {port}, not {}", request.port),
            None if !self.speaks(request) => format!("speaks {}, not {}", listener.protocol, request.scheme()),
            None if !listener.host.matches(name, Depth::AnyLabels) => format!("has host {}", listener.host),
            None => "is not the one with the most specific host".to_owned(),
        };
        format!("listener {} of {} {why}", listener.name, self.holder.object_ref)
    }

    /// What it is, in words.
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
