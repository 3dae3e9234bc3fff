//! An ingress-nginx with all Ingresses that it serves, and which server a host reaches.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::HashMap;

use super::build;
use super::canary::Canary;
use super::controller_settings::ControllerSettings;
use super::locations::Location;
use super::servers::{DEFAULT, Server, Source, Upstream, covers};
use super::settings::Settings;
use crate::cluster::Overlay;
use crate::kinds::ObjectRef;
use crate::matching::Host;
use crate::matching::compile::{Reach, compile};
use crate::matching::host::Depth;

/// What a host reaches.
#[derive(Debug)]
pub enum ReachedServer<'s, 'w> {
    /// A server.
    Server(&'s Server<'w>),
    /// A redirect to this server, whose host has `www.` in front or lacks it.
    OtherName(&'s Server<'w>),
}

/// An ingress-nginx with all Ingresses that it serves.
#[derive(Debug)]
pub struct Proxy<'w> {
    /// The settings of the controller.
    pub controller: ControllerSettings,
    /// The Ingresses in the order in which the controller reads them: the oldest first; of those created in the same second, the
    /// greater name.
    pub sources: Vec<Source<'w>>,
    /// The settings of each.
    pub settings: Vec<Settings<'w>>,
    /// The upstreams.
    pub upstreams: Vec<Upstream<'w>>,
    /// The servers, ordered by host.
    servers: Vec<Server<'w>>,
    by_host: HashMap<&'w str, usize>,
    by_alias: HashMap<&'w str, Vec<usize>>,
    /// The annotation because of which each ignored Ingress is ignored.
    rejected: HashMap<&'w ObjectRef, &'static str>,
}

impl<'w> Proxy<'w> {
    /// The servers of a controller with these settings for these Ingresses. `cluster` knows their Secrets.
    pub fn new(mut sources: Vec<Source<'w>>, controller: ControllerSettings, cluster: &Overlay<'w>) -> Self {
        sources.sort_by(order);
        let of = |source: &Source<'w>| Settings::of(source.object_ref, source.ingress, &controller, cluster);
        let settings: Vec<_> = sources.iter().map(of).collect();
        let (upstreams, servers) = build::build(&sources, &settings, cluster);
        let by_host = servers.iter().enumerate().map(|(index, server)| (server.host, index)).collect();
        let mut by_alias: HashMap<&'w str, Vec<usize>> = HashMap::new();
        for (index, server) in servers.iter().enumerate() {
            server.aliases.iter().for_each(|alias| by_alias.entry(alias).or_default().push(index));
        }
        let all = sources.iter().zip(&settings);
        let rejected = all.filter_map(|(source, own)| Some((source.object_ref, own.rejected?))).collect();
        Self { controller, sources, settings, upstreams, servers, by_host, by_alias, rejected }
    }

    /// The settings of the Ingress of a location.
    pub fn settings_of(&self, location: &Location<'w>) -> Option<&Settings<'w>> {
        location.origin.and_then(|origin| self.settings.get(origin.source))
    }

    /// What a request for this host reaches; `None` if no Ingress is served.
    pub fn find(&self, host: &str) -> Option<ReachedServer<'_, 'w>> {
        let named = |host: &str| self.by_host.get(host).map(|index| &self.servers[*index]).filter(|_| host != DEFAULT);
        if let Some(server) = named(host).or_else(|| self.with_alias(host).next()) {
            return Some(ReachedServer::Server(server));
        }
        if let Some(server) = named(&other_name(host)).filter(|server| server.from_to_www) {
            return Some(ReachedServer::OtherName(server));
        }
        let below = |alias: &str| {
            alias.strip_prefix('*').is_some_and(|suffix| suffix.starts_with('.') && host.ends_with(suffix))
        };
        let covers = |server: &&Server<'w>| {
            let is_wildcard = matches!(Host::parse(server.host), wildcard @ Host::Wildcard(_) if wildcard.matches(host, Depth::OneLabel));
            let by_expression = |alias: &str| {
                let expression = alias.strip_prefix('~');
                expression.is_some_and(|written| {
                    compile(written, Reach::Anywhere(false)).is_ok_and(|found| found.is_match(host))
                })
            };
            is_wildcard || server.aliases.iter().any(|alias| by_expression(alias))
        };
        let mut adding = self.servers.iter().filter(|server| !server.aliases.is_empty());
        let found = adding.find(|server| server.aliases.iter().any(|alias| below(alias)));
        let found = found.or_else(|| self.servers.iter().find(covers));
        found.or_else(|| self.servers.get(*self.by_host.get(DEFAULT)?)).map(ReachedServer::Server)
    }

    /// The servers with this further host.
    fn with_alias(&self, host: &str) -> impl Iterator<Item = &Server<'w>> {
        self.by_alias.get(host).into_iter().flatten().map(|index| &self.servers[*index])
    }

    /// The annotation because of which the controller ignores an Ingress, if it does.
    pub fn rejected(&self, object_ref: &ObjectRef) -> Option<&'static str> {
        self.rejected.get(object_ref).copied()
    }

    /// The server of a host; `None` if another host answers for it, or no Ingress is served.
    pub fn server(&self, host: &str) -> Option<&Server<'w>> {
        match self.find(host)? {
            ReachedServer::Server(server) => Some(server),
            ReachedServer::OtherName(_) => None,
        }
    }

    /// The hosts with or without `www.` that are redirected.
    pub fn other_names(&self) -> impl Iterator<Item = Host<'_>> {
        let redirecting = self.servers.iter().filter(|server| server.from_to_www);
        redirecting.map(|server| Host::Precise(other_name(server.host)))
    }

    /// Whether plain HTTP for this host is redirected to HTTPS: it has a certificate, or one that a wildcard host above
    /// it has.
    pub fn has_certificate(&self, host: &str) -> bool {
        let named =
            |host: &str| self.by_host.get(host).is_some_and(|index| self.servers[*index].certified_by.is_some());
        let above = host.split_once('.').map(|(_, suffix)| format!("*.{suffix}"));
        let by_alias =
            || self.with_alias(host).any(|server| server.certificate.is_some_and(|names| covers(names, host)));
        host != DEFAULT && (named(host) || above.is_some_and(|above| named(&above)) || by_alias())
    }

    /// The canary of an upstream that gets a share of its requests: its upstream, its Ingress, and what it asks for.
    pub fn canary_of(&self, upstream: usize) -> Option<(&Upstream<'w>, usize, &Canary<'w>)> {
        let canary = &self.upstreams[*self.upstreams[upstream].alternatives.first()?];
        let source = canary.canary.filter(|_| !canary.is_removed)?;
        Some((canary, source, self.settings[source].canary.as_ref()?))
    }
}

/// The host without `www.`, or with it.
fn other_name(host: &str) -> Cow<'_, str> {
    host.strip_prefix("www.").map_or_else(|| Cow::from(format!("www.{host}")), Cow::from)
}

/// The order of the Ingresses (controller/store, `sortIngressSlice`).
fn order(left: &Source<'_>, right: &Source<'_>) -> Ordering {
    // One that does not say when it was created is not yet created.
    let created =
        |source: &Source<'_>| source.ingress.metadata.created().map_or((true, None), |time| (false, Some(time)));
    let name = |source: &Source<'_>| format!("{}/{}", source.object_ref.namespace, source.object_ref.name);
    created(left).cmp(&created(right)).then_with(|| name(right).cmp(&name(left)))
}
