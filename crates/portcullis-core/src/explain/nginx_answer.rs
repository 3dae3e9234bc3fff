//! What an ingress-nginx does with a request, phase by phase: its server, its location, and what their annotations ask for.

use super::backends;
use super::request::Request;
use super::rewriting::PathRewrite;
use crate::cluster::{Lookup, Overlay};
use crate::matching::compile::{Reach, compile_with_groups};
use crate::nginx::annotations::PREFIX;
use crate::nginx::canary::header;
use crate::nginx::locations::ReachedLocation;
use crate::nginx::proxy::ReachedServer;
use crate::nginx::servers::Upstream;
use crate::nginx::settings::Settings;
use crate::nginx::{Location, Proxy, Server, uri};

/// The maximum length of a request line in bytes (`large_client_header_buffers`).
const REQUEST_LINE: usize = 8 * 1024;

/// The path below which nothing is redirected to HTTPS, if it is the path of a location.
const ACME: &str = "/.well-known/acme-challenge";

/// The answer to a request.
#[derive(Debug)]
pub struct Answer<'s, 'w> {
    /// The server.
    pub server: Option<&'s Server<'w>>,
    /// The location; `None` if the server answers before one is selected.
    pub location: Option<&'s Location<'w>>,
    /// What happens.
    pub decision: Decision<'w>,
    /// The annotation that decides, with the index of its Ingress.
    pub because: Option<(usize, &'static str)>,
    /// What may refuse the request before, depending on what explain does not know.
    pub guards: Vec<Guard>,
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision<'w> {
    /// It goes to the upstream of the location, or to its canary.
    Forward {
        /// The path that these get.
        path: String,
        /// How the location makes it of that of the request.
        rewrite: PathRewrite,
        /// The host that these get, if it is not that of the request.
        host: Option<&'w str>,
    },
    /// It goes to this Service in the namespace of the Ingress, since the backend has no endpoints.
    Fallback(&'w str),
    /// A redirect with this code and URL.
    Redirect(u16, String),
    /// A response of nginx with this code; the text says why.
    Response(u16, String),
    /// It is not known; the text says why.
    Unknown(String),
}

/// What may refuse a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// What may do so, such as `annotation nginx.ingress.kubernetes.io/auth-url`.
    pub origin: String,
    /// The status codes that the client may get instead.
    pub codes: Vec<u16>,
}

/// What one request asks of a proxy.
struct Question<'s, 'w> {
    proxy: &'s Proxy<'w>,
    cluster: &'s Overlay<'w>,
    request: &'s Request,
    guards: Vec<Guard>,
}

/// The decision and the annotation that causes it.
type Decided<'w> = (Decision<'w>, Option<(usize, &'static str)>);

/// What `proxy` answers to `request`.
pub fn answer<'s, 'w>(proxy: &'s Proxy<'w>, cluster: &'s Overlay<'w>, request: &'s Request) -> Answer<'s, 'w> {
    let mut question = Question { proxy, cluster, request, guards: Vec::new() };
    let (server, location, (decision, because)) = question.decide();
    Answer { server, location, decision, because, guards: question.guards }
}

fn own<'w>(code: u16, message: &str) -> Decided<'w> {
    (Decision::Response(code, message.to_owned()), None)
}

impl<'s, 'w> Question<'s, 'w> {
    fn guard(&mut self, annotation: &str, codes: &[u16]) {
        self.guards.push(Guard { origin: format!("annotation {PREFIX}{annotation}"), codes: codes.to_vec() });
    }

    fn decide(&mut self) -> (Option<&'s Server<'w>>, Option<&'s Location<'w>>, Decided<'w>) {
        let request = self.request;
        let server = match self.proxy.find(&request.host) {
            None => return (None, None, own(404, "no Ingress is served")),
            Some(ReachedServer::OtherName(server)) => return (Some(server), None, self.to_other_name(server)),
            Some(ReachedServer::Server(server)) => server,
        };
        if request.method == "TRACE" || request.method == "CONNECT" {
            return (Some(server), None, own(405, "nginx does not accept the method"));
        }
        if request.method.len() + request.target().len() + " HTTP/1.1 ".len() > REQUEST_LINE {
            return (Some(server), None, own(414, "nginx accepts no request line of more than 8 KiB"));
        }
        let Some(path) = uri::normalize(&request.path) else {
            return (Some(server), None, own(400, "nginx does not accept the path"));
        };
        if let Some(decided) = self.at_server(server, &path) {
            return (Some(server), None, decided);
        }
        match server.locations.find(&path) {
            None => (Some(server), None, own(404, "no nginx location matches the path")),
            Some(ReachedLocation::Unknown(location)) => {
                let why = format!(
                    "whether {} matches is not known: explain does not evaluate this expression",
                    location.path
                );
                (Some(server), Some(location), (Decision::Unknown(why), None))
            }
            Some(ReachedLocation::Slash(location)) => {
                let query = request.query_text.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
                let url = format!("{}://{}{}/{query}", request.scheme(), request.host, uri::encode(&path));
                (Some(server), Some(location), (Decision::Redirect(301, url), None))
            }
            Some(ReachedLocation::Location(location)) => {
                (Some(server), Some(location), self.at_location(location, &path))
            }
        }
    }

    /// The redirect from the host with or without `www.`.
    fn to_other_name(&self, server: &Server<'w>) -> Decided<'w> {
        let (request, target) = (self.request, self.request.target());
        let location = format!("{}://{}:{}{}", request.scheme(), server.host, request.port, without_slash(&target));
        let because = server.locations.all().iter().find_map(|location| {
            let source = location.origin?.source;
            self.proxy.settings[source].from_to_www.then_some((source, "from-to-www-redirect"))
        });
        (Decision::Redirect(self.proxy.controller.redirect_code, location), because)
    }

    /// What the server answers before a location is selected.
    fn at_server(&mut self, server: &'s Server<'w>, path: &[u8]) -> Option<Decided<'w>> {
        if server.host == "_" && path.starts_with(b"/healthz") && !server.locations.are_expressions() {
            return Some(own(200, "nginx itself answers /healthz on hosts without an Ingress"));
        }
        if server.host == "_"
            && path == b"/nginx_status"
            && self.request.client.is_some_and(|client| client.is_loopback())
        {
            return Some(own(200, "nginx itself answers clients on its own host"));
        }
        if self.request.is_secure && server.asks_for_certificate {
            self.guard("auth-tls-secret", &[400]);
        }
        if let Some(source) = server.denied_by {
            let why = "the Secret for client certificates is missing".to_owned();
            return Some((Decision::Response(403, why), Some((source, "auth-tls-secret"))));
        }
        let with_root = |location: &Location<'w>| {
            let (origin, settings) = (location.origin?, self.proxy.settings_of(location)?);
            Some((origin.source, settings.app_root?))
        };
        let (source, target) = server.locations.all().iter().find_map(with_root).filter(|_| path == b"/")?;
        let url = format!("{}://{}{target}", self.request.scheme(), self.request.authority);
        Some((Decision::Redirect(302, url), Some((source, "app-root"))))
    }

    fn at_location(&mut self, location: &'s Location<'w>, path: &[u8]) -> Decided<'w> {
        let none = Settings { ssl_redirect: true, ..Settings::default() };
        let settings = self.proxy.settings_of(location).unwrap_or(&none);
        let early = self.in_rewrite_phase(location, settings, path).or_else(|| self.to_https(location, settings));
        if let Some((decision, annotation)) = early.or_else(|| self.in_access_phase(location, settings)) {
            return (decision, location.origin.map(|origin| (origin.source, annotation)));
        }
        self.forward(location, settings, path)
    }

    /// The directives of the location, which nginx evaluates first.
    fn in_rewrite_phase(
        &self,
        location: &Location<'w>,
        settings: &Settings<'w>,
        path: &[u8],
    ) -> Option<(Decision<'w>, &'static str)> {
        if let Some(annotation) = settings.denied {
            let why = format!("the controller denies the paths of an Ingress whose {annotation} it cannot apply");
            return Some((Decision::Response(503, why), annotation));
        }
        if settings.cors.is_some() && self.request.method == "OPTIONS" && self.is_allowed_origin(settings) {
            return Some((Decision::Response(204, "nginx answers preflight requests".to_owned()), "enable-cors"));
        }
        if location.is_plain {
            return None;
        }
        if let Some((code, url, annotation)) = settings.redirect {
            let url = match url.starts_with('/') {
                true => format!("{}://{}{url}", self.request.scheme(), self.request.host),
                false => url.to_owned(),
            };
            return Some((Decision::Redirect(code, url), annotation));
        }
        let target =
            settings.rewrite.filter(|target| target.starts_with("http://") || target.starts_with("https://"))?;
        let url = rewritten(&location.path, target, path)?;
        Some((Decision::Redirect(302, uri_with_query(&url, self.request)), "rewrite-target"))
    }

    fn is_allowed_origin(&self, settings: &Settings<'w>) -> bool {
        let origin = header(&self.request.headers, "origin");
        let allowed = settings.cors.unwrap_or("*").split(',').map(str::trim);
        allowed.into_iter().any(|allowed| allowed == "*" || origin.is_some_and(|origin| is_origin(allowed, origin)))
    }

    /// The redirect to HTTPS.
    fn to_https(&self, location: &Location<'w>, settings: &Settings<'w>) -> Option<(Decision<'w>, &'static str)> {
        let has_certificate = || self.proxy.has_certificate(&self.request.host);
        let is_asked = settings.force_ssl_redirect || (settings.ssl_redirect && has_certificate());
        let trusts = self.proxy.controller.trusts_forwarded;
        let header = |name: &str| header(&self.request.headers, name).filter(|_| trusts);
        let is_secure = header("x-forwarded-proto").map_or(self.request.is_secure, |scheme| scheme == "https");
        if is_secure || !is_asked || location.path.starts_with(ACME) {
            return None;
        }
        let target = self.request.target();
        let target = if settings.preserve_trailing_slash { &target } else { without_slash(&target) };
        let host = header("x-forwarded-host").unwrap_or(&self.request.authority);
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        let annotation = if settings.force_ssl_redirect { "force-ssl-redirect" } else { "ssl-redirect" };
        Some((Decision::Redirect(self.proxy.controller.redirect_code, format!("https://{host}{target}")), annotation))
    }

    /// Lists of addresses and authentication.
    fn in_access_phase(
        &mut self,
        location: &Location<'w>,
        settings: &Settings<'w>,
    ) -> Option<(Decision<'w>, &'static str)> {
        let lists =
            [(&settings.refused, false, "denylist-source-range"), (&settings.allowed, true, settings.allowed_by)];
        for (list, must_contain, annotation) in lists {
            match (list, self.request.client) {
                (None, _) => {}
                (Some(list), Some(client)) if list.contains(client) == must_contain => {}
                (Some(_), Some(_)) => {
                    return Some((Decision::Response(403, "the client address is not allowed".to_owned()), annotation));
                }
                (Some(_), None) => self.guard(annotation, &[403]),
            }
        }
        if location.path.starts_with(ACME) {
            return None;
        }
        if settings.auth_url.is_some() || settings.has_global_auth {
            let codes: &[u16] = if settings.auth_signin.is_some() { &[302, 403, 500] } else { &[401, 403, 500] };
            self.guard("auth-url", codes);
        }
        if settings.basic_auth {
            if header(&self.request.headers, "authorization").is_none() {
                return Some((
                    Decision::Response(401, "nginx asks for a username and a password".to_owned()),
                    "auth-type",
                ));
            }
            self.guard("auth-type", &[401]);
        }
        None
    }

    fn forward(&mut self, location: &Location<'w>, settings: &Settings<'w>, path: &[u8]) -> Decided<'w> {
        let Some(backend) = location.backend else {
            return own(404, "the default backend of the controller answers");
        };
        let Upstream { namespace, service, .. } = self.proxy.upstreams[backend];
        if !backends::may_answer(service, namespace, self.cluster) {
            let known = |name: &&str| self.cluster.service(namespace, name) != Lookup::Absent;
            return match settings.default_backend.filter(known) {
                Some(name) => (Decision::Fallback(name), None),
                None => own(503, "the Service has no endpoints"),
            };
        }
        if !settings.error_codes.is_empty() {
            self.guard("custom-http-errors", &settings.error_codes);
        } else if !self.proxy.controller.error_codes.is_empty() {
            // Without a default backend, nginx answers 500 itself.
            let codes = self.proxy.controller.error_codes.iter().copied().chain([500]).collect();
            self.guards.push(Guard { origin: "setting custom-http-errors of the controller".to_owned(), codes });
        }
        let rewrite = settings.rewrite.filter(|_| settings.rewrites(&location.path) && !location.is_plain);
        let (path, rewrite) = match rewrite.map(|target| (target, rewritten(&location.path, target, path))) {
            None => (self.request.path.clone(), PathRewrite::None),
            Some((target, Some(path))) => (path, PathRewrite::of_expression(&location.path, target)),
            Some((target, None)) => {
                return (Decision::Unknown(format!("the path that {target} produces is not known")), None);
            }
        };
        (Decision::Forward { path, rewrite, host: settings.upstream_vhost }, None)
    }
}

/// Whether an allowed origin, in which `*` stands for one label, is this origin.
fn is_origin(allowed: &str, origin: &str) -> bool {
    match allowed.split_once('*') {
        None => allowed.eq_ignore_ascii_case(origin),
        Some((before, after)) => {
            let label = origin.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            label.is_some_and(|label| !label.is_empty() && !label.contains('.'))
        }
    }
}

/// A target without one slash at its end.
fn without_slash(target: &str) -> &str {
    target.strip_suffix('/').unwrap_or(target)
}

/// A URL that nginx has rewritten, with the query of the request.
fn uri_with_query(url: &str, request: &Request) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    request.query_text.as_deref().map_or_else(|| url.to_owned(), |query| format!("{url}{joint}{query}"))
}

/// What `rewrite "(?i)<path>" <target> break` makes of a path; `None` if the expression cannot be evaluated.
fn rewritten(pattern: &str, target: &str, path: &[u8]) -> Option<String> {
    let compiled = compile_with_groups(pattern, Reach::Anywhere(true)).ok()?;
    let mut groups = compiled.create_captures();
    compiled.captures(path, &mut groups);
    if !groups.is_match() {
        return Some(uri::encode(path));
    }
    let mut url = Vec::new();
    let mut rest = target.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match (first, after.split_first()) {
            (b'$', Some((digit @ b'1'..=b'9', after))) => {
                let group = groups.get_group(usize::from(digit - b'0'));
                url.extend_from_slice(group.and_then(|span| path.get(span.range())).unwrap_or_default());
                rest = after;
            }
            _ => {
                url.push(*first);
                rest = after;
            }
        }
    }
    Some(if target.starts_with("http") { String::from_utf8(url).ok()? } else { uri::encode(&url) })
}
