//! What the filters of an HTTPRoute or a GRPCRoute hold.

use super::filter_site::{FilterPlace, FilterSite};
use super::parts::RouteParts;
use crate::field::FieldPath;
use crate::kinds::Text;
use crate::kinds::filter::{
    Cors, ExternalAuth, HeaderModifier, HeaderValue, PathModifier, RequestMirror, RequestRedirect,
};

/// A place below a filter: a field, the position in it if it is a list, and a field of the element. Like [`At`](crate::field::At), it costs
/// nothing to carry along.
#[derive(Debug, Clone, Copy)]
pub struct Below {
    filter: FilterPlace,
    field: &'static str,
    index: Option<usize>,
    name: &'static str,
}

impl Below {
    fn field(filter: FilterPlace, field: &'static str) -> Self {
        Self { filter, field, index: None, name: "" }
    }

    /// The field `name` of the element here, in which nothing else is looked at.
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The field `name` here.
    pub fn then(self, name: &'static str) -> FieldPath {
        FieldPath::from(self).then(name)
    }
}

impl From<Below> for FieldPath {
    fn from(below: Below) -> Self {
        let field = below.filter.at().then(below.field);
        let element = match below.index {
            Some(index) => field.index(index),
            None => field,
        };
        if below.name.is_empty() { element } else { element.then(below.name) }
    }
}

/// Which of the lists of a header modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderList {
    /// Headers that get a value in place of those that they have.
    Set,
    /// Headers that get one more value.
    Add,
    /// Headers that are taken away.
    Remove,
}

/// A header modifier and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct ModifierSite<'o, 'a> {
    /// The modifier.
    pub modifier: &'o HeaderModifier<'a>,
    filter: FilterPlace,
    lists: &'static [&'static str; 3],
}

impl<'o, 'a> ModifierSite<'o, 'a> {
    /// Each header that it sets, then each that it adds.
    pub fn values(self) -> impl Iterator<Item = (Below, &'o HeaderValue<'a>)> {
        let [set, add, _] = *self.lists;
        [(set, &self.modifier.set), (add, &self.modifier.add)].into_iter().flat_map(move |(field, values)| {
            let place = move |index| Below { filter: self.filter, field, index: Some(index), name: "" };
            values.iter().enumerate().map(move |(index, value)| (place(index), value))
        })
    }

    /// Each header name that it removes.
    pub fn removals(self) -> impl Iterator<Item = (Below, &'o str)> {
        let [.., remove] = *self.lists;
        let place = move |index| Below { filter: self.filter, field: remove, index: Some(index), name: "" };
        self.modifier.remove.iter().enumerate().map(move |(index, name)| (place(index), &**name))
    }

    /// Each header name that it sets, adds or removes, in this order.
    pub fn names(self) -> impl Iterator<Item = (Below, &'o str)> {
        self.named().map(|(at, name, _)| (at, name))
    }

    /// The same, each with the list that holds it.
    pub fn named(self) -> impl Iterator<Item = (Below, &'o str, HeaderList)> {
        let set = self.modifier.set.len();
        let values = self.values().enumerate().map(move |(index, (at, value))| {
            let list = if index < set { HeaderList::Set } else { HeaderList::Add };
            (at.named("name"), &*value.name, list)
        });
        values.chain(self.removals().map(|(at, name)| (at, name, HeaderList::Remove)))
    }

    /// How many headers it sets, adds or removes: in the longest of its lists, and in all.
    pub fn counts(self) -> [usize; 2] {
        let lengths = self.lengths();
        [lengths.into_iter().fold(0, usize::max), lengths.iter().sum()]
    }

    fn lengths(self) -> [usize; 3] {
        [self.modifier.set.len(), self.modifier.add.len(), self.modifier.remove.len()]
    }

    /// Its lists: where, and how long.
    pub fn lists(self) -> [(Below, usize); 3] {
        let lengths = self.lengths();
        std::array::from_fn(|list| (Below::field(self.filter, self.lists[list]), lengths[list]))
    }
}

/// Each header modifier of these filters.
pub(super) fn header_modifiers<'o, 'a>(filters: &[FilterSite<'o, 'a>]) -> Vec<ModifierSite<'o, 'a>> {
    let mut modifiers = Vec::with_capacity(filters.len());
    for FilterSite { filter, place } in filters {
        let site = |modifier, lists| ModifierSite { modifier, filter: *place, lists };
        let request = filter.request_header_modifier.as_deref().map(|modifier| site(modifier, &LISTS_OF_REQUEST));
        let response = filter.response_header_modifier.as_deref().map(|modifier| site(modifier, &LISTS_OF_RESPONSE));
        modifiers.extend(request);
        modifiers.extend(response);
    }
    modifiers
}

static LISTS_OF_REQUEST: [&str; 3] =
    ["requestHeaderModifier.set", "requestHeaderModifier.add", "requestHeaderModifier.remove"];
static LISTS_OF_RESPONSE: [&str; 3] =
    ["responseHeaderModifier.set", "responseHeaderModifier.add", "responseHeaderModifier.remove"];

/// Each mirror of requests.
pub fn mirrors<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (Below, &'o RequestMirror<'a>)> + use<'p, 'o, 'a> {
    let mirror = |site: &FilterSite<'o, 'a>| {
        Some((Below::field(site.place, "requestMirror"), site.filter.request_mirror.as_deref()?))
    };
    route.filters().iter().filter_map(mirror)
}

/// Each redirect.
pub fn redirects<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (Below, &'o RequestRedirect<'a>)> + use<'p, 'o, 'a> {
    let redirect = |site: &FilterSite<'o, 'a>| {
        Some((Below::field(site.place, "requestRedirect"), site.filter.request_redirect.as_deref()?))
    };
    route.filters().iter().filter_map(redirect)
}

/// Each external authorisation.
pub fn external_auths<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (Below, &'o ExternalAuth<'a>)> + use<'p, 'o, 'a> {
    let auth = |site: &FilterSite<'o, 'a>| {
        Some((Below::field(site.place, "externalAuth"), site.filter.external_auth.as_deref()?))
    };
    route.filters().iter().filter_map(auth)
}

/// Each path modifier of a redirect or a rewrite, with the filter that holds it.
pub fn path_modifiers<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (Below, &'o PathModifier<'a>, FilterSite<'o, 'a>)> + use<'p, 'o, 'a> {
    route.filters().iter().flat_map(|site| {
        let redirect = site.filter.request_redirect.as_deref().and_then(|redirect| redirect.path.as_ref());
        let rewrite = site.filter.url_rewrite.as_deref().and_then(|rewrite| rewrite.path.as_ref());
        let paths = [("requestRedirect.path", redirect), ("urlRewrite.path", rewrite)];
        paths.into_iter().filter_map(move |(field, path)| Some((Below::field(site.place, field), path?, *site)))
    })
}

/// Each host that a redirect or a rewrite puts in the place of the request's.
pub fn hostnames<'p, 'o, 'a>(
    route: &'p RouteParts<'o, 'a>,
) -> impl Iterator<Item = (Below, &'o str)> + use<'p, 'o, 'a> {
    route.filters().iter().flat_map(|site| {
        let redirect = site.filter.request_redirect.as_deref().and_then(|redirect| redirect.hostname.as_deref());
        let rewrite = site.filter.url_rewrite.as_deref().and_then(|rewrite| rewrite.hostname.as_deref());
        let hosts = [("requestRedirect.hostname", redirect), ("urlRewrite.hostname", rewrite)];
        hosts.into_iter().filter_map(move |(field, host)| Some((Below::field(site.place, field), host?)))
    })
}

/// A CORS filter and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct CorsSite<'o, 'a> {
    /// The filter's content.
    pub cors: &'o Cors<'a>,
    /// Where the filter stands.
    pub place: FilterPlace,
}

/// One of the lists of a CORS filter.
#[derive(Debug, Clone, Copy)]
pub struct CorsList<'o, 'a> {
    /// Its address.
    pub at: Below,
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub texts: &'o [Text<'a>],
}

impl<'o, 'a> CorsList<'o, 'a> {
    /// Each entry.
    pub fn entries(self) -> impl Iterator<Item = (Below, &'o str)> {
        self.texts.iter().enumerate().map(move |(index, text)| (Below { index: Some(index), ..self.at }, &**text))
    }
}

impl<'o, 'a> CorsSite<'o, 'a> {
    /// Origins, methods, headers that may be sent and headers that may be read, in this order.
    pub fn lists(self) -> [CorsList<'o, 'a>; 4] {
        let list = |field, name, texts| CorsList { at: Below::field(self.place, field), name, texts };
        [
            list("cors.allowOrigins", "allowOrigins", &self.cors.allow_origins),
            list("cors.allowMethods", "allowMethods", &self.cors.allow_methods),
            list("cors.allowHeaders", "allowHeaders", &self.cors.allow_headers),
            list("cors.exposeHeaders", "exposeHeaders", &self.cors.expose_headers),
        ]
    }
}

/// Each CORS filter.
pub fn cors<'p, 'o, 'a>(route: &'p RouteParts<'o, 'a>) -> impl Iterator<Item = CorsSite<'o, 'a>> + use<'p, 'o, 'a> {
    route.filters().iter().filter_map(|site| Some(CorsSite { cors: site.filter.cors.as_deref()?, place: site.place }))
}
