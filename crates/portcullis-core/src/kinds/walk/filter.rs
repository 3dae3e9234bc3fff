//! The content of the filters of an HTTPRoute or a GRPCRoute.

use super::located_filter::{FilterLocation, FilterPath, LocatedFilter};
use super::parts::RouteParts;
use crate::kinds::Text;
use crate::kinds::filter::{Cors, ExternalAuth, PathModifier, RequestMirror, RequestRedirect};

/// Each mirror of requests.
pub fn mirrors<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (FilterPath, &'o RequestMirror<'a>)> + use<'p, 'o, 'a> {
    let mirror = |site: &LocatedFilter<'o, 'a>| {
        Some((FilterPath::field(site.location, "requestMirror"), site.filter.request_mirror.as_deref()?))
    };
    route.filters().iter().filter_map(mirror)
}

/// Each redirect.
pub fn redirects<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (FilterPath, &'o RequestRedirect<'a>)> + use<'p, 'o, 'a> {
    let redirect = |site: &LocatedFilter<'o, 'a>| {
        Some((FilterPath::field(site.location, "requestRedirect"), site.filter.request_redirect.as_deref()?))
    };
    route.filters().iter().filter_map(redirect)
}

/// Each external authorization.
pub fn external_auths<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (FilterPath, &'o ExternalAuth<'a>)> + use<'p, 'o, 'a> {
    let auth = |site: &LocatedFilter<'o, 'a>| {
        Some((FilterPath::field(site.location, "externalAuth"), site.filter.external_auth.as_deref()?))
    };
    route.filters().iter().filter_map(auth)
}

/// Each path modifier of a redirect or a rewrite, with its filter.
pub fn path_modifiers<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (FilterPath, &'o PathModifier<'a>, LocatedFilter<'o, 'a>)> + use<'p, 'o, 'a> {
    route.filters().iter().flat_map(|site| {
        let redirect = site.filter.request_redirect.as_deref().and_then(|redirect| redirect.path.as_ref());
        let rewrite = site.filter.url_rewrite.as_deref().and_then(|rewrite| rewrite.path.as_ref());
        let paths = [("requestRedirect.path", redirect), ("urlRewrite.path", rewrite)];
        paths.into_iter().filter_map(move |(field, path)| Some((FilterPath::field(site.location, field), path?, *site)))
    })
}

/// Each host that a redirect or a rewrite sets.
pub fn hostnames<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (FilterPath, &'o str)> + use<'p, 'o, 'a> {
    route.filters().iter().flat_map(|site| {
        let redirect = site.filter.request_redirect.as_deref().and_then(|redirect| redirect.hostname.as_deref());
        let rewrite = site.filter.url_rewrite.as_deref().and_then(|rewrite| rewrite.hostname.as_deref());
        let hosts = [("requestRedirect.hostname", redirect), ("urlRewrite.hostname", rewrite)];
        hosts.into_iter().filter_map(move |(field, host)| Some((FilterPath::field(site.location, field), host?)))
    })
}

/// A CORS filter with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedCors<'o, 'a> {
    /// The filter's content.
    pub cors: &'o Cors<'a>,
    /// The location of the filter.
    pub location: FilterLocation,
}

/// One of the lists of a CORS filter.
#[derive(Debug, Clone, Copy)]
pub struct CorsList<'o, 'a> {
    /// Its address.
    pub at: FilterPath,
    /// Its name.
    pub name: &'static str,
    /// The entries.
    pub texts: &'o [Text<'a>],
}

impl<'o, 'a> CorsList<'o, 'a> {
    /// Each entry.
    pub fn entries(self) -> impl Iterator<Item = (FilterPath, &'o str)> {
        self.texts.iter().enumerate().map(move |(index, text)| (self.at.at_index(index), &**text))
    }
}

impl<'o, 'a> LocatedCors<'o, 'a> {
    /// The allowed origins, methods and request headers, and the exposed response headers, in this order.
    pub fn lists(self) -> [CorsList<'o, 'a>; 4] {
        let list = |field, name, texts| CorsList { at: FilterPath::field(self.location, field), name, texts };
        [
            list("cors.allowOrigins", "allowOrigins", &self.cors.allow_origins),
            list("cors.allowMethods", "allowMethods", &self.cors.allow_methods),
            list("cors.allowHeaders", "allowHeaders", &self.cors.allow_headers),
            list("cors.exposeHeaders", "exposeHeaders", &self.cors.expose_headers),
        ]
    }
}

/// Each CORS filter.
pub fn cors<'p, 'o, 'a>(route: &'p RouteParts<'o, 'a>) -> impl Iterator<Item = LocatedCors<'o, 'a>> + use<'p, 'o, 'a> {
    route
        .filters()
        .iter()
        .filter_map(|site| Some(LocatedCors { cors: site.filter.cors.as_deref()?, location: site.location }))
}
