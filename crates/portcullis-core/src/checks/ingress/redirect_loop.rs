//! `ingress/redirect-loop`

use super::nginx_annotations;
use super::sole_host::is_sole;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark};
use crate::nginx::locations::ReachedLocation;
use crate::nginx::origin::OriginField;
use crate::nginx::{ControllerSettings, Location, Proxy, Settings, Source, annotations, uri};

pub static CHECK: Check = Check {
    id: "ingress/redirect-loop",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("redirect_loop.md"),
    run: Run::Claims(check),
    ..Check::shape(Actions::WARN)
};

/// The annotations that redirect, beside a `rewrite-target` that is a URL.
const REDIRECTS: [&str; 3] = ["app-root", "permanent-redirect", "temporal-redirect"];

/// The maximum number of paths that are looked at, and of other Ingresses with a host.
const COMPARED: usize = 64;

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let ingress = claims.ingress;
    // Most rewrites are paths, and the model is not built for them.
    let may_redirect = REDIRECTS.iter().any(|name| annotations::find(name, ingress).is_some())
        || annotations::find("rewrite-target", ingress).is_some_and(|(_, target)| is_url(target));
    if !may_redirect
        || claims.mark != Mark::None
        || claims.routes.len() > COMPARED
        || !nginx_annotations::are_read(ingress, cx)
    {
        return;
    }
    let source = Source { object_ref: cx.cluster.this(), ingress };
    let proxy = Proxy::new(vec![source], ControllerSettings::default(), cx.cluster);
    let Some(settings) = proxy.settings.first().filter(|own| own.rejected.is_none() && own.denied.is_none()) else {
        return;
    };
    let at = |key| At::field("metadata.annotations").key(key);
    if let Some((key, value)) = annotations::find("app-root", ingress).filter(|_| leads_to_root(settings)) {
        found.invalid(at(key), value, "redirects / to itself: name another path").without_args();
    }
    let Some((name, url)) = redirect(settings) else { return };
    let Some((key, value)) = annotations::find(name, ingress) else { return };
    let Some((host, path)) = target(url) else { return };
    let hosts = claims.first_by_host().iter().map(|position| claims.routes[*position].host.to_string());
    let mut hosts = hosts.filter(|own| host.is_none_or(|host| own.eq_ignore_ascii_case(host)));
    let is_loop = |host: &String| {
        let server = proxy.server(host).filter(|server| server.host == *host);
        match server.zip(uri::normalize(path)).and_then(|(server, path)| server.locations.find(&path)) {
            Some(ReachedLocation::Location(location)) => is_reached(location, host, path, cx),
            _ => false,
        }
    };
    if let Some(host) = hosts.find(is_loop) {
        let template = "leads to a URL of {} that is redirected again: name one of another path or host";
        found.invalid(at(key), value, template).args([host]);
    }
}

/// Whether `app-root` names the path for which it counts.
fn leads_to_root(settings: &Settings<'_>) -> bool {
    let path = settings.app_root.and_then(|target| uri::normalize(without_query(target)));
    path.is_some_and(|path| path == b"/")
}

/// The name of the annotation that redirects all requests to a path, and the URL.
fn redirect<'w>(settings: &Settings<'w>) -> Option<(&'static str, &'w str)> {
    let of_rewrite = || Some(("rewrite-target", settings.rewrite.filter(|target| is_url(target))?));
    let found = settings.redirect.map(|(_, url, name)| (name, url)).or_else(of_rewrite);
    found.filter(|(_, url)| !url.contains('$'))
}

/// The host and the path of a URL, which has the port of its scheme. One without a host leads to that of the request.
fn target(url: &str) -> Option<(Option<&str>, &str)> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return (url.starts_with('/') && !url.starts_with("//")).then(|| (None, without_query(url)));
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = match (authority.split_once(':'), scheme) {
        (None, _) => authority,
        (Some((host, "443")), "https") | (Some((host, "80")), "http") => host,
        (Some(_), _) => return None,
    };
    let path = without_query(path);
    Some((Some(host), if path.is_empty() { "/" } else { path }))
}

fn is_url(target: &str) -> bool {
    target.starts_with("http://") || target.starts_with("https://")
}

fn without_query(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}

/// Whether requests for a path certainly reach this location of the Ingress under review, also beside other Ingresses with the host. They
/// can only take a path of its own by the same path.
fn is_reached(location: &Location<'_>, host: &str, path: &str, cx: &Context<'_>) -> bool {
    let is_own = matches!(location.origin.map(|origin| origin.field), Some(OriginField::Path(_)));
    let is_root = matches!(location.origin.map(|origin| origin.field), Some(OriginField::Root(_)));
    let (host, own) = (Host::parse(host), without_slash(&location.path));
    if location.is_plain || !is_own && !is_root {
        return false;
    }
    if is_root || own != without_slash(path) {
        return is_sole(&host, cx);
    }
    let (form, name) = host.parts();
    let others: Vec<_> = cx.cluster.ingresses_with_host(&host).take(COMPARED).collect();
    let mut routes =
        others.iter().flat_map(|other| other.routes.iter()).filter(|route| (route.form, &*route.host) == (form, name));
    others.len() < COMPARED
        && !routes.any(|route| without_slash(&route.path) == own)
        && (others.is_empty() || !cx.cluster.may_be_expressions(&host))
}

fn without_slash(path: &str) -> &str {
    path.trim_end_matches('/')
}
