//! The servers and upstreams that the controller makes of its Ingresses (internal/ingress/controller/controller.go).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::canary::Canary;
use super::controller_settings::ControllerSettings;
use super::locations::{Location, Locations, Match, ROOT};
use super::settings::Settings;
use crate::cluster::{DataEntry, Lookup, Overlay};
use crate::kinds::ingress::{HttpPath, ServiceBackend};
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::Host;
use crate::matching::compile::{Reach, compile};
use crate::matching::host::Depth;

/// The name of the server for hosts without another one.
const DEFAULT: &str = "_";

/// An Ingress that the controller serves.
#[derive(Debug, Clone, Copy)]
pub struct Source<'w> {
    /// Its address.
    pub object_ref: &'w ObjectRef,
    /// Its content.
    pub ingress: &'w Ingress<'w>,
}

/// The field of an Ingress that a location comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The index of the Ingress in [`Proxy::sources`].
    pub source: usize,
    /// The field.
    pub field: OriginField,
}

/// A field of an Ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginField {
    /// A path, by the indexes of its rule and of itself.
    Path([usize; 2]),
    /// The location `/` that the server of a host has, by the index of the first rule with the host.
    Root(usize),
    /// The default backend.
    DefaultBackend,
}

/// The upstream of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backend<'w> {
    /// The index in [`Proxy::upstreams`].
    pub upstream: usize,
    /// The namespace of the Service.
    pub namespace: &'w str,
    /// The Service and its port.
    pub service: &'w ServiceBackend<'w>,
}

/// A Service with a port, as the controller sees it.
#[derive(Debug)]
pub struct Upstream<'w> {
    /// The namespace of the Service.
    pub namespace: &'w str,
    /// The Service and its port.
    pub service: &'w ServiceBackend<'w>,
    /// The Ingress that makes it a canary.
    pub canary: Option<usize>,
    /// The upstreams of its canaries. Only the first gets requests.
    pub alternatives: Vec<usize>,
    /// Whether it gets no requests, since a path of its canary has no primary.
    pub is_removed: bool,
}

/// The server of a host.
#[derive(Debug)]
pub struct Server<'w> {
    /// The host; `_` for the default server.
    pub host: &'w str,
    /// Its locations.
    pub locations: Locations<'w>,
    /// The further hosts.
    pub aliases: Vec<&'w str>,
    /// The Ingress that adds these.
    pub aliased_by: Option<usize>,
    /// The Ingress with the certificate; its host is redirected to HTTPS.
    pub certified_by: Option<usize>,
    /// The Ingress because of which all of its locations answer 403.
    pub denied_by: Option<usize>,
    /// The Ingress that asks clients for certificates.
    pub client_certificate_by: Option<usize>,
    /// Whether the host with or without `www.` is redirected to it.
    from_to_www: bool,
    /// The names on the certificate; `None` if it is the one of the controller, or not known.
    certificate: Option<&'w [Box<str>]>,
}

/// What a host reaches.
#[derive(Debug)]
pub enum Reached<'s, 'w> {
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
}

impl<'w> Proxy<'w> {
    /// The servers of a controller with these settings for these Ingresses. `cluster` knows their Secrets.
    pub fn new(mut sources: Vec<Source<'w>>, controller: ControllerSettings, cluster: &Overlay<'w>) -> Self {
        sources.sort_by(order);
        let of = |source: &Source<'w>| Settings::of(source.object_ref, source.ingress, &controller, cluster);
        let settings: Vec<_> = sources.iter().map(of).collect();
        let mut build = Build { sources: &sources, settings: &settings, ..Build::default() };
        build.add_upstreams();
        build.add_servers();
        build.add_paths();
        build.attach_canaries();
        let Build { upstreams, servers, .. } = build;
        let mut servers: Vec<Server<'w>> =
            servers.into_values().map(|draft| draft.finish(&sources, &settings, cluster)).collect();
        let hosts: Vec<&str> = servers.iter().map(|server| server.host).collect();
        for server in &mut servers {
            server.aliases.retain(|alias| !hosts.contains(alias));
        }
        let by_host = hosts.into_iter().enumerate().map(|(index, host)| (host, index)).collect();
        Self { controller, sources, settings, upstreams, servers, by_host }
    }

    /// The settings of the Ingress of a location.
    pub fn settings_of(&self, location: &Location<'w>) -> Option<&Settings<'w>> {
        location.origin.and_then(|origin| self.settings.get(origin.source))
    }

    /// All servers, ordered by host.
    pub fn servers(&self) -> &[Server<'w>] {
        &self.servers
    }

    /// What a request for this host reaches; `None` if no Ingress is served.
    pub fn find(&self, host: &str) -> Option<Reached<'_, 'w>> {
        let named = |host: &str| self.by_host.get(host).map(|index| &self.servers[*index]).filter(|_| host != DEFAULT);
        let with_alias = |is_it: &dyn Fn(&str) -> bool| {
            self.servers.iter().find(|server| server.aliases.iter().any(|alias| is_it(alias)))
        };
        if let Some(server) = named(host).or_else(|| with_alias(&|alias| alias == host)) {
            return Some(Reached::Server(server));
        }
        let other = host.strip_prefix("www.").map_or_else(|| Cow::from(format!("www.{host}")), Cow::from);
        if let Some(server) = named(&other).filter(|server| server.from_to_www) {
            return Some(Reached::OtherName(server));
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
        let found = with_alias(&below).or_else(|| self.servers.iter().find(covers));
        found.or_else(|| self.servers.get(*self.by_host.get(DEFAULT)?)).map(Reached::Server)
    }

    /// Whether plain HTTP for this host is redirected to HTTPS: it has a certificate, or one that a wildcard host above
    /// it has.
    pub fn has_certificate(&self, host: &str) -> bool {
        let named =
            |host: &str| self.by_host.get(host).is_some_and(|index| self.servers[*index].certified_by.is_some());
        let above = host.split_once('.').map(|(_, suffix)| format!("*.{suffix}"));
        let by_alias = || {
            let mut servers = self.servers.iter().filter(|server| server.aliases.contains(&host));
            servers.any(|server| server.certificate.is_some_and(|names| covers(names, host)))
        };
        host != DEFAULT && (named(host) || above.is_some_and(|above| named(&above)) || by_alias())
    }
}

/// Whether a certificate with these names is valid for `host`.
fn covers(names: &[Box<str>], host: &str) -> bool {
    names.iter().any(|name| Host::parse(name).matches(host, Depth::OneLabel))
}

/// The order of the Ingresses (controller/store, `sortIngressSlice`).
fn order(left: &Source<'_>, right: &Source<'_>) -> Ordering {
    let created = |source: &Source<'_>| source.ingress.metadata.created();
    let name = |source: &Source<'_>| format!("{}/{}", source.object_ref.namespace, source.object_ref.name);
    created(left).cmp(&created(right)).then_with(|| name(right).cmp(&name(left)))
}

/// The parts of a server while paths are added.
#[derive(Debug)]
struct Draft<'w> {
    host: &'w str,
    locations: Vec<Location<'w>>,
    /// The Ingresses that are not canaries and have a rule for the host.
    sources: Vec<usize>,
    from_to_www: bool,
}

impl<'w> Draft<'w> {
    fn finish(self, sources: &[Source<'w>], settings: &[Settings<'w>], cluster: &Overlay<'w>) -> Server<'w> {
        let Self { host, locations, sources: own, from_to_www } = self;
        let first = |is_it: &dyn Fn(usize) -> bool| own.iter().copied().find(|source| is_it(*source));
        let certified_by = first(&|source| !sources[source].ingress.spec.tls.is_empty()).filter(|_| host != DEFAULT);
        let aliased_by = first(&|source| !settings[source].aliases.is_empty());
        Server {
            host,
            locations: Locations::new(locations, |location| settings.get(location.origin?.source)),
            aliases: aliased_by.map(|source| settings[source].aliases.clone()).unwrap_or_default(),
            aliased_by,
            certified_by,
            denied_by: first(&|source| settings[source].denied_host.is_some()),
            client_certificate_by: first(&|source| settings[source].client_certificate),
            from_to_www,
            certificate: certified_by.and_then(|source| certificate(host, sources[source], cluster)),
        }
    }
}

/// The names on the certificate that an Ingress names for a host.
fn certificate<'w>(host: &str, source: Source<'w>, cluster: &Overlay<'w>) -> Option<&'w [Box<str>]> {
    let names = |secret: &str| match cluster.secret(&source.object_ref.namespace, secret) {
        Lookup::Found(facts) => match &facts.certificate {
            DataEntry::Read(names) => Some(&**names),
            _ => None,
        },
        Lookup::Absent | Lookup::Unknown => None,
    };
    let tls = &source.ingress.spec.tls;
    let named = tls.iter().find(|tls| tls.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
    let fitting =
        || tls.iter().find(|tls| tls.secret_name.as_deref().and_then(names).is_some_and(|names| covers(names, host)));
    let names = names(named.or_else(fitting)?.secret_name.as_deref()?)?;
    covers(names, host).then_some(names)
}

/// What is known while the Ingresses are read.
#[derive(Default)]
struct Build<'b, 'w> {
    sources: &'b [Source<'w>],
    settings: &'b [Settings<'w>],
    upstreams: Vec<Upstream<'w>>,
    by_name: HashMap<(&'w str, String), usize>,
    servers: BTreeMap<&'w str, Draft<'w>>,
}

impl<'w> Build<'_, 'w> {
    /// The Ingresses that are served, each with its index.
    fn served(&self) -> Vec<(usize, Source<'w>)> {
        let sources = self.sources.iter().copied().enumerate().zip(self.settings);
        sources.filter(|(_, settings)| settings.rejected.is_none()).map(|(source, _)| source).collect()
    }

    fn is_canary(&self, source: usize) -> bool {
        self.settings[source].canary.is_some()
    }

    fn add_upstreams(&mut self) {
        for (index, source) in self.served() {
            let default = source.ingress.spec.default_backend.iter().filter_map(|backend| backend.service.as_ref());
            let services = paths(source).filter_map(|(_, _, path)| path.backend.service.as_ref());
            for service in default.chain(services) {
                let name = upstream_name(source, service);
                if self.by_name.contains_key(&name) {
                    continue;
                }
                let canary = self.is_canary(index).then_some(index);
                self.by_name.insert(name, self.upstreams.len());
                let namespace = source.object_ref.namespace.as_str();
                self.upstreams.push(Upstream {
                    namespace,
                    service,
                    canary,
                    alternatives: Vec::new(),
                    is_removed: false,
                });
            }
        }
    }

    fn backend(&self, source: Source<'w>, service: &'w ServiceBackend<'w>) -> Option<Backend<'w>> {
        let upstream = *self.by_name.get(&upstream_name(source, service))?;
        let Upstream { namespace, service, .. } = self.upstreams[upstream];
        Some(Backend { upstream, namespace, service })
    }

    fn add_servers(&mut self) {
        self.server(DEFAULT, None, None);
        for (index, source) in self.served() {
            if self.is_canary(index) {
                continue;
            }
            let default = source.ingress.spec.default_backend.as_ref().and_then(|backend| backend.service.as_ref());
            let default = default.and_then(|service| self.backend(source, service));
            let origin = |field| Some(Origin { source: index, field });
            if source.ingress.spec.rules.is_empty()
                && default.is_some()
                && let Some(location) = self.servers.get_mut(DEFAULT).and_then(|server| server.locations.first_mut())
                && location.is_default
            {
                let origin = origin(OriginField::DefaultBackend);
                *location =
                    Location { origin, backend: default, is_default: false, is_plain: true, ..location.clone() };
            }
            for (number, rule) in source.ingress.spec.rules.iter().enumerate() {
                let host = host_of(rule.host.as_deref());
                let field = if default.is_some() { OriginField::DefaultBackend } else { OriginField::Root(number) };
                self.server(host, origin(field), default).sources.push(index);
            }
        }
    }

    /// The server of a host. If there is none, it is added with a location `/` of this origin.
    fn server(&mut self, host: &'w str, origin: Option<Origin>, backend: Option<Backend<'w>>) -> &mut Draft<'w> {
        self.servers.entry(host).or_insert_with(|| {
            let (path, kind) = (Cow::from(ROOT), Match::Prefix);
            let root = Location { path, kind, origin, backend, is_default: true, is_plain: false };
            Draft { host, locations: vec![root], sources: Vec::new(), from_to_www: false }
        })
    }

    fn add_paths(&mut self) {
        for (index, source) in self.served() {
            for (indexes, host, path) in paths(source) {
                let Some(service) = &path.backend.service else { continue };
                let Some(backend) = self.backend(source, service) else { continue };
                // The upstream of a canary serves no location.
                if self.upstreams[backend.upstream].canary.is_some() {
                    continue;
                }
                let host = if self.servers.contains_key(host) { host } else { DEFAULT };
                let Some(server) = self.servers.get_mut(host) else { continue };
                let (written, kind) = (path_text(path), kind_of(path));
                let origin = Some(Origin { source: index, field: OriginField::Path(indexes) });
                // Only the first location with the path is compared.
                let same = server.locations.iter_mut().find(|location| location.path == written);
                match same.filter(|location| location.kind == kind) {
                    Some(location) if location.is_default => {
                        *location = Location { origin, backend: Some(backend), is_default: false, ..location.clone() };
                    }
                    Some(_) => continue,
                    None => {
                        let (path, backend) = (Cow::from(written), Some(backend));
                        server.locations.push(Location {
                            path,
                            kind,
                            origin,
                            backend,
                            is_default: false,
                            is_plain: false,
                        });
                    }
                }
                server.from_to_www |= self.settings[index].from_to_www;
            }
        }
        for server in self.servers.values_mut() {
            let first = server.locations.first().and_then(|location| location.origin);
            server.from_to_www |= first.is_some_and(|origin| self.settings[origin.source].from_to_www);
        }
    }

    /// Attaches each canary to the upstreams of the locations with its hosts, paths and types. If one of its paths has none, it gets
    /// no requests at all.
    fn attach_canaries(&mut self) {
        for (index, source) in self.served() {
            if !self.is_canary(index) {
                continue;
            }
            for (_, host, path) in paths(source) {
                let Some(service) = &path.backend.service else { continue };
                let Some(canary) = self.backend(source, service).map(|backend| backend.upstream) else { continue };
                let Some(server) = self.servers.get(host) else { continue };
                let (mut is_merged, mut is_own) = (false, false);
                for location in &server.locations {
                    let Some(primary) = location.backend.map(|backend| backend.upstream) else { continue };
                    is_own = primary == canary;
                    if is_own {
                        break;
                    }
                    let can_merge = self.upstreams[canary].canary.is_some() && self.upstreams[primary].canary.is_none();
                    let written = path.path.as_deref().unwrap_or_default();
                    if can_merge && location.path == written && location.kind == kind_of(path) {
                        is_merged = true;
                        let alternatives = &mut self.upstreams[primary].alternatives;
                        if !alternatives.contains(&canary) {
                            alternatives.push(canary);
                        }
                    }
                }
                if !is_own && !is_merged {
                    self.upstreams[canary].is_removed = true;
                }
            }
        }
    }
}

impl<'w> Proxy<'w> {
    /// The canary of an upstream that gets a share of its requests: its upstream, its Ingress, and what it asks for.
    pub fn canary_of(&self, upstream: usize) -> Option<(&Upstream<'w>, usize, &Canary<'w>)> {
        let canary = &self.upstreams[*self.upstreams[upstream].alternatives.first()?];
        let source = canary.canary.filter(|_| !canary.is_removed)?;
        Some((canary, source, self.settings[source].canary.as_ref()?))
    }
}

/// The paths of an Ingress, each with its indexes and its host.
fn paths<'w>(source: Source<'w>) -> impl Iterator<Item = ([usize; 2], &'w str, &'w HttpPath<'w>)> {
    source.ingress.spec.rules.iter().enumerate().flat_map(|(number, rule)| {
        let host = host_of(rule.host.as_deref());
        rule.paths().iter().enumerate().map(move |(index, path)| ([number, index], host, path))
    })
}

fn host_of(host: Option<&str>) -> &str {
    host.filter(|host| !host.is_empty()).unwrap_or(DEFAULT)
}

/// The path as written; `/` if it is absent.
fn path_text<'w>(path: &'w HttpPath<'_>) -> &'w str {
    path.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(ROOT)
}

/// `ImplementationSpecific` is `Prefix`.
fn kind_of(path: &HttpPath<'_>) -> Match {
    if path.path_type.as_deref() == Some("Exact") { Match::Exact } else { Match::Prefix }
}

/// The name of an upstream: the namespace, the Service and its port.
fn upstream_name<'w>(source: Source<'w>, service: &ServiceBackend<'_>) -> (&'w str, String) {
    let port = match (service.port.name(), service.port.number()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => String::new(),
    };
    (&source.object_ref.namespace, format!("{}-{port}", &*service.name))
}
