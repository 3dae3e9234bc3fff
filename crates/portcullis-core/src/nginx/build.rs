//! Makes servers and upstreams of Ingresses as the controller does (internal/ingress/controller/controller.go).

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::locations::{Location, Locations, Match, ROOT};
use super::origin::{Origin, OriginField};
use super::servers::{DEFAULT, Server, Source, Upstream, covers};
use super::settings::Settings;
use crate::cluster::{DataEntry, Lookup, Overlay};
use crate::kinds::ingress::{HttpPath, ServiceBackend};

/// The upstreams, and the servers ordered by host, for Ingresses with these settings.
pub(super) fn build<'w>(
    sources: &[Source<'w>],
    settings: &[Settings<'w>],
    cluster: &Overlay<'w>,
) -> (Vec<Upstream<'w>>, Vec<Server<'w>>) {
    let mut build = Build { sources, settings, ..Build::default() };
    build.add_upstreams();
    build.add_servers();
    build.add_paths();
    build.attach_canaries();
    let Build { upstreams, servers, .. } = build;
    let mut servers: Vec<Server<'w>> =
        servers.into_values().map(|draft| draft.finish(sources, settings, cluster)).collect();
    let hosts: Vec<&str> = servers.iter().map(|server| server.host).collect();
    for server in &mut servers {
        server.aliases.retain(|alias| !hosts.contains(alias));
    }
    (upstreams, servers)
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
            asks_for_certificate: own.iter().any(|source| settings[*source].client_certificate),
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

    /// The upstream of a Service of an Ingress.
    fn upstream(&self, source: Source<'w>, service: &ServiceBackend<'_>) -> Option<usize> {
        self.by_name.get(&upstream_name(source, service)).copied()
    }

    fn add_servers(&mut self) {
        self.server(DEFAULT, None, None);
        for (index, source) in self.served() {
            if self.is_canary(index) {
                continue;
            }
            let default = source.ingress.spec.default_backend.as_ref().and_then(|backend| backend.service.as_ref());
            let default = default.and_then(|service| self.upstream(source, service));
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
    fn server(&mut self, host: &'w str, origin: Option<Origin>, backend: Option<usize>) -> &mut Draft<'w> {
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
                let Some(backend) = self.upstream(source, service) else { continue };
                // The upstream of a canary serves no location.
                if self.upstreams[backend].canary.is_some() {
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
                let Some(canary) = self.upstream(source, service) else { continue };
                let Some(server) = self.servers.get(host) else { continue };
                let (mut is_merged, mut is_own) = (false, false);
                for location in &server.locations {
                    let Some(primary) = location.backend else { continue };
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
